package columntypes

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publishedSchemas are what generators have made of a tool's output, in testdata/schemas.
var publishedSchemas = []struct{ file, rowsAt, columns, reason string }{
	{"go-sdk.json", "/rows", `{"lun":"number","host_group":"string","size_gib":{"type":"number","nullable":true},"online":"boolean",` +
		`"note":{"type":"string","nullable":true},"created":"string","deleted":{"type":"string","nullable":true},"serial":{"type":"string","nullable":true}}`,
		"google/jsonschema-go gives a time.Time no format, and a nil slice makes an array nullable"},
	{"go-sdk-pointers.json", "/rows", `{"lun":"number","host_group":"string","size_gib":{"type":"number","nullable":true},"online":"boolean",` +
		`"note":{"type":"string","nullable":true},"created":"string","deleted":{"type":"string","nullable":true},"serial":{"type":"string","nullable":true}}`,
		"items that are pointers may be null"},
	{"mcp-go.json", "/rows", `{"created":"string","deleted":{"type":"string","nullable":true},"host_group":"string","lun":"number",` +
		`"note":{"type":"string","nullable":true},"online":"boolean","serial":{"type":"string","nullable":true},"size_gib":{"type":"number","nullable":true}}`,
		"mcp-go sorts the properties, so the author's order is lost before it gets here"},
	{"mcp-go-invopop.json", "/rows", `{"lun":"number","host_group":"string","size_gib":{"type":"number","nullable":true},"online":"boolean",` +
		`"note":{"type":"string","nullable":true},"created":"date","blob":"string","state":"string"}`,
		"invopop/jsonschema without references, which mcp-go used before; oneOf with null"},
	{"invopop.json", "/rows", `{"lun":"number","host_group":"string","size_gib":{"type":"number","nullable":true},"online":"boolean",` +
		`"note":{"type":"string","nullable":true},"created":"date","blob":"string","state":"string"}`,
		"the root itself is a reference"},
	{"fastmcp.json", "/result", `{"lun":"number","used_gib":"number","host_group":"string","online":"boolean","created":"date",` +
		`"expires":{"type":"date","nullable":true},"seen":"date","at":"string","age":"string","state":"string",` +
		`"last_state":{"type":"string","nullable":true},"first_state":{"type":"string","nullable":true},"kind":"string","key":"string","price":"string",` +
		`"comment":{"type":"string","nullable":true}}`,
		"FastMCP wraps a list in result; pydantic in serialization mode writes a Decimal as a string"},
	{"mcp-python-sdk.json", "/result", `{"lun":"number","used_gib":"number","host_group":"string","online":"boolean","created":"date",` +
		`"expires":{"type":"date","nullable":true},"seen":"date","at":"string","age":"string","state":"string",` +
		`"last_state":{"type":"string","nullable":true},"first_state":{"type":"string","nullable":true},"kind":"string","key":"string",` +
		`"comment":{"type":"string","nullable":true}}`,
		"pydantic in validation mode takes a number or a string for a Decimal, so it is left out"},
	{"pydantic-page.json", "/rows", `{"lun":"number","used_gib":"number","host_group":"string","online":"boolean","created":"date",` +
		`"expires":{"type":"date","nullable":true},"seen":"date","at":"string","age":"string","state":"string",` +
		`"last_state":{"type":"string","nullable":true},"first_state":{"type":"string","nullable":true},"kind":"string","key":"string",` +
		`"comment":{"type":"string","nullable":true}}`,
		"an optional list is an anyOf with null"},
	{"zod4.json", "/rows", `{"lun":"number","used_gib":{"type":"number","nullable":true},"host_group":"string","online":"boolean","created":"date",` +
		`"day":{"type":"date","nullable":true},"state":"string","kind":"string","note":{"type":"string","nullable":true},` +
		`"tier":{"type":"string","nullable":true},"nullish":{"type":"string","nullable":true},"dflt":"number"}`,
		"zod 4's own z.toJSONSchema"},
	{"zod-to-json-schema.json", "/rows", `{"lun":"number","used_gib":{"type":"number","nullable":true},"host_group":"string","online":"boolean","created":"date",` +
		`"day":{"type":"date","nullable":true},"state":"string","kind":"string","note":{"type":"string","nullable":true},` +
		`"tier":{"type":"string","nullable":true},"nullish":{"type":"string","nullable":true},"dflt":{"type":"number","nullable":true},"seen":"date","at":"date"}`,
		"zod 3: a shared schema is a reference to the property that had it first"},
	{"zod-to-json-schema-named.json", "/rows", `{"lun":"number","used_gib":{"type":"number","nullable":true},"host_group":"string","online":"boolean","created":"date",` +
		`"day":{"type":"date","nullable":true},"state":"string","kind":"string","note":{"type":"string","nullable":true},` +
		`"tier":{"type":"string","nullable":true},"nullish":{"type":"string","nullable":true},"dflt":{"type":"number","nullable":true}}`,
		"zod 3 with a name: definitions"},
}

func TestPublishedSchemas(t *testing.T) {
	for _, line := range publishedSchemas {
		schema, err := os.ReadFile("testdata/schemas/" + line.file)
		require.NoError(t, err)
		d, err := DeclarationFromOutputSchema("t", schema)
		require.NoError(t, err, line.file)
		assert.Equal(t, line.rowsAt, d.RowsAt, line.file)
		assert.Equal(t, line.columns, encoded(t, d.Columns), "%s: %s", line.file, line.reason)
	}
}

func encoded(t testing.TB, value any) string {
	written, err := json.Marshal(value)
	require.NoError(t, err)
	return string(written)
}

// columnSchemas are schemas of one column c, with what a row's column is declared as where c is required; "" is for
// undeclared. Where it is not required it is nullable as well.
var columnSchemas = []struct{ schema, column, reason string }{
	{`{"type":"integer"}`, `"number"`, "an integer is a number"},
	{`{"type":"number"}`, `"number"`, ""},
	{`{"type":"string"}`, `"string"`, ""},
	{`{"type":"boolean"}`, `"boolean"`, ""},
	{`{"type":"string","format":"date-time"}`, `"date"`, ""},
	{`{"type":"string","format":"date"}`, `"date"`, ""},
	{`{"type":"string","format":"time"}`, `"string"`, "a time of day is no date"},
	{`{"type":"string","format":"uuid"}`, `"string"`, ""},
	{`{"type":"string","contentEncoding":"base64"}`, `"string"`, ""},
	{`{"type":"number","maximum":1e400}`, `"number"`, "a bound beyond float64"},
	{`{"type":"integer","format":"date-time"}`, `"number"`, "a format of strings says nothing of numbers"},
	{`{"type":"string","enum":["a","b"]}`, `"string"`, ""},
	{`{"type":"integer","const":7}`, `"number"`, ""},
	{`{"type":["null","integer"]}`, `{"type":"number","nullable":true}`, ""},
	{`{"type":["string","null"]}`, `{"type":"string","nullable":true}`, ""},
	{`{"type":["boolean","null"]}`, `{"type":"boolean","nullable":true}`, ""},
	{`{"type":["string","null"],"format":"date"}`, `{"type":"date","nullable":true}`, ""},
	{`{"type":["string"]}`, `"string"`, "a list of one"},
	{`{"type":["integer","number"]}`, `"number"`, "both are numbers"},
	{`{"type":["integer","number","null"]}`, `{"type":"number","nullable":true}`, ""},
	{`{"type":["string","null"],"enum":["a",null]}`, `{"type":"string","nullable":true}`, ""},
	{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"type":"string","nullable":true}`, ""},
	{`{"oneOf":[{"type":"null"},{"type":"number"}]}`, `{"type":"number","nullable":true}`, ""},
	{`{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}`, `{"type":"date","nullable":true}`, ""},
	{`{"anyOf":[{"type":"boolean"}]}`, `"boolean"`, "a union of one"},
	{`{"anyOf":[{"type":"integer"},{"type":"number"}]}`, `"number"`, "both are numbers"},
	{`{"anyOf":[{"type":"string","format":"date"},{"type":"string","format":"date-time"}]}`, `"date"`, "both are dates"},
	{`{"anyOf":[{"type":"string","format":"date"},{"type":"string"}]}`, `"string"`, "not all of these strings are dates"},
	{`{"anyOf":[{"type":"string"},{"const":null}]}`, `{"type":"string","nullable":true}`, "null, spelled as a value"},
	{`{"anyOf":[{"type":"string"},{"enum":[null]}]}`, `{"type":"string","nullable":true}`, "null, spelled as a value"},
	{`{"anyOf":[{"anyOf":[{"type":"string"},{"type":"null"}]},{"type":"string"}]}`, `{"type":"string","nullable":true}`, "unions within unions"},
	{`{"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}`, `"string"`, "the branches only narrow the type"},
	{`{"type":"string","nullable":true}`, `{"type":"string","nullable":true}`, "OpenAPI 3.0"},
	{`{"type":"string","nullable":false}`, `"string"`, ""},
	{`{"type":"string","nullable":"true"}`, `"string"`, "not what OpenAPI says"},
	{`{"allOf":[{"$ref":"#/$defs/when"}],"nullable":true}`, `{"type":"date","nullable":true}`, "OpenAPI 3.0"},
	{`{"$ref":"#/$defs/when"}`, `"date"`, ""},
	{`{"$ref":"#/$defs/when","description":"d","default":null}`, `"date"`, "siblings that say nothing"},
	{`{"$ref":"#/definitions/count"}`, `"number"`, ""},
	{`{"$ref":"#/$defs/chain"}`, `"date"`, "a reference to a reference"},
	{`{"$ref":"#/$defs/maybe"}`, `{"type":"number","nullable":true}`, ""},
	{`{"anyOf":[{"$ref":"#/$defs/when"},{"type":"null"}]}`, `{"type":"date","nullable":true}`, ""},
	{`{"allOf":[{"$ref":"#/$defs/when"}],"default":"2024-01-01"}`, `"date"`, "pydantic before 2.10"},
	{`{"allOf":[{"type":"string"},{"format":"date"}]}`, `"date"`, "all of them hold"},
	{`{"$ref":"#/$defs/a~1b"}`, `"number"`, "an escaped slash"},
	{`{"$ref":"#/$defs/a%20%25~0"}`, `"string"`, "percent-encoded, then escaped"},
	{`{"$ref":"#/$defs/union/anyOf/1"}`, `"boolean"`, "into a list"},
	{`{"type":"string","$ref":"#/$defs/itself"}`, `"string"`, "a cycle says nothing"},
	{`{"$ref":"#/$defs/narrow"}`, `"string"`, "a cycle through a union says nothing either"},

	{`{}`, "", "no type"},
	{`true`, "", "no type"},
	{`false`, "", "nothing is admitted"},
	{`"string"`, "", "no schema"},
	{`{"description":"d"}`, "", "no type"},
	{`{"enum":["a","b"]}`, "", "no type"},
	{`{"const":1}`, "", "no type"},
	{`{"format":"date"}`, "", "no type"},
	{`{"type":"object"}`, "", ""},
	{`{"type":"array","items":{"type":"string"}}`, "", ""},
	{`{"type":"null"}`, "", "no word"},
	{`{"type":"any"}`, "", "no type of JSON Schema"},
	{`{"type":["string","any"]}`, "", "no type of JSON Schema"},
	{`{"type":[]}`, "", ""},
	{`{"type":7}`, "", ""},
	{`{"type":["string","number"]}`, "", "a union"},
	{`{"type":["string","number","null"]}`, "", "a union"},
	{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, "", "a union"},
	{`{"anyOf":[{"type":"string"},{}]}`, "", "a union with anything"},
	{`{"anyOf":[{"type":"string"},true]}`, "", "a union with anything"},
	{`{"allOf":[{"type":"string"},{"type":"number"}]}`, "", "a contradiction"},
	{`{"$ref":"#/$defs/itself"}`, "", "a cycle"},
	{`{"$ref":"#/$defs/ping"}`, "", "a cycle of two"},
	{`{"$ref":"#/$defs/twice"}`, "", "a cycle through a union"},
	{`{"$ref":"#/$defs/nowhere"}`, "", "leads nowhere"},
	{`{"$ref":"#/$defs/union/anyOf/2"}`, "", "leads nowhere"},
	{`{"$ref":"#/$defs/union/anyOf/-1"}`, "", "leads nowhere"},
	{`{"$ref":"#/$defs/when/type/x"}`, "", "leads into a string"},
	{`{"$ref":"#/$defs/%zz"}`, "", "no percent-encoding"},
	{`{"$ref":"#/$defs/~2"}`, "", "no JSON Pointer"},
	{`{"$ref":"#anchor"}`, "", "anchors are not read"},
	{`{"$ref":"https://example.com/s#/$defs/when"}`, "", "another document"},
	{`{"$ref":7}`, "", ""},
}

const columnDefinitions = `"$defs":{"when":{"type":"string","format":"date-time"},"chain":{"$ref":"#/$defs/link"},"link":{"$ref":"#/$defs/when"},` +
	`"maybe":{"type":["number","null"]},"a/b":{"type":"integer"},"a %~":{"type":"string"},"union":{"anyOf":[{"type":"string"},{"type":"boolean"}]},` +
	`"itself":{"$ref":"#/$defs/itself"},"ping":{"$ref":"#/$defs/pong"},"pong":{"$ref":"#/$defs/ping"},` +
	`"narrow":{"type":"string","anyOf":[{"$ref":"#/$defs/narrow"},{"$ref":"#/$defs/narrow"}]},` +
	`"twice":{"anyOf":[{"$ref":"#/$defs/twice"},{"$ref":"#/$defs/twice"}]}},"definitions":{"count":{"type":"integer"}}`

func columnSchema(column, required string) string {
	return `{"type":"array","items":{"type":"object","properties":{"before":{"type":"boolean"},"c":` + column + `},"required":` + required + `},` + columnDefinitions + `}`
}

func TestColumnSchemas(t *testing.T) {
	for _, line := range columnSchemas {
		d, err := DeclarationFromOutputSchema("t", []byte(columnSchema(line.schema, `["before","c"]`)))
		require.NoError(t, err, line.schema)
		assert.Empty(t, d.RowsAt)
		want := `{"before":"boolean"}`
		if line.column != "" {
			want = `{"before":"boolean","c":` + line.column + `}`
		}
		assert.Equal(t, want, encoded(t, d.Columns), "%s: %s", line.schema, line.reason)

		optional, err := DeclarationFromOutputSchema("t", []byte(columnSchema(line.schema, `["before"]`)))
		require.NoError(t, err, line.schema)
		for i := range d.Columns {
			d.Columns[i].Nullable = d.Columns[i].Nullable || d.Columns[i].Name == "c"
		}
		assert.Equal(t, d.Columns, optional.Columns, "%s: absent where it is not required", line.schema)
	}
}

// rowsSchemas are where the rows are found; all have one column a, a number.
var rowsSchemas = []struct{ schema, rowsAt, reason string }{
	{`{"type":"array","items":ROW}`, "", "the root"},
	{`{"items":ROW}`, "", "the root, which does not say that it is an array"},
	{`{"type":["array","null"],"items":ROW}`, "", "the root, or null"},
	{`{"type":"array","items":{"properties":{"a":{"type":"number"}},"required":["a"]}}`, "", "rows that do not say that they are objects"},
	{`{"type":"array","items":{"anyOf":[ROW,{"type":"null"}]}}`, "", "rows that may be null"},
	{`{"type":"array","items":{"allOf":[{"type":"object","required":["a"]},{"properties":{"a":{"type":"number"}}}]}}`, "", "rows in two parts"},
	{`{"type":"array","items":{"allOf":[{"properties":{"a":{"type":["number","string"]}}},ROW]}}`, "", "both parts hold for the column"},
	{`{"$ref":"#/$defs/rows","$defs":{"rows":{"type":"array","items":{"$ref":"#/$defs/row"}},"row":ROW}}`, "", "references all the way"},
	{`{"type":"object","properties":{"total":{"type":"integer"},"rows":{"type":"array","items":ROW}}}`, "/rows", "the only property"},
	{`{"properties":{"rows":{"type":"array","items":ROW},"names":{"type":"array","items":{"type":"string"}},"tuple":{"type":"array","items":[ROW]}}}`, "/rows",
		"arrays of strings and tuples are not looked at"},
	{`{"properties":{"rows":{"type":"array","items":ROW},"page":{"type":"object","properties":{"more":{"type":"array","items":ROW}}}}}`, "/rows", "deeper ones are not looked for"},
	{`{"properties":{"rows":{"anyOf":[{"type":"array","items":ROW},{"type":"null"}]}}}`, "/rows", "an array or null"},
	{`{"properties":{"rows":{"oneOf":[{"type":"null"},{"$ref":"#/$defs/rows"}]}},"$defs":{"rows":{"type":"array","items":ROW}}}`, "/rows", "a reference or null"},
	{`{"properties":{"a/b~c d":{"type":"array","items":ROW}}}`, "/a~1b~0c d", "the pointer is escaped"},
	{`{"properties":{"":{"type":"array","items":ROW}}}`, "/", "an empty key is a key"},
	{`{"allOf":[{"properties":{"total":{"type":"integer"}}},{"properties":{"rows":{"type":"array","items":ROW}}}]}`, "/rows", "a root in two parts"},
	{`{"$ref":"#","items":ROW}`, "", "a cycle at the root"},
}

const rowSchema = `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`

func TestWhereTheRowsAre(t *testing.T) {
	for _, line := range rowsSchemas {
		d, err := DeclarationFromOutputSchema("t", []byte(strings.ReplaceAll(line.schema, "ROW", rowSchema)))
		require.NoError(t, err, line.reason)
		assert.Equal(t, Declaration{ToolResultColumns{{Name: "a", Type: Number}}, line.rowsAt}, d, line.reason)
	}
}

// refusedSchemas are those that nothing can be read from.
var refusedSchemas = []struct {
	schema string
	is     error
	says   string
}{
	{``, ErrNotColumns, "is no JSON:"},
	{`{"type":`, ErrNotColumns, "is no JSON:"},
	{`{"type":"array"} {}`, ErrNotColumns, "is no JSON:"},
	{strings.Repeat(`{"items":`, 20_000) + `1` + strings.Repeat(`}`, 20_000), ErrNotColumns, "is no JSON:"},
	{`true`, ErrNotColumns, "no JSON object"},
	{`null`, ErrNotColumns, "no JSON object"},
	{`[]`, ErrNotColumns, "no JSON object"},
	{`{}`, ErrNoColumns, "no array of objects"},
	{`{"type":"string"}`, ErrNoColumns, "no array of objects"},
	{`{"type":"object","properties":{"a":{"type":"number"}}}`, ErrNoColumns, "no array of objects"},
	{`{"type":"array","items":{"type":"string"}}`, ErrNoColumns, "no array of objects"},
	{`{"type":"array","items":true}`, ErrNoColumns, "no array of objects"},
	{`{"type":"array","items":{}}`, ErrNoColumns, "no array of objects"},
	{`{"type":"object","items":ROW}`, ErrNoColumns, "no array of objects"},
	{`{"properties":{"rows":{"anyOf":[{"type":"array","items":ROW},{"type":"string"}]}}}`, ErrNoColumns, "no array of objects"},
	{`{"properties":{"page":{"properties":{"rows":{"type":"array","items":ROW}}}}}`, ErrNoColumns, "no array of objects"},
	{`{"properties":{"r\u202e'1":{"items":ROW},"r2":{"items":ROW}}}`, ErrNoColumns, `2 properties are arrays of objects ("r\u202e'1", "r2")`},
	{`{"properties":{"1":{"items":ROW},"2":{"items":ROW},"3":{"items":ROW},"4":{"items":ROW},"5":{"items":ROW},"6":{"items":ROW}}}`, ErrNoColumns,
		`6 properties are arrays of objects ("1", "2", "3", "4", "5", …)`},
	{`{"type":"array","items":{"type":"object"}}`, ErrNoColumns, "none of the 0 properties"},
	{`{"type":"array","items":{"type":["object","null"]}}`, ErrNoColumns, "none of the 0 properties"},
	{`{"type":"array","items":{"type":["object","string"]}}`, ErrNoColumns, "no array of objects"},
	{`{"type":"array","items":{"type":"object","additionalProperties":{"type":"number"}}}`, ErrNoColumns, "none of the 0 properties"},
	{`{"type":"array","items":{"type":"object","properties":{"a":{}}}}`, ErrNoColumns, "none of the 1 property"},
	{`{"type":"array","items":{"type":"object","properties":{" ":{"type":"number"}}}}`, ErrNoColumns, "none of the 1 property"},
	{`{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"},"a":{"type":"string"}}}}`, ErrDuplicateName, `column "a"`},
	{`{"type":"array","items":{"type":"object","properties":{"` + strings.Repeat("x", 257) + `":{"type":"number"}}}}`, ErrTooLarge, `column "xxx`},
	{`{"properties":{"` + strings.Repeat("x", 257) + `":{"items":ROW}}}`, ErrTooLarge, `column "xxx`},
	{manyProperties(1001), ErrTooLarge, "at most 1000 columns"},
	{unionTower(), ErrTooLarge, "over 100000 steps"},
	{`{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"anyOf":[` + strings.Repeat(`{"type":"null"},`, 150_000) + `{"type":"object"}]}}}`, ErrTooLarge, "over 100000 steps"},
	{`{"type":"array","items":{"allOf":[` + strings.Repeat(`true,`, 150_000) + `{"type":"object"}]}}`, ErrTooLarge, "over 100000 steps"},
	{strings.ReplaceAll(manyProperties(1000), `{"type":"number"}`, `{"$ref":"#`+strings.Repeat("/x", 200)+`"}`), ErrTooLarge, "over 100000 steps"},
	{`{"type":["array"` + strings.Repeat(`,"null"`, 150_000) + `]}`, ErrTooLarge, "over 100000 steps"},
}

func manyProperties(n int) string {
	var properties []string
	for i := range n {
		properties = append(properties, fmt.Sprintf(`"c%d":{"type":"number"}`, i))
	}
	return `{"type":"array","items":{"type":"object","properties":{` + strings.Join(properties, ",") + `}}}`
}

// unionTower doubles with every floor: each is a union of the next one with itself.
func unionTower() string {
	var floors []string
	for i := range 40 {
		next := fmt.Sprintf(`{"$ref":"#/$defs/f%d"}`, i+1)
		floors = append(floors, fmt.Sprintf(`"f%d":{"anyOf":[%s,%s]}`, i, next, next))
	}
	return `{"type":"array","items":{"type":"object","properties":{"a":{"$ref":"#/$defs/f24"},"b":{"$ref":"#/$defs/f0"},"c":{"$ref":"#/$defs/f25"}}},` +
		`"$defs":{` + strings.Join(floors, ",") + `,"f40":{"type":"number"}}}`
}

func TestRefusedSchemas(t *testing.T) {
	for _, line := range refusedSchemas {
		d, err := DeclarationFromOutputSchema("a\ntool", []byte(strings.ReplaceAll(line.schema, "ROW", rowSchema)))
		about := line.schema[:min(len(line.schema), 200)]
		require.ErrorIs(t, err, line.is, about)
		var refused *DeclarationError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, "a\ntool", refused.Tool)
		assert.ErrorContains(t, err, line.says, about)
		assert.ErrorContains(t, err, `tool "a\ntool"`, about)
		assert.Less(t, len(err.Error()), 2048, about)
		assert.Zero(t, d, about)
	}
}

func TestLargestSchema(t *testing.T) {
	d, err := DeclarationFromOutputSchema("t", []byte(manyProperties(1000)))
	require.NoError(t, err)
	assert.Len(t, d.Columns, 1000)
	assert.Equal(t, ColumnDeclaration{"c999", Number, true}, d.Columns[999])
}

// A chain of references is followed as far as 64 schemas hold at once; beyond, the column is undeclared.
func TestLongReferences(t *testing.T) {
	chain := func(length int) string {
		var links []string
		for i := range length {
			links = append(links, fmt.Sprintf(`"l%d":{"$ref":"#/$defs/l%d"}`, i, i+1))
		}
		return `{"type":"array","items":{"type":"object","properties":{"before":{"type":"boolean"},"c":{"$ref":"#/$defs/l0"}}},` +
			`"$defs":{` + strings.Join(append(links, fmt.Sprintf(`"l%d":{"type":"number"}`, length)), ",") + `}}`
	}
	for length, columns := range map[int]int{62: 2, 63: 1, 5000: 1} {
		d, err := DeclarationFromOutputSchema("t", []byte(chain(length)))
		require.NoError(t, err)
		assert.Len(t, d.Columns, columns, length)
	}
	long := strings.Repeat("x", longestPointer)
	d, err := DeclarationFromOutputSchema("t", []byte(`{"items":{"properties":{"a":{"type":"number"},"b":{"$ref":"#/`+long+`"}}},"`+long+`":{"type":"number"}}`))
	require.NoError(t, err)
	assert.Len(t, d.Columns, 1, "a reference of over 4,096 bytes is not followed")
}

// What a schema declares holds the rows that satisfy it, and finds those that do not.
func TestSchemaArmsTheCheck(t *testing.T) {
	schema, err := os.ReadFile("testdata/schemas/fastmcp.json")
	require.NoError(t, err)
	d, err := DeclarationFromOutputSchema("list_mappings", schema)
	require.NoError(t, err)
	const good = `{"result":[{"lun":0,"used_gib":1.5,"host_group":"","online":false,"created":"2024-05-01T10:00:00Z","expires":null,"seen":"2024-05-01","at":"10:00:00",` +
		`"age":"P1D","state":"up","kind":"lun","key":"k","price":"1.10","comment":null,"mixed":"m","owner":{"name":"o"},"tags":[],"extra":1,"last_state":null,"first_state":"up"}]}`
	outcome := Check(Warn, Call{ToolName: "list_mappings", Columns: d.Columns, RowsAt: d.RowsAt, Text: good})
	assert.Empty(t, outcome.Findings)
	assert.Empty(t, outcome.NotJudged)
	outcome = Check(Warn, Call{ToolName: "list_mappings", Columns: d.Columns, RowsAt: d.RowsAt, Text: strings.Replace(good, `"lun":0`, `"lun":""`, 1)})
	require.Len(t, outcome.Findings, 1)
	assert.Equal(t, "lun", outcome.Findings[0].Violation.Column)
}
