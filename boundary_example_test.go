package columntypes_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/columntypes/columntypes"
)

// A host holds on to a Boundary and passes each result through it, before the model reads it.
func ExampleBoundary() {
	boundary := columntypes.Boundary{Mode: columntypes.Enforce}

	rows := []map[string]any{{"lun": ""}, {"lun": 3}}
	outcome := boundary.Check(context.Background(), columntypes.Call{
		ToolName: "mappings", ToolCallID: "call-1",
		Columns: columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}},
		Result:  rows,
	})
	fmt.Println("status:", outcome.Status())
	fmt.Println("the model reads:", outcome.Payload(rows))

	for _, row := range boundary.Report(context.Background()) {
		fmt.Printf("%s: %d of %d\n", row.Check, row.Findings, row.Checked)
	}
	// Output:
	// status: invalid
	// the model reads: Result rejected: mappings returned rows that disagree with the columns it declares — 'lun' is declared number and 1 of 2 rows hold string (first: ""). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
	// column-type-mismatch: 1 of 1
	// missing-column: 0 of 1
}

// A process adds up its runs, each of which has a ledger of its own.
func ExampleLedger_Merge() {
	columns := columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}}
	var process columntypes.Ledger
	for _, text := range []string{`[{"lun":0}]`, `[{"lun":"0"}]`, `no rows`} {
		var run columntypes.Ledger
		run.File(columntypes.Check(columntypes.Warn, columntypes.Call{ToolName: "mappings", Columns: columns, Text: text}))
		process.Merge(run.Report())
	}
	row := process.Report()[0]
	fmt.Println(row.Check, "checked", row.Checked, "findings", row.Findings, "not applicable", row.NotApplicable)
	// Output: column-type-mismatch checked 2 findings 1 not applicable 1
}

func ExampleLogObserver() {
	withoutTime := func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && len(groups) == 0 {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
	boundary := columntypes.Boundary{Mode: columntypes.Warn, Observer: columntypes.LogObserver(logger)}

	boundary.Check(context.Background(), columntypes.Call{
		ToolName: "mappings", ToolCallID: "call-1",
		Columns: columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}},
		Text:    `[{"lun":""},{"lun":3}]`,
	})
	boundary.Check(context.Background(), columntypes.Call{ToolName: "weather", ToolCallID: "call-2", Text: "sunny"})
	// Output:
	// level=WARN msg="'mappings' declares column 'lun' as number, and 1 of 2 rows hold something else — the first is \"\" (string). This judges TYPE, never MEANING — it can see that a column declared number holds a string, and it can never see that the string should have been 0, or that a 0.0 should have been an 8; a column whose every value has its declared type passes here and can still be wrong. Call id call-1. Nothing here blocked the call, changed the result, or retried anything — the model reads the rows exactly as the tool returned them." kind=column-type-mismatch tool=mappings callId=call-1 column=lun declared=number got=string rows=1 ofRows=2 firstRow=0 sample="\"\"" event=agentfootprint.integrity.context_error
	// level=DEBUG msg="columntypes: a call was not judged" tool=weather callId=call-2 reason=undeclared
}
