package columntypes_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/columntypes/columntypes"
)

// A host's tool loop: the boundary stands between the tool's answer and the model.
func Example_toolLoop() {
	tools := map[string]string{
		"host_group_mappings": `[{"logical_unit_number":"","host_group":"vdi-a"}]`,
		"weather":             `Sunny, with numbers.`,
	}
	declared := map[string]columntypes.ToolResultColumns{"host_group_mappings": mappings}

	ctx := context.Background()
	boundary := &columntypes.Boundary{Mode: columntypes.Enforce}
	for i, name := range []string{"host_group_mappings", "weather"} {
		result := tools[name] // the tool has answered, and the model has not read it yet
		outcome := boundary.Check(ctx, columntypes.Call{
			ToolName: name, ToolCallID: fmt.Sprint("call-", i+1),
			Columns: declared[name], Text: result,
		})
		fmt.Println(outcome.Status(), "|", outcome.Payload(result))
	}
	for _, row := range boundary.Report(ctx) {
		fmt.Println(row.Check, row.Checked, row.Findings, row.NotApplicable, row.Unreachable)
	}
	// Output:
	// invalid | Result rejected: host_group_mappings returned rows that disagree with the columns it declares — 'logical_unit_number' is declared number and 1 of 1 row holds string (first: ""). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
	// ok | Sunny, with numbers.
	// column-type-mismatch 1 1 1 0
	// missing-column 1 0 1 0
}

// The text of cells stays out of findings, refusals, logs and details.
func ExampleCall_redactSamples() {
	outcome := columntypes.Check(columntypes.Enforce, columntypes.Call{
		ToolName: "patients", RedactSamples: true,
		Columns: columntypes.ToolResultColumns{{Name: "born", Type: columntypes.Date}},
		Text:    `[{"born":"Jane Doe, 1950"}]`,
	})
	fmt.Println(outcome.Refusal)
	// Output: Result rejected: patients returned rows that disagree with the columns it declares — 'born' is declared date and 1 of 1 row holds string (first: string of 14 characters). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
}

// A server writes the declaration into the tool's _meta; what else is there stays.
func ExampleEncodeMeta() {
	meta, err := columntypes.EncodeMeta(
		map[string]any{"vendor": 1, "agentfootprint": map[string]any{"resultKind": "dataset/rows"}},
		columntypes.Declaration{Columns: mappings, RowsAt: "/rows"})
	if err != nil {
		fmt.Println(err)
		return
	}
	wire, _ := json.Marshal(meta)
	fmt.Println(string(wire))
	// Output: {"agentfootprint":{"resultColumns":{"logical_unit_number":"number","host_group":"string"},"resultKind":"dataset/rows","resultRowsAt":"/rows"},"vendor":1}
}

// A client reads it from the tool list.
func ExampleDecodeMetaJSON() {
	declared, err := columntypes.DecodeMetaJSON("mappings",
		[]byte(`{"agentfootprint":{"resultKind":"dataset/rows","resultColumns":{"lun":"number","note":{"type":"string","nullable":true}}}}`))
	fmt.Println(declared.Columns, err)
	// Output: [{lun number false} {note string true}] <nil>
}

// A tool that publishes a JSON Schema for its output has declared its columns already.
func ExampleDeclarationFromOutputSchema() {
	declared, err := columntypes.DeclarationFromOutputSchema("mappings", []byte(`{
		"type": "object",
		"properties": {"result": {"type": "array", "items": {
			"type": "object",
			"properties": {"lun": {"type": "integer"}, "at": {"type": "string", "format": "date-time"}, "note": {"type": "string"}},
			"required": ["lun", "at"]
		}}}
	}`))
	fmt.Println(declared.RowsAt, declared.Columns, err)
	// Output: /result [{lun number false} {at date false} {note string true}] <nil>
}
