package columntypes

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var lun = ToolResultColumns{{Name: "logical_unit_number", Type: Number}, {Name: "host_group", Type: String}}

const fieldCase = `[{"logical_unit_number":"","host_group":"vdi-a"},{"logical_unit_number":3,"host_group":"vdi-a"}]`

func TestTheFieldCase(t *testing.T) {
	call := Call{ToolName: "host_group_mappings", ToolCallID: "call-1", Columns: lun, Text: fieldCase}
	out := Check(Warn, call)
	require.Len(t, out.Findings, 1)
	assert.Equal(t, `'host_group_mappings' declares column 'logical_unit_number' as number, and 1 of 2 rows hold something else — the first is "" (string). `+
		ColumnTypeCeiling+` Call id call-1. Nothing here blocked the call, changed the result, or retried anything — the model reads the rows exactly as the tool returned them.`,
		out.Findings[0].Message)
	assert.Equal(t, StatusOK, out.Status())
	assert.Equal(t, fieldCase, out.Payload(fieldCase))

	call.Text = strings.Replace(fieldCase, "3", `""`, 1)
	out = Check(Enforce, call)
	assert.Equal(t, `Result rejected: host_group_mappings returned rows that disagree with the columns it declares — 'logical_unit_number' is declared number and 2 of 2 rows hold string (first: ""). `+
		`Fix the tool so the column holds what it declares, or change the declaration. No data was returned.`, out.Refusal)
	assert.Equal(t, StatusInvalid, out.Status())
	assert.Equal(t, out.Refusal, out.Payload(fieldCase))

	call.Text = `[{"logical_unit_number":0,"host_group":"vdi-a"}]`
	assert.Empty(t, Check(Enforce, call).Findings, "0 is a number, which is the entire point")
}

func TestSentences(t *testing.T) {
	one := ToolResultColumns{{Name: "n", Type: Number}}
	tests := []struct{ reason, text, want string }{
		{"mixed offenders are counted by kind, most frequent first", `[{"n":"a"},{"n":null},{"n":"b"},{"n":1}]`, `3 of 4 rows hold something else: 2 string, 1 null (first: "a")`},
		{"one row is singular", `[{"n":"a"}]`, `1 of 1 row holds string (first: "a")`},
		{"an absence names its one-word fix", `[{"n":null}]`, `nullable: true`},
		{"an array is its length", `[{"n":[1,2,3]}]`, `(first: [… 3 items])`},
		{"an object is its keys, sorted", `[{"n":{"b":1,"a":2}}]`, `(first: {"a": …, "b": …})`},
		{"an invisible character is escaped", `[{"n":"a\u3164\u200bb"}]`, `"a\u3164\u200bb"`},
		{"nobody has the column", `[{"m":1},{"m":2}]`, `'n' is declared number and none of the 2 rows have it`},
	}
	for _, test := range tests {
		assert.Contains(t, Check(Enforce, Call{ToolName: "t", Columns: one, Text: test.text}).Refusal, test.want, test.reason)
	}
	missing := Check(Warn, Call{ToolName: "t", Columns: ToolResultColumns{{Name: "host_group", Type: String}}, Text: `[{"Host Group":1}]`})
	assert.Equal(t, "Host Group", missing.Findings[0].Violation.NearMiss)
	assert.Contains(t, missing.Findings[0].Message, "NONE of the 1 row")
	assert.NotContains(t, missing.Findings[0].Message, "Call id", "a call without an id says nothing of an id")
	hostile := Check(Enforce, Call{ToolName: "t'\n" + strings.Repeat("x", 1<<20), Columns: ToolResultColumns{{Name: "'\u202e", Type: Number}}, Text: `[{"a":1}]`})
	assert.Contains(t, hostile.Refusal, `\'\u202e`)
	assert.Less(t, len(hostile.Refusal), 8<<10)
}

func TestNotJudged(t *testing.T) {
	tests := []struct {
		reason string
		mode   Mode
		call   Call
		want   Reason
	}{
		{"the dial is off", Off, Call{Columns: lun, Text: fieldCase}, ReasonOff},
		{"an invalid dial is never off in silence", Mode(9), Call{Columns: lun}, ReasonBadMode},
		{"nothing is declared", Warn, Call{Text: fieldCase}, ReasonUndeclared},
		{"an empty declaration is a mistake", Warn, Call{Columns: ToolResultColumns{}, Text: fieldCase}, ReasonBadDeclaration},
		{"a Go string is prose", Warn, Call{Columns: lun, Result: fieldCase}, ReasonNotRowset},
		{"plain bytes are prose", Warn, Call{Columns: lun, Result: []byte(fieldCase)}, ReasonNotRowset},
		{"nothing came back", Warn, Call{Columns: lun}, ReasonNotRowset},
		{"zero rows", Warn, Call{Columns: lun, Result: []map[string]any{}}, ReasonEmpty},
		{"a nil map is null", Warn, Call{Columns: lun, Result: []map[string]any{nil}}, ReasonNotRowset},
		{"a nil slice is null", Warn, Call{Columns: lun, Result: []map[string]any(nil)}, ReasonNotRowset},
		{"not JSON", Warn, Call{Columns: lun, Text: `[{"a":NaN}]`}, ReasonNotJSON},
		{"a value and then more", Warn, Call{Columns: lun, Text: fieldCase + " x"}, ReasonNotJSON},
		{"two values", Warn, Call{Columns: lun, Text: fieldCase + fieldCase}, ReasonNotJSON},
		{"a wrapper without a pointer", Warn, Call{Columns: lun, Text: `{"rows":` + fieldCase + `}`}, ReasonNotRowset},
		{"a pointer that leads nowhere", Warn, Call{Columns: lun, RowsAt: "/data", Text: `{"rows":[]}`}, ReasonNoRowsAt},
		{"a malformed pointer", Warn, Call{Columns: lun, RowsAt: "rows", Text: `{"rows":[]}`}, ReasonNoRowsAt},
		{"a pointer beside a reading", Warn, Call{Columns: lun, RowsAt: "/rows", Result: RowsetReading{}}, ReasonNoRowsAt},
		{"a row marshaler that panics", Warn, Call{Columns: lun, Result: []panicking{{}}}, ReasonFailed},
	}
	for _, test := range tests {
		out := Check(test.mode, test.call)
		assert.Equal(t, test.want, out.NotJudged, "%s: %s", test.reason, out.Detail)
		assert.Empty(t, out.Findings)
		want := NotApplicable
		if test.want.unreachable() {
			want = Unreachable
		}
		assert.Equal(t, want, out.Disposition(KindColumnTypeMismatch), test.reason)
		assert.Equal(t, want, out.Disposition(KindMissingColumn), test.reason)
	}
	out := Check(Warn, Call{Columns: lun, Text: `[{"a":NaN}]`})
	assert.Contains(t, out.Detail, `"N" stands at byte 6`)
}

func TestRowsAt(t *testing.T) {
	type page struct {
		Rows json.RawMessage `json:"rows"`
	}
	for reason, result := range map[string]any{
		"raw JSON":                   json.RawMessage(`{"data":{"rows":` + fieldCase + `}}`),
		"raw JSON inside a Go value": map[string]any{"data": page{Rows: json.RawMessage(fieldCase)}},
	} {
		assert.Len(t, Check(Warn, Call{Columns: lun, RowsAt: "/data/rows", Result: result}).Findings, 1, reason)
	}
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("boom") }

type failing struct{}

func (failing) MarshalText() ([]byte, error) { return nil, errors.New("no") }

type onPointer struct{ N int }

func (*onPointer) MarshalJSON() ([]byte, error) { return []byte("7"), nil }

type unixtime time.Time

func TestGoCells(t *testing.T) {
	type state string
	seven, cycle := 7, map[string]any{}
	cycle["self"] = cycle
	var endless any
	endless = &endless
	tests := []struct {
		reason string
		value  any
		got    string // under a declaration that nothing satisfies
		passes ColumnType
	}{
		{"a named string", state("up"), "string", String},
		{"a pointer", &seven, "number", Number},
		{"a nil pointer", (*int)(nil), "null", ""},
		{"a valid json.Number", json.Number("12"), "number", Number},
		{"an empty json.Number", json.Number(""), "string", ""},
		{"a json.Number that is none", json.Number("abc"), "unencodable", ""},
		{"a number beyond float64", json.Number("1e400"), "a number beyond float64", ""},
		{"NaN", math.NaN(), "the number NaN", ""},
		{"infinity", math.Inf(-1), "the number -Inf", ""},
		{"raw JSON in a cell", json.RawMessage(`"x"`), "string", String},
		{"raw JSON that is none", json.RawMessage(`{`), "unencodable", ""},
		{"plain bytes", []byte("1"), "bytes", ""},
		{"nil bytes", []byte(nil), "null", ""},
		{"an array of bytes", [2]byte{1, 2}, "array", ""},
		{"a duration", time.Second, "number", Number},
		{"a big integer", big.NewInt(12), "number", Number},
		{"a big float", big.NewFloat(1.5), "string", String},
		{"a time", time.Unix(0, 0).UTC(), "string", Date},
		{"a time that JSON refuses", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "unencodable", Date},
		{"a time under another name", unixtime{}, "object", ""},
		{"sql.NullString", sql.NullString{}, "object", ""},
		{"a map that JSON refuses", map[any]any{}, "unencodable", ""},
		{"a channel", make(chan int), "unencodable", ""},
		{"a panicking marshaler", panicking{}, "unencodable", ""},
		{"a failing text marshaler", failing{}, "unencodable", ""},
		{"a marshaler on the pointer, not addressable", onPointer{}, "object", ""},
		{"a marshaler on the pointer, addressable", &onPointer{}, "number", Number},
		{"a cycle is just an object", cycle, "object", ""},
		{"a pointer to itself has no end", endless, "unencodable", ""},
	}
	for _, test := range tests {
		for _, word := range ColumnTypes() {
			columns := ToolResultColumns{{Name: "v", Type: word}}
			out := Check(Warn, Call{Columns: columns, Result: []map[string]any{{"v": test.value}}})
			if word == test.passes || word == String && test.passes == Date && test.got == "string" {
				assert.Empty(t, out.Findings, "%s as %s", test.reason, word)
				continue
			}
			if assert.Len(t, out.Findings, 1, "%s as %s", test.reason, word) {
				assert.Equal(t, test.got, out.Findings[0].Violation.Got, test.reason)
			}
		}
	}
}

func TestTypedRows(t *testing.T) {
	type inner struct{ N int }
	type rows struct {
		inner
		Quoted int       `json:"quoted,string"`
		Gone   int       `json:"gone,omitempty"`
		Hidden string    `json:"-"`
		At     time.Time `json:"at"`
		Any    any
		Marsh  onPointer
	}
	columns := ToolResultColumns{{Name: "N", Type: Number}, {Name: "quoted", Type: Number}, {Name: "gone", Type: Number},
		{Name: "Hidden", Type: String}, {Name: "at", Type: Date}, {Name: "Any", Type: String, Nullable: true}, {Name: "Marsh", Type: Number}}
	for reason, result := range map[string]any{
		"structs": []rows{{}}, "pointers": []*rows{{}}, "an array by pointer": &[1]rows{}, "in a list": []any{&rows{}},
	} {
		out := Check(Warn, Call{Columns: columns, Result: result})
		require.Len(t, out.Findings, 3, reason)
		assert.Equal(t, "string", out.Findings[0].Violation.Got, reason)
		assert.Equal(t, `"0"`, out.Findings[0].Violation.Sample, reason)
		assert.Equal(t, "gone", out.Findings[1].Violation.Column, reason)
		assert.Equal(t, "Hidden", out.Findings[2].Violation.Column, reason)
	}
	_, ok := ReadRowset([]map[any]any{{"k": 1}})
	assert.False(t, ok, "encoding/json refuses such a map")
	reading, ok := ReadRowset([]map[int]string{{1: "a"}})
	require.True(t, ok)
	assert.Equal(t, 1, reading.Len())
	assert.Empty(t, Check(Warn, Call{Columns: ToolResultColumns{{Name: "1", Type: String}}, Result: reading}).Findings)
}

func TestRedactedSamplesHoldNoCell(t *testing.T) {
	const secret = "s3cret"
	columns := ToolResultColumns{{Name: "a", Type: Number}, {Name: "b", Type: Number}, {Name: "c c", Type: Number}}
	out := Check(Enforce, Call{ToolName: "t", Columns: columns, RedactSamples: true,
		Text: `[{"a":"` + secret + `","b":{"` + secret + `":1},"C_C":"` + secret + `"}]`})
	require.Len(t, out.Findings, 3)
	encoded, err := json.Marshal(out)
	require.NoError(t, err)
	assert.NotContains(t, string(encoded), secret)
	assert.NotContains(t, string(encoded), "C_C")
	assert.Contains(t, out.Refusal, "string of 6 characters")
}

type lunRow struct{ N int }

func cyclic() map[string]any {
	cycle := map[string]any{}
	cycle["self"] = cycle
	return cycle
}

func TestNothingAtTheSeamPanicsOrHangs(t *testing.T) {
	nested := any("x")
	for range 200_000 {
		nested = []any{nested}
	}
	for reason, call := range map[string]Call{
		"200,000 nested slices, declared":   {Columns: ToolResultColumns{{Name: "a", Type: Number}}, Result: []any{map[string]any{"a": nested}}},
		"200,000 nested slices, undeclared": {Columns: ToolResultColumns{{Name: "b", Type: Number}}, Result: []any{map[string]any{"a": nested}}},
		"a million opening brackets":        {Columns: lun, Text: strings.Repeat("[", 1_000_000)},
		"a megabyte value":                  {Columns: lun, Text: `[{"logical_unit_number":"` + strings.Repeat("é", 1<<20) + `"}]`},
		"a cycle, undeclared":               {Columns: lun, Result: []any{map[string]any{"logical_unit_number": 1, "host_group": "", "x": cyclic()}}},
		"a cycle as the result":             {Columns: lun, Result: []any{cyclic()}},
		"a cycle behind a pointer":          {Columns: lun, RowsAt: "/self/self/self", Result: cyclic()},
		"a panicking marshaler, undeclared": {Columns: lun, Result: []any{map[string]any{"x": panicking{}}}},
		"a nil pointer in an interface":     {Columns: lun, Result: []any{(*panicking)(nil)}},
		"a nil pointer as the result":       {Columns: lun, Result: (*[]lunRow)(nil)},
		"a megabyte name":                   {Columns: ToolResultColumns{{Name: strings.Repeat("n", 1<<20), Type: Date}}, Text: `[{"a":1}]`},
		"a megabyte key":                    {Columns: lun, Text: `[{"` + strings.Repeat("k", 1<<20) + `":1}]`},
		"a pointer of a million tokens":     {Columns: lun, RowsAt: strings.Repeat("/a", 1_000_000), Text: strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)},
		"a function as the result":          {Columns: lun, Result: func() {}},
		"hostile column names":              {Columns: ToolResultColumns{{Name: "__proto__", Type: Number}, {Name: "%s%n\x00", Type: String}}, Text: `[{"__proto__":{},"%s%n\u0000":"%d"}]`},
		"invalid UTF-8":                     {Columns: lun, Text: "[{\"logical_unit_number\":\"\xff\xfe\"}]"},
	} {
		out := Check(Enforce, call)
		assert.Less(t, len(out.Refusal), 8<<10, reason)
	}
}

func TestMode(t *testing.T) {
	for _, word := range []string{"off", "warn", "enforce"} {
		var mode Mode
		require.NoError(t, mode.UnmarshalText([]byte(word)))
		assert.Equal(t, word, mode.String())
	}
	_, err := ParseMode("assist")
	for _, word := range []string{"off", "warn", "enforce"} {
		assert.ErrorContains(t, err, word)
	}
}

func TestCostsNothing(t *testing.T) {
	rows := []map[string]any{{"logical_unit_number": 3.0, "host_group": "vdi-a"}}
	type mapping struct {
		Lun  int    `json:"logical_unit_number"`
		Host string `json:"host_group"`
	}
	clean := strings.Replace(fieldCase, `""`, "0", 1)
	manyRows := "[" + strings.Repeat(clean[1:len(clean)-1]+",", 1000) + clean[1:]
	for reason, call := range map[string]Call{
		"decoded maps": {Result: rows}, "a decoded list": {Result: []any{map[string]any{"logical_unit_number": json.Number("3"), "host_group": ""}}},
		"text": {Text: clean}, "raw JSON": {Result: json.RawMessage(clean)}, "2,002 rows of text": {Text: manyRows},
	} {
		call.Columns = lun
		require.Empty(t, Check(Warn, call).Detail, reason)
		assert.Zero(t, testing.AllocsPerRun(100, func() { Check(Off, call) }), reason)
		if pooled := call.Text != "" || reason == "raw JSON"; !pooled || !raceEnabled {
			assert.Zero(t, testing.AllocsPerRun(100, func() { Check(Enforce, call) }), reason)
		}
	}
	many, row := make(ToolResultColumns, 40), make(map[string]any, 40)
	for i := range many {
		many[i] = ColumnDeclaration{Name: "c" + strconv.Itoa(i), Type: Number}
		row[many[i].Name] = i
	}
	wide, err := json.Marshal([]any{row, row})
	require.NoError(t, err)
	if !raceEnabled {
		call := Call{Columns: many, Text: string(wide)}
		assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { Check(Enforce, call) }), 3.0, "forty columns: a map of their names")
	}
	typed := Call{Columns: lun, Result: []mapping{{3, "vdi-a"}, {0, ""}}}
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { Check(Enforce, typed) }), 1.0, "typed rows")
	offending := Call{ToolName: "t", Columns: lun, Text: fieldCase}
	if !raceEnabled {
		assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { Check(Warn, offending) }), 12.0, "one offender")
	}
}

func TestLargeObjectsShowTheirFirstKeys(t *testing.T) {
	large := map[string]any{}
	for i := range 100_000 {
		large[strconv.Itoa(i)] = i
	}
	out := Check(Warn, Call{Columns: ToolResultColumns{{Name: "n", Type: Number}}, Result: []map[string]any{{"n": large}}})
	assert.True(t, strings.HasPrefix(out.Findings[0].Violation.Sample, `{"0": …, "1": …, "10": …, "100": …, "1000": …`), out.Findings[0].Violation.Sample)
}
