package columntypes_test

import (
	"fmt"

	"github.com/columntypes/columntypes"
)

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
	// not-a-rowset - an object
	// "0"
}

func ExampleColumnsFor() {
	type mapping struct {
		Lun     int     `json:"lun"`
		Comment *string `json:"comment"`
	}
	columns, err := columntypes.ColumnsFor[mapping]()
	fmt.Println(columns, err)
	// Output: [{lun number false} {comment string true}] <nil>
}
