package columntypes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// metaFixture is what a server of the TypeScript library sends.
const metaFixture = `{"agentfootprint":{"resultKind":"dataset/rows","resultColumns":{"lun":"number","note":{"type":"string","nullable":true}}}}`

var fixtureColumns = ToolResultColumns{{Name: "lun", Type: Number}, {Name: "note", Type: String, Nullable: true}}

func decodedMeta(t testing.TB, text string) (meta map[string]any) {
	require.NoError(t, json.Unmarshal([]byte(text), &meta))
	return meta
}

func TestMetaFixture(t *testing.T) {
	d, err := DecodeMetaJSON("t", []byte(metaFixture))
	require.NoError(t, err)
	assert.Equal(t, Declaration{Columns: fixtureColumns}, d)

	meta := decodedMeta(t, metaFixture)
	again, err := DecodeMeta("t", meta)
	require.NoError(t, err)
	assert.Equal(t, d, again)

	filled, err := EncodeMeta(meta, d)
	require.NoError(t, err)
	bag := filled[MetaKey].(map[string]any)
	assert.Equal(t, "dataset/rows", bag["resultKind"])
	assert.Equal(t, fixtureColumns, bag["resultColumns"], "typed, so that the order survives")
	assert.Equal(t, `{"lun":"number","note":{"type":"string","nullable":true}}`, encoded(t, bag["resultColumns"]))
	assert.Equal(t, `{"agentfootprint":{"resultColumns":{"lun":"number","note":{"type":"string","nullable":true}},"resultKind":"dataset/rows"}}`,
		encoded(t, filled), "a Go map sorts the fields of the bag")
	typed, err := DecodeMeta("t", filled)
	require.NoError(t, err)
	assert.Equal(t, d, typed)

	var raw map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(metaFixture), &raw))
	filled, err = EncodeMeta(map[string]any{MetaKey: raw[MetaKey]}, d)
	require.NoError(t, err)
	assert.Equal(t, metaFixture, encoded(t, filled), "raw JSON keeps every byte")
}

// encodedBags are what a bag becomes when {"b":"number","a":"date"} at /rows is put into it, and when nothing is.
var encodedBags = []struct {
	bag           any
	full, nothing string
	reason        string
}{
	{nil, `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "no bag"},
	{map[string]any(nil), `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "a map that is nil"},
	{map[string]any{}, `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "an empty bag"},
	{map[string]any{"x": 1}, `{"resultColumns":COLUMNS,"resultRowsAt":"/rows","x":1}`, `{"x":1}`, "another field"},
	{map[string]any{"resultColumns": 7, "resultRowsAt": "x", "x": 1}, `{"resultColumns":COLUMNS,"resultRowsAt":"/rows","x":1}`, `{"x":1}`, "malformed fields of before"},
	{map[string]any{"resultRowsAt": "/old"}, `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "a pointer of before"},
	{map[string]string{"x": "y"}, `{"x":"y","resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, `{"x":"y"}`, "a map of another type"},
	{struct{ Z, A int }{1, 2}, `{"Z":1,"A":2,"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, `{"Z":1,"A":2}`, "a struct"},
	{(*struct{})(nil), `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "a nil pointer"},
	{json.RawMessage(` null `), `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "null"},
	{json.RawMessage(`{}`), `{"resultColumns":COLUMNS,"resultRowsAt":"/rows"}`, "", "an empty object"},
	{json.RawMessage(`{ "z" : 1e400 , "resultRowsAt" : "/old" , "\u0061":{"resultColumns":1} , "resultColumns" : {} }`),
		`{"z":1e400,"resultRowsAt":"/rows","\u0061":{"resultColumns":1},"resultColumns":COLUMNS}`, `{"z":1e400,"\u0061":{"resultColumns":1}}`, "each field where it stood, as it was written"},
	{json.RawMessage(`{"resultColumns":1,"x":2,"resultColumns":3}`), `{"resultColumns":COLUMNS,"x":2,"resultRowsAt":"/rows"}`, `{"x":2}`, "a field that is there twice"},
}

func TestEncodeMeta(t *testing.T) {
	d := Declaration{ToolResultColumns{{Name: "b", Type: Number}, {Name: "a", Type: Date}}, "/rows"}
	const columns = `{"b":"number","a":"date"}`
	for _, line := range encodedBags {
		meta := map[string]any{"other": true}
		if line.bag != nil {
			meta[MetaKey] = line.bag
		}
		filled, err := EncodeMeta(meta, d)
		require.NoError(t, err, line.reason)
		assert.Equal(t, `{"agentfootprint":`+strings.ReplaceAll(line.full, "COLUMNS", columns)+`,"other":true}`, encoded(t, filled), line.reason)
		again, err := DecodeMetaJSON("t", []byte(encoded(t, filled)))
		require.NoError(t, err, line.reason)
		assert.Equal(t, d, again, line.reason)

		emptied, err := EncodeMeta(filled, Declaration{RowsAt: "/rows"})
		require.NoError(t, err, line.reason)
		want := `{"other":true}`
		if line.nothing != "" {
			want = `{"agentfootprint":` + line.nothing + `,"other":true}`
		}
		assert.Equal(t, want, encoded(t, emptied), "%s: without columns nothing is declared", line.reason)
	}
}

func TestEncodeMetaModifiesNothing(t *testing.T) {
	bag := map[string]any{"resultKind": "k", "resultColumns": "old", "resultRowsAt": "/old"}
	raw := json.RawMessage(`{"resultKind":"k","resultColumns":"old","resultRowsAt":"/old"}`)
	columns := ToolResultColumns{{Name: "a", Type: Number}}
	for _, d := range []Declaration{{columns, "/new"}, {columns, ""}, {}} {
		meta := map[string]any{MetaKey: bag, "raw": 1}
		filled, err := EncodeMeta(meta, d)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{MetaKey: map[string]any{"resultKind": "k", "resultColumns": "old", "resultRowsAt": "/old"}, "raw": 1}, meta)
		if d.Columns != nil {
			filled[MetaKey].(map[string]any)["resultColumns"].(ToolResultColumns)[0].Name = "changed"
			assert.Equal(t, "a", columns[0].Name, "the columns are a copy")
			_, has := filled[MetaKey].(map[string]any)["resultRowsAt"]
			assert.Equal(t, d.RowsAt != "", has, "left out where it is empty")
		}
		_, err = EncodeMeta(map[string]any{MetaKey: raw}, d)
		require.NoError(t, err)
		assert.Equal(t, `{"resultKind":"k","resultColumns":"old","resultRowsAt":"/old"}`, string(raw))
	}
	filled, err := EncodeMeta(nil, Declaration{Columns: columns})
	require.NoError(t, err)
	assert.Equal(t, `{"agentfootprint":{"resultColumns":{"a":"number"}}}`, encoded(t, filled))
	filled, err = EncodeMeta(nil, Declaration{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{}, filled, "never nil")
}

func TestEncodeMetaRefuses(t *testing.T) {
	good := ToolResultColumns{{Name: "a", Type: Number}}
	for _, line := range []struct {
		bag  any
		d    Declaration
		is   error
		says string
	}{
		{nil, Declaration{Columns: ToolResultColumns{}}, ErrNoColumns, "at least one"},
		{nil, Declaration{Columns: ToolResultColumns{{Name: " ", Type: Number}}}, ErrBlankName, ""},
		{nil, Declaration{Columns: ToolResultColumns{{Name: "a", Type: "int"}}}, ErrUnknownType, `"a"`},
		{nil, Declaration{Columns: append(good, good...)}, ErrDuplicateName, `"a"`},
		{nil, Declaration{Columns: numberedColumns(1001)}, ErrTooLarge, "1000"},
		{nil, Declaration{Columns: ToolResultColumns{{Name: strings.Repeat("x", 257), Type: Number}}}, ErrTooLarge, "256"},
		{nil, Declaration{good, "rows"}, errNotPointer, `resultRowsAt "rows"`},
		{nil, Declaration{good, "/a~2\u202e"}, errNotPointer, `"/a~2\u202e"`},
		{nil, Declaration{good, "/a~"}, errNotPointer, "~0"},
		{nil, Declaration{nil, "rows"}, errNotPointer, "start it with /"},
		{nil, Declaration{good, "/" + strings.Repeat("x", 4096)}, ErrTooLarge, "4096"},
		{"prose", Declaration{Columns: good}, ErrNotColumns, `"agentfootprint"`},
		{"prose", Declaration{}, ErrNotColumns, `"agentfootprint"`},
		{[]any{1}, Declaration{Columns: good}, ErrNotColumns, "make it one"},
		{json.RawMessage(`{"a":`), Declaration{Columns: good}, ErrNotColumns, "make it one"},
		{json.RawMessage(`{} {}`), Declaration{Columns: good}, ErrNotColumns, "make it one"},
		{json.RawMessage(``), Declaration{Columns: good}, ErrNotColumns, "make it one"},
		{func() {}, Declaration{Columns: good}, ErrNotColumns, "make it one"},
		{panickingMarshaler{}, Declaration{Columns: good}, ErrNotColumns, "make it one"},
	} {
		meta := map[string]any{MetaKey: line.bag}
		filled, err := EncodeMeta(meta, line.d)
		require.ErrorIs(t, err, line.is, line.says)
		assert.ErrorContains(t, err, line.says)
		var refused *DeclarationError
		assert.ErrorAs(t, err, &refused)
		assert.Nil(t, filled)
	}
	_, err := EncodeMeta(nil, Declaration{numberedColumns(1000), "/" + strings.Repeat("x", 4095)})
	assert.NoError(t, err, "as large as can be")
}

type panickingMarshaler struct{}

func (panickingMarshaler) MarshalJSON() ([]byte, error) { panic("no") }

func numberedColumns(n int) ToolResultColumns {
	columns := make(ToolResultColumns, n)
	for i := range columns {
		columns[i] = ColumnDeclaration{Name: fmt.Sprint("c", i), Type: Number}
	}
	return columns
}

// foreignBags are the JSON of bags, what is read from them, and what is refused of them; is are in the order of the
// fields.
var foreignBags = []struct {
	bag, columns, rowsAt string
	is                   []error
	reason               string
}{
	{`{"resultColumns":{"b":"number","a":"date"}}`, `{"b":"number","a":"date"}`, "", nil, ""},
	{`{"resultColumns":{"b":{"type":"number"},"a":"date"},"resultRowsAt":"/rows/0/x~1y"}`, `{"b":"number","a":"date"}`, "/rows/0/x~1y", nil, ""},
	{`{"resultColumns":{"b":"number"},"resultRowsAt":""}`, `{"b":"number"}`, "", nil, "the result itself"},
	{`{"resultRowsAt":"/rows"}`, `null`, "/rows", nil, "a place without columns"},
	{`{"resultKind":"k","resultcolumns":7}`, `null`, "", nil, "fields that are not known"},
	{`{}`, `null`, "", nil, ""},
	{`null`, `null`, "", nil, "no bag"},
	{`7`, `null`, "", nil, "no object"},
	{`"resultColumns"`, `null`, "", nil, "no object"},
	{`[{"resultColumns":7}]`, `null`, "", nil, "no object"},

	{`{"resultColumns":null}`, `null`, "", []error{ErrNotColumns}, ""},
	{`{"resultColumns":["a"]}`, `null`, "", []error{ErrNotColumns}, ""},
	{`{"resultColumns":{}}`, `null`, "", []error{ErrNoColumns}, ""},
	{`{"resultColumns":{"a":"integer"},"resultRowsAt":"/rows"}`, `null`, "/rows", []error{ErrUnknownType}, "the place stays"},
	{`{"resultColumns":{"a":{"type":"number","nullable":"yes"}}}`, `null`, "", []error{ErrNullableNotBoolean}, ""},
	{`{"resultColumns":{" ":"number"}}`, `null`, "", []error{ErrBlankName}, ""},
	{`{"resultColumns":{"` + strings.Repeat("x", 257) + `":"number"}}`, `null`, "", []error{ErrTooLarge}, ""},
	{`{"resultColumns":{"a":"number"},"resultRowsAt":"rows"}`, `{"a":"number"}`, "", []error{errNotPointer}, "the columns stay"},
	{`{"resultColumns":{"a":"number"},"resultRowsAt":"/a~2"}`, `{"a":"number"}`, "", []error{errNotPointer}, ""},
	{`{"resultColumns":{"a":"number"},"resultRowsAt":null}`, `{"a":"number"}`, "", []error{errNotPointer}, "no string"},
	{`{"resultColumns":{"a":"number"},"resultRowsAt":["/rows"]}`, `{"a":"number"}`, "", []error{errNotPointer}, "no string"},
	{`{"resultColumns":{"a":"number"},"resultRowsAt":"/` + strings.Repeat("x", 4096) + `"}`, `{"a":"number"}`, "", []error{ErrTooLarge}, ""},
	{`{"resultColumns":7,"resultRowsAt":7}`, `null`, "", []error{ErrNotColumns, errNotPointer}, "both"},
}

func TestForeignBags(t *testing.T) {
	for _, line := range foreignBags {
		d, err := DecodeMetaJSON("a\ntool", []byte(`{"x":[1],"agentfootprint":`+line.bag+`}`))
		assert.Equal(t, line.columns, encoded(t, d.Columns), line.bag)
		assertDecoded := func(d Declaration, err error) {
			assert.Equal(t, line.rowsAt, d.RowsAt, line.bag)
			if line.is == nil {
				require.NoError(t, err, line.bag)
			}
			for _, is := range line.is {
				assert.ErrorIs(t, err, is, line.bag)
				assert.ErrorContains(t, err, `tool "a\ntool"`, line.bag)
				var refused *DeclarationError
				assert.ErrorAs(t, err, &refused)
			}
		}
		assertDecoded(d, err)

		sorted := encoded(t, decodedMeta(t, `{"columns":`+line.columns+`}`)["columns"])
		for form, bag := range map[string]any{"raw": json.RawMessage(line.bag), "decoded": decodedMeta(t, `{"bag":`+line.bag+`}`)["bag"]} {
			d, err := DecodeMeta("a\ntool", map[string]any{"x": 1, MetaKey: bag})
			assertDecoded(d, err)
			if form == "raw" {
				assert.Equal(t, line.columns, encoded(t, d.Columns), line.bag)
			} else {
				assert.Equal(t, sorted, encoded(t, d.Columns), "%s: a Go map has lost the order", line.bag)
			}
		}
	}
}

func TestDecodeMetaJSON(t *testing.T) {
	for _, line := range []struct {
		meta string
		is   error
	}{
		{"", nil}, {" \n", nil}, {"null", nil}, {"7", nil}, {`"prose"`, nil}, {`[{"agentfootprint":7}]`, nil}, {"{}", nil}, {`{"AgentFootprint":{"resultColumns":7}}`, nil},
		{"{", ErrNotColumns}, {"prose", ErrNotColumns}, {metaFixture + "x", ErrNotColumns},
		{strings.Repeat(`{"agentfootprint":`, 20_000) + "1" + strings.Repeat("}", 20_000), ErrNotColumns},
		{`{"agentfootprint":{"resultColumns":{"a":"number","b":"date","a":"number"}}}`, ErrDuplicateName},
		{`{"agentfootprint":{"resultColumns":` + encoded(t, numberedColumns(1001)) + `}}`, ErrTooLarge},
	} {
		d, err := DecodeMetaJSON("t", []byte(line.meta))
		assert.ErrorIs(t, err, line.is, line.meta[:min(len(line.meta), 80)])
		assert.Zero(t, d)
	}
	d, err := DecodeMetaJSON("t", []byte(`{"agentfootprint":7,"agentfootprint":{"resultColumns":7,"resultColumns":{"a":"number"}}}`))
	require.NoError(t, err)
	assert.Equal(t, Declaration{Columns: ToolResultColumns{{Name: "a", Type: Number}}}, d, "of two members the last counts, as in JavaScript")
}

// goBags are bags as Go code may hold them.
var goBags = []struct {
	bag     any
	columns string
	is      error
	reason  string
}{
	{map[string]any{"resultColumns": ToolResultColumns{{Name: "b", Type: Number}, {Name: "a", Type: Date}}}, `{"b":"number","a":"date"}`, nil, "typed columns keep their order"},
	{map[string]any{"resultColumns": &ToolResultColumns{{Name: "b", Type: Number}, {Name: "a", Type: Date}}}, `{"b":"number","a":"date"}`, nil, "a pointer to them"},
	{map[string]ToolResultColumns{"resultColumns": {{Name: "b", Type: Number}, {Name: "a", Type: Date}}}, `{"b":"number","a":"date"}`, nil, "in a map of them"},
	{struct {
		Columns ToolResultColumns `json:"resultColumns"`
		RowsAt  string            `json:"resultRowsAt,omitempty"`
	}{Columns: ToolResultColumns{{Name: "b", Type: Number}, {Name: "a", Type: Date}}}, `{"b":"number","a":"date"}`, nil, "in a struct"},
	{map[string]any{"resultColumns": json.RawMessage(`{"b":"number","a":"date"}`), "resultRowsAt": json.RawMessage(`""`)}, `{"b":"number","a":"date"}`, nil, "raw fields"},
	{map[string]any{"resultColumns": map[string]any{"b": Number, "a": map[string]any{"type": Date, "nullable": true}}}, `{"a":{"type":"date","nullable":true},"b":"number"}`, nil, "typed words"},
	{map[string]any{"resultColumns": map[string]string{"b": "number", "a": "date"}}, `{"a":"date","b":"number"}`, nil, "a map of words"},
	{map[string]any{"resultColumns": ToolResultColumns(nil)}, `null`, nil, "typed columns that declare nothing"},
	{map[string]any{"resultColumns": ToolResultColumns{}}, `null`, ErrNoColumns, ""},
	{map[string]any{"resultColumns": ToolResultColumns{{Name: "a", Type: "int"}}}, `null`, ErrUnknownType, ""},
	{map[string]any{"resultColumns": numberedColumns(1001)}, `null`, ErrTooLarge, ""},
	{map[string]any{"resultColumns": ToolResultColumns{{Name: strings.Repeat("x", 257), Type: Number}}}, `null`, ErrTooLarge, ""},
	{map[string]any{"resultColumns": nil}, `null`, ErrNotColumns, ""},
	{map[string]any{"resultColumns": json.RawMessage(`{"a":`)}, `null`, ErrNotColumns, ""},
	{map[string]any{"resultColumns": []ColumnDeclaration{{Name: "a", Type: Number}}}, `null`, ErrNotColumns, "an array in JSON"},
	{map[string]any{"resultColumns": map[string]any{"a": math.NaN()}}, `null`, ErrNotColumns, "no JSON"},
	{map[string]any{"resultColumns": panickingMarshaler{}}, `null`, ErrNotColumns, "no JSON"},
	{map[string]any{"resultColumns": map[string]any{"a": cyclicMap()}}, `null`, ErrNotColumns, "a cycle"},
	{map[string]any{"resultColumns": ToolResultColumns{{Name: "a", Type: Number}}, "resultRowsAt": panickingMarshaler{}}, `{"a":"number"}`, errNotPointer, "no JSON"},
	{map[string]any{"resultColumns": ToolResultColumns{{Name: "a", Type: Number}}, "other": cyclicMap()}, `{"a":"number"}`, nil, "other fields are not looked at"},
	{map[string]any(nil), `null`, nil, "no bag"},
	{(*ToolResultColumns)(nil), `null`, nil, "no bag"},
	{panickingMarshaler{}, `null`, nil, "no object"},
	{json.RawMessage(`{"resultColumns":`), `null`, nil, "no object"},
	{func() {}, `null`, nil, "no object"},
	{[]byte(`{"resultColumns":7}`), `null`, nil, "a string in JSON"},
}

func cyclicMap() map[string]any {
	cycle := map[string]any{}
	cycle["cycle"], cycle["again"] = cycle, cycle
	return cycle
}

func TestGoBags(t *testing.T) {
	for _, line := range goBags {
		d, err := DecodeMeta("t", map[string]any{MetaKey: line.bag})
		assert.ErrorIs(t, err, line.is, line.reason)
		assert.Equal(t, line.columns, encoded(t, d.Columns), line.reason)
		assert.Empty(t, d.RowsAt)
	}
	d, err := DecodeMeta("t", nil)
	assert.NoError(t, err)
	assert.Zero(t, d)

	columns := ToolResultColumns{{Name: "a", Type: Number}}
	d, err = DecodeMeta("t", map[string]any{MetaKey: map[string]any{"resultColumns": columns}})
	require.NoError(t, err)
	d.Columns[0].Name = "changed"
	assert.Equal(t, "a", columns[0].Name, "the declaration has a copy")
}

// record is a line of a log.
type record map[string]any

func recording(t testing.TB) (*slog.Logger, func() []record) {
	var mu sync.Mutex
	var written bytes.Buffer
	handler := slog.NewJSONHandler(writerFunc(func(line []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return written.Write(line)
	}), nil)
	return slog.New(handler), func() (records []record) {
		mu.Lock()
		defer mu.Unlock()
		for _, line := range bytes.Split(bytes.TrimSpace(written.Bytes()), []byte("\n")) {
			if len(line) > 0 {
				var one record
				require.NoError(t, json.Unmarshal(line, &one))
				delete(one, "time")
				records = append(records, one)
			}
		}
		return records
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(line []byte) (int, error) { return f(line) }

func TestMetaReader(t *testing.T) {
	logger, records := recording(t)
	reader := MetaReader{Logger: logger}
	bad := decodedMeta(t, `{"agentfootprint":{"resultColumns":{"lun":"integer"},"resultRowsAt":"rows","resultKind":7}}`)
	for range 3 {
		assert.Zero(t, reader.Read("san", "mappings", bad))
	}
	const message = "columntypes: dropped a field of _meta.agentfootprint that cannot be honoured"
	assert.Equal(t, []record{
		{"level": "WARN", "msg": message, "server": "san", "tool": "mappings", "field": "resultColumns", "column": "lun",
			"rule": `columntypes: tool "mappings": column "lun": unknown column type: ` + fixes[ErrUnknownType]},
		{"level": "WARN", "msg": message, "server": "san", "tool": "mappings", "field": "resultRowsAt",
			"rule": `columntypes: tool "mappings": resultRowsAt "rows" is ` + errNotPointer.Error()},
	}, records(), "once each")

	half := decodedMeta(t, `{"agentfootprint":{"resultColumns":{"lun":"number"},"resultRowsAt":7}}`)
	assert.Equal(t, Declaration{Columns: ToolResultColumns{{Name: "lun", Type: Number}}}, reader.Read("san", "mappings", half), "the rest stays")
	assert.Len(t, records(), 2, "this server, tool and field have been warned about")
	reader.Read("san", "pools", half)
	reader.Read("nas", "mappings", half)
	assert.Len(t, records(), 4, "another tool, another server")
	reader.Read("sanm", "appings", half)
	assert.Len(t, records(), 5, "names are not run together")

	good := decodedMeta(t, metaFixture)
	assert.Equal(t, fixtureColumns, reader.Read("new", "t", good).Columns)
	for _, silent := range []string{`{}`, `{"agentfootprint":7}`, `{"agentfootprint":{"resultKind":7}}`} {
		assert.Zero(t, reader.Read("new", "t", decodedMeta(t, silent)))
	}
	assert.Zero(t, reader.Read("new", "t", nil))
	assert.Len(t, records(), 5, "silence")
}

func TestMetaReaderDefaultLogger(t *testing.T) {
	logger, records := recording(t)
	before := slog.Default()
	slog.SetDefault(logger)
	defer slog.SetDefault(before)
	var reader MetaReader
	reader.Read("s", "t", map[string]any{MetaKey: map[string]any{"resultColumns": 7}})
	assert.Len(t, records(), 1)
}

// Names are a stranger's: whatever they are, a line of the log stays one short line, and memory stays bounded.
func TestMetaReaderHostileNames(t *testing.T) {
	logger, records := recording(t)
	reader := MetaReader{Logger: logger}
	long := strings.Repeat("a\n\u202e\u200b", 100_000)
	meta := map[string]any{MetaKey: map[string]any{"resultColumns": map[string]any{long: "number"}, "resultRowsAt": long}}
	for range 2 {
		assert.Zero(t, reader.Read(long, long, meta))
		assert.Zero(t, reader.Read(long, long+"x", meta))
	}
	require.Len(t, records(), 4, "long names are told apart")
	for _, one := range records() {
		for key, text := range one {
			assert.NotContains(t, text, "\n", key)
			assert.NotContains(t, text, "\u202e", key)
			assert.NotContains(t, text, "\u200b", key)
			assert.Less(t, len(text.(string)), 1024, key)
		}
	}
	for w := range reader.warned {
		assert.LessOrEqual(t, len(w.server)+len(w.tool)+len(w.field), 256)
	}
	bad := map[string]any{MetaKey: map[string]any{"resultColumns": 7}}
	for i := range mostWarnings {
		reader.Read("s", fmt.Sprint(i), bad)
	}
	assert.Len(t, reader.warned, mostWarnings)
	before := len(records())
	reader.Read("s", "beyond", bad)
	reader.Read("s", "beyond", bad)
	reader.Read("s", "0", bad)
	assert.Len(t, records(), before+2, "beyond the bound each is warned about, none is lost")
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Handle(context.Context, slog.Record) error { panic("the disk is full") }

func TestMetaReaderSurvivesItsLogger(t *testing.T) {
	reader := MetaReader{Logger: slog.New(panickingHandler{slog.Default().Handler()})}
	half := map[string]any{MetaKey: map[string]any{"resultColumns": fixtureColumns, "resultRowsAt": 7}}
	assert.Equal(t, Declaration{Columns: fixtureColumns}, reader.Read("s", "t", half))
}

func TestMetaReaderConcurrently(t *testing.T) {
	logger, records := recording(t)
	reader := MetaReader{Logger: logger}
	bad := map[string]any{MetaKey: map[string]any{"resultColumns": 7}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 50 {
				reader.Read("s", fmt.Sprint(i), bad)
			}
		})
	}
	all.Wait()
	seen := map[any]int{}
	for _, one := range records() {
		seen[one["tool"]]++
	}
	assert.Len(t, seen, 50)
	for tool, times := range maps.All(seen) {
		assert.Equal(t, 1, times, tool)
	}
}

// Two fields that are refused are two errors, each a DeclarationError.
func TestBothFieldsRefused(t *testing.T) {
	_, err := DecodeMeta("t", map[string]any{MetaKey: map[string]any{"resultColumns": map[string]any{"a": 1}, "resultRowsAt": "x"}})
	several, joined := err.(interface{ Unwrap() []error })
	require.True(t, joined)
	require.Len(t, several.Unwrap(), 2)
	for _, one := range several.Unwrap() {
		var refused *DeclarationError
		require.True(t, errors.As(one, &refused))
		assert.Equal(t, "t", refused.Tool)
	}
}
