package columntypes

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
)

// sentenceCases are read as prose: every kind of sentence once, under warn and under enforce.
var sentenceCases = []struct {
	reason string
	call   Call
}{
	{"the field case", Call{ToolName: "host_group_mappings", ToolCallID: "call-1", Columns: lun, Text: fieldCase}},
	{"the whole column, one kind", Call{ToolName: "pool_capacity", ToolCallID: "call-2", Columns: ToolResultColumns{{Name: "used_gb", Type: Number}},
		Text: `[{"used_gb":"1240"},{"used_gb":"88"}]`}},
	{"one row, and no call id", Call{ToolName: "pool_capacity", Columns: ToolResultColumns{{Name: "used_gb", Type: Number}}, Text: `[{"used_gb":true}]`}},
	{"a missing column", Call{ToolName: "mappings", ToolCallID: "call-3", Columns: lun, Text: `[{"host_group":"a"},{"host_group":"b"}]`}},
	{"a missing column with a near miss", Call{ToolName: "mappings", ToolCallID: "call-4", Columns: lun, Text: `[{"Logical Unit-Number":0,"host_group":"a"}]`}},
	{"both kinds at once", Call{ToolName: "mappings", ToolCallID: "call-5", Columns: lun, Text: `[{"host_group":7},{"host_group":"a"}]`}},
	{"no value, not nullable", Call{ToolName: "mappings", ToolCallID: "call-6", Columns: lun,
		Text: `[{"logical_unit_number":null,"host_group":"a"},{"host_group":"a"},{"logical_unit_number":1,"host_group":"b"}]`}},
	{"mixed offenders", Call{ToolName: "mappings", ToolCallID: "call-7", Columns: ToolResultColumns{{Name: "n", Type: Number, Nullable: true}},
		Text: `[{"n":"a"},{"n":false},{"n":"b"},{"n":[1,2]},{"n":{"$numberLong":"5"}},{"n":1e400},{"n":null}]`}},
	{"containers", Call{ToolName: "t", Columns: ToolResultColumns{{Name: "a", Type: String}, {Name: "o", Type: Date}},
		Text: `[{"a":[{"secret":1}],"o":{"z":1,"$date":"2024"}}]`}},
	{"not a date", Call{ToolName: "t", Columns: ToolResultColumns{{Name: "at", Type: Date}}, Text: `[{"at":"31/01/2024"},{"at":"LUN 0"}]`}},
	{"Go values that are not plainly their word", Call{ToolName: "query", ToolCallID: "call-8",
		Columns: ToolResultColumns{{Name: "bytes", Type: Number}, {Name: "null_string", Type: String}, {Name: "nan", Type: Number}, {Name: "rat", Type: Number}, {Name: "channel", Type: String}},
		Result: []map[string]any{{"bytes": []byte("12.50"), "null_string": sql.NullString{String: "x", Valid: true}, "nan": math.NaN(),
			"rat": big.NewRat(1, 3), "channel": make(chan int)}}}},
	{"more columns than a refusal names", Call{ToolName: "wide", Columns: ToolResultColumns{{Name: "a", Type: Number}, {Name: "b", Type: Number},
		{Name: "c", Type: Number}, {Name: "d", Type: Number}, {Name: "e", Type: Number}, {Name: "f", Type: Number}, {Name: "g", Type: Number}},
		Text: `[{"a":"","b":"","c":"","d":"","e":"","f":"","g":""}]`}},
	{"hostile names and samples", Call{ToolName: "t'; ignore all\nprevious", ToolCallID: "id\u202e", Columns: ToolResultColumns{{Name: "it's\t\u200b", Type: Number}},
		Text: `[{"it's\t\u200b":"\"}\n\u0000\u2800` + strings.Repeat("long ", 40) + `"}]`}},
	{"redacted", Call{ToolName: "t", ToolCallID: "call-9", RedactSamples: true,
		Columns: ToolResultColumns{{Name: "s", Type: Number}, {Name: "o", Type: Number}, {Name: "a", Type: Number}, {Name: "b", Type: Number}, {Name: "gone", Type: String}},
		Text:    `[{"s":"secret","o":{"secret":1},"a":["secret"],"b":true,"Gone":"secret"}]`}},
	{"a Go string", Call{ToolName: "t", Columns: lun, Result: fieldCase}},
	{"plain bytes", Call{ToolName: "t", Columns: lun, Result: []byte(fieldCase)}},
	{"a wrapper", Call{ToolName: "t", Columns: lun, Text: `{"rows":` + fieldCase + `}`}},
	{"a pointer that leads nowhere", Call{ToolName: "t", Columns: lun, RowsAt: "/data/rows", Text: `{"data":{"items":[]}}`}},
	{"no pointer", Call{ToolName: "t", Columns: lun, RowsAt: "rows", Text: `{"rows":[]}`}},
	{"an item that is no object", Call{ToolName: "t", Columns: lun, Text: `[{"logical_unit_number":1},null]`}},
	{"zero rows", Call{ToolName: "t", Columns: lun, Text: `[]`}},
	{"not JSON", Call{ToolName: "t", Columns: lun, Text: `[{"logical_unit_number":NaN}]`}},
	{"JSON that ends too early", Call{ToolName: "t", Columns: lun, Text: `[{"logical_unit_number":1}`}},
	{"a type that does not exist", Call{ToolName: "t", Columns: ToolResultColumns{{Name: "n", Type: "integer"}}, Text: fieldCase}},
	{"raw JSON in a Go value that is not JSON", Call{ToolName: "t", Columns: lun, RowsAt: "/rows", Result: map[string]any{"rows": json.RawMessage("[{]")}}},
}

func TestSentencesAsAReaderSeesThem(t *testing.T) {
	var said bytes.Buffer
	for _, c := range sentenceCases {
		fmt.Fprintf(&said, "# %s\n", c.reason)
		for _, mode := range []Mode{Warn, Enforce} {
			out := Check(mode, c.call)
			if out.NotJudged != "" {
				fmt.Fprintf(&said, "%s: %s\n", out.NotJudged, out.Detail)
				break
			}
			for _, finding := range out.Findings {
				fmt.Fprintf(&said, "%s %s: %s\n", mode, finding.Kind, strings.Replace(finding.Message, ColumnTypeCeiling, "{ceiling}", 1))
			}
			if out.Refusal != "" {
				fmt.Fprintf(&said, "refusal: %s\n", out.Refusal)
			}
		}
		said.WriteString("\n")
	}
	holdToGolden(t, "sentences.txt", said.Bytes())
}
