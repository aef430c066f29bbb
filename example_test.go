package columntypes_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/columntypes/columntypes"
)

// mappings is what the source document's tool declares.
var mappings = columntypes.ToolResultColumns{
	{Name: "logical_unit_number", Type: columntypes.Number},
	{Name: "host_group", Type: columntypes.String},
}

// The README's code and its output.
func ExampleCheck() {
	columns, err := columntypes.ParseResultColumns("host_group_mappings",
		[]byte(`{"logical_unit_number":"number","host_group":"string"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	outcome := columntypes.Check(columntypes.Enforce, columntypes.Call{
		ToolName: "host_group_mappings", ToolCallID: "call-1",
		Columns: columns,
		Text:    `[{"logical_unit_number":"","host_group":"vdi-a"},{"logical_unit_number":"","host_group":"vdi-b"}]`,
	})
	fmt.Println(outcome.Refusal)
	// Output: Result rejected: host_group_mappings returned rows that disagree with the columns it declares — 'logical_unit_number' is declared number and 2 of 2 rows hold string (first: ""). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
}

// The report as it shipped: LUN 0 became an empty string. Under warn the model reads the rows, and a person the finding.
func ExampleCheck_warn() {
	rows := []map[string]any{
		{"logical_unit_number": "", "host_group": "vdi-a"},
		{"logical_unit_number": 3, "host_group": "vdi-a"},
	}
	outcome := columntypes.Check(columntypes.Warn, columntypes.Call{
		ToolName: "host_group_mappings", ToolCallID: "call-1", Columns: mappings, Result: rows,
	})
	fmt.Println(outcome.Findings[0].Message)
	fmt.Println(outcome.Status(), len(outcome.Payload(rows).([]map[string]any)))
	// Output:
	// 'host_group_mappings' declares column 'logical_unit_number' as number, and 1 of 2 rows hold something else — the first is "" (string). This judges TYPE, never MEANING — it can see that a column declared number holds a string, and it can never see that the string should have been 0, or that a 0.0 should have been an 8; a column whose every value has its declared type passes here and can still be wrong. Call id call-1. Nothing here blocked the call, changed the result, or retried anything — the model reads the rows exactly as the tool returned them.
	// ok 2
}

// Under enforce one sentence replaces the rows, on every channel.
func ExampleCheck_enforce() {
	rows := []map[string]any{{"logical_unit_number": "", "host_group": "vdi-a"}}
	outcome := columntypes.Check(columntypes.Enforce, columntypes.Call{ToolName: "host_group_mappings", Columns: mappings, Result: rows})
	fmt.Println(outcome.Status())
	fmt.Println(outcome.Payload(rows))
	// Output:
	// invalid
	// Result rejected: host_group_mappings returned rows that disagree with the columns it declares — 'logical_unit_number' is declared number and 1 of 1 row holds string (first: ""). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
}

// 0 is a number, which is the entire point.
func ExampleCheck_lunZero() {
	outcome := columntypes.Check(columntypes.Enforce, columntypes.Call{
		Columns: mappings, Text: `[{"logical_unit_number":0,"host_group":"vdi-a"}]`,
	})
	fmt.Println(len(outcome.Findings), outcome.Disposition(columntypes.KindColumnTypeMismatch))
	// Output: 0 checked-pass
}

// A family of tools returned its numbers in quotes, and every chart went blank.
func ExampleCheck_quotedNumbers() {
	outcome := columntypes.Check(columntypes.Warn, columntypes.Call{
		Columns: columntypes.ToolResultColumns{{Name: "used_gb", Type: columntypes.Number}},
		Text:    `[{"used_gb":"1240"},{"used_gb":"88"}]`,
	})
	violation := outcome.Findings[0].Violation
	fmt.Println(violation.Rows, violation.OfRows, violation.Got, violation.Sample)
	// Output: 2 2 string "1240"
}

// An 8 MiB disk became 0.0 GB: a number all the same. Its meaning is wrong, and no check of types sees that.
func ExampleCheck_belowTheCeiling() {
	outcome := columntypes.Check(columntypes.Enforce, columntypes.Call{
		Columns: columntypes.ToolResultColumns{{Name: "size_gb", Type: columntypes.Number}},
		Text:    `[{"size_gb":0.0}]`,
	})
	fmt.Println(len(outcome.Findings), outcome.Status())
	// Output: 0 ok
}

// A column that no row has is another finding than a value of the wrong type, and both may come at once.
func ExampleCheck_missingColumn() {
	outcome := columntypes.Check(columntypes.Warn, columntypes.Call{
		Columns: mappings, Text: `[{"host_group":17,"logicalUnitNumber":0},{"host_group":"vdi-a","logicalUnitNumber":1}]`,
	})
	for _, finding := range outcome.Findings {
		fmt.Printf("%s %s %q\n", finding.Kind, finding.Violation.Column, finding.Violation.NearMiss)
	}
	fmt.Println(outcome.Disposition(columntypes.KindColumnTypeMismatch), outcome.Disposition(columntypes.KindMissingColumn))
	// Output:
	// missing-column logical_unit_number "logicalUnitNumber"
	// column-type-mismatch host_group ""
	// checked-fail checked-fail
}

// Null and an absent key are one idea, no value. Nullable accepts both, and nothing else.
func ExampleCheck_nullable() {
	columns := columntypes.ToolResultColumns{{Name: "comment", Type: columntypes.String, Nullable: true}}
	for _, text := range []string{`[{"comment":null},{"comment":"moved"},{}]`, `[{"comment":7}]`} {
		fmt.Println(len(columntypes.Check(columntypes.Warn, columntypes.Call{Columns: columns, Text: text}).Findings))
	}
	// Output:
	// 0
	// 1
}

// With the dial off nothing is measured, and the record says so.
func ExampleCheck_off() {
	outcome := columntypes.Check(columntypes.Off, columntypes.Call{Columns: mappings, Text: `[{"logical_unit_number":""}]`})
	fmt.Println(outcome.NotJudged, outcome.Disposition(columntypes.KindColumnTypeMismatch), len(outcome.Findings))
	// Output: off not-applicable 0
}

// A wrapper is not judged, and is once a JSON Pointer says where its rows are.
func ExampleCall_rowsAt() {
	call := columntypes.Call{
		ToolName: "mappings",
		Columns:  columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}},
		Text:     `{"rows":[{"lun":"0"}]}`,
	}
	outcome := columntypes.Check(columntypes.Warn, call)
	fmt.Println(outcome.NotJudged, "-", outcome.Detail)
	call.RowsAt = "/rows"
	fmt.Println(columntypes.Check(columntypes.Warn, call).Findings[0].Violation.Sample)
	// Output:
	// not-a-rowset - an object; if the rows are inside it, say where with RowsAt
	// "0"
}

func ExampleColumnsFor() {
	type mapping struct {
		Lun     int     `json:"lun"`
		Comment *string `json:"comment"`
	}
	columns, err := columntypes.ColumnsFor[mapping]()
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(columns)
	// Output: {"lun":"number","comment":{"type":"string","nullable":true}}
}

// An error names the tool, the column and the fix; match it by identity.
func ExampleDeclarationError() {
	_, err := columntypes.ParseResultColumns("report", []byte(`{"lun":"integer"}`))
	fmt.Println(err)
	// Output: columntypes: tool "report": column "lun": unknown column type: use number, string, boolean or date; there is deliberately no `unknown`: leave a column whose type you do not know undeclared
}
