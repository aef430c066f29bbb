package columntypestest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/columntypes/columntypes"
)

// canary is in cells of every rowset that is played, though never in one that a refusal may quote: where it is found
// behind a refusal, rows have come through.
const canary = "canary-7d3e"

// scenario is a tool, what the check must make of its answer, and why.
type scenario struct {
	reason            string
	tool              Tool
	mismatch, missing columntypes.Disposition
	notJudged         columntypes.Reason // "" is judged
	findings          []string           // the columns found wrong, in the order of the declaration
}

const anyReason columntypes.Reason = "any reason"

// declare writes columns as a tool's author does, so that their order is known.
func declare(columns string) columntypes.ToolResultColumns {
	parsed, err := columntypes.ParseResultColumns("", []byte(columns))
	if err != nil {
		panic(err)
	}
	return parsed
}

const columnsOfMappings = `{"lun":"number","host_group":"string","note":{"type":"string","nullable":true},"seen":"date"}`

// judged are scenarios of rows; each is played in every form.
var judged = []struct {
	name, reason      string
	columns, rows     string
	mismatch, missing columntypes.Disposition
	findings          []string
}{
	{"clean", "rows that hold what they declare go through", columnsOfMappings,
		`[{"lun":0,"host_group":"` + canary + `","note":null,"seen":"2026-07-28","extra":""},{"lun":9007199254740993,"host_group":"","seen":"2026-07-28T10:00:00Z","extra":[]}]`,
		columntypes.CheckedPass, columntypes.CheckedPass, nil},
	{"mismatch", "LUN 0 became an empty string", columnsOfMappings,
		`[{"lun":"","host_group":"` + canary + `","note":"n","seen":"2026-07-28"},{"lun":3,"host_group":"` + canary + `","note":null,"seen":"2026-07-28"}]`,
		columntypes.CheckedFail, columntypes.CheckedPass, []string{"lun"}},
	{"missing", "a declared column is in none of the rows", `{"lun":"number","host_group":"string"}`,
		`[{"logical_unit":3,"host_group":"` + canary + `"}]`,
		columntypes.CheckedPass, columntypes.CheckedFail, []string{"lun"}},
	{"mixed", "one column is wrong and another is missing; the offenders hold different things", `{"size":"number","lun":"number","host_group":"string"}`,
		`[{"size":"12","host_group":"` + canary + `"},{"size":null,"host_group":"` + canary + `"},{"size":true,"host_group":"` + canary + `"}]`,
		columntypes.CheckedFail, columntypes.CheckedFail, []string{"size", "lun"}},
	{"several", "one refusal names several columns", `{"a":"number","b":"boolean","c":"date","d":"string","whole":"string"}`,
		`[{"a":"1","b":"true","c":"soon","d":4,"whole":"` + canary + `"},{"a":"2","b":0,"c":"later","d":5,"whole":"` + canary + `"}]`,
		columntypes.CheckedFail, columntypes.CheckedPass, []string{"a", "b", "c", "d"}},
}

// forms are the ways in which an answer can carry the same JSON.
var forms = []struct {
	name  string
	carry func(rows string) Result
}{
	{"text", func(rows string) Result { return Result{Texts: []string{rows}} }},
	{"structured", func(rows string) Result { return Result{Structured: json.RawMessage(rows)} }},
	{"both", func(rows string) Result { return Result{Texts: []string{rows}, Structured: json.RawMessage(rows)} }},
}

// kept is the _meta of every tool and of every result that is played.
func kept() map[string]any { return map[string]any{"example.com/kept": "as it was"} }

// scenarios are made anew for each play, so that nobody's writing to them is seen by the next.
func scenarios() []scenario {
	var all []scenario
	for _, form := range forms {
		for _, rows := range judged {
			declaration := columntypes.Declaration{Columns: declare(rows.columns)}
			all = append(all, scenario{
				rows.reason, Tool{Name: rows.name + "_" + form.name, Declaration: declaration, Result: form.carry(rows.rows)},
				rows.mismatch, rows.missing, "", rows.findings,
			})
			declaration.RowsAt = "/report/the~1rows"
			wrapped := `{"report":{"the/rows":` + rows.rows + `},"page":1}`
			all = append(all, scenario{
				rows.reason + ", at a pointer", Tool{Name: rows.name + "_wrapped_" + form.name, Declaration: declaration, Result: form.carry(wrapped)},
				rows.mismatch, rows.missing, "", rows.findings,
			})
		}
		all = append(all, leftAlone(form.name, form.carry)...)
	}
	all = append(all, proseAndTexts()...)
	all = append(all, strangers()...)
	all = append(all, hostileNames()...)
	for i := range all {
		tool := &all[i].tool
		tool.Result.Meta = kept()
		if tool.Meta == nil {
			tool.Meta = kept()
		}
	}
	return all
}

const badRows = `[{"lun":"","host_group":"` + canary + `"}]`

func outOfScope(reason string, why columntypes.Reason, tool Tool) scenario {
	return scenario{reason: reason, tool: tool, notJudged: why, mismatch: columntypes.NotApplicable, missing: columntypes.NotApplicable}
}

// leftAlone are answers that are not judged, in one form.
func leftAlone(form string, carry func(string) Result) []scenario {
	declared := columntypes.Declaration{Columns: declare(`{"lun":"number","host_group":"string"}`)}
	named := func(name, json string) Tool {
		return Tool{Name: name + "_" + form, Declaration: declared, Result: carry(json)}
	}
	undeclared := Tool{Name: "undeclared_" + form, Result: carry(badRows)}
	failed := named("error", badRows)
	failed.Result.IsError = true
	nowhere := named("nowhere", badRows)
	nowhere.Declaration.RowsAt = "/rows"
	return []scenario{
		outOfScope("nothing is declared, whatever the rows hold", columntypes.ReasonUndeclared, undeclared),
		outOfScope("a tool's own error is no answer to judge", anyReason, failed),
		outOfScope("zero rows", columntypes.ReasonEmpty, named("empty", `[]`)),
		outOfScope("a wrapper without a declared pointer", columntypes.ReasonNotRowset, named("wrapper", `{"rows":`+badRows+`}`)),
		outOfScope("a pointer that leads nowhere", columntypes.ReasonNoRowsAt, nowhere),
		outOfScope("an array with something in it that is no object", columntypes.ReasonNotRowset, named("hole", `[{"lun":""},null]`)),
		outOfScope("one object", columntypes.ReasonNotRowset, named("object", `{"lun":""}`)),
	}
}

// proseAndTexts are answers that exist as text alone.
func proseAndTexts() []scenario {
	declared := columntypes.Declaration{Columns: declare(`{"lun":"number"}`)}
	tool := func(name string, texts ...string) Tool {
		return Tool{Name: name, Declaration: declared, Result: Result{Texts: texts}}
	}
	return []scenario{
		outOfScope("prose", columntypes.ReasonNotJSON, tool("prose", "LUN 0 is mapped to "+canary)),
		outOfScope("JSON that was cut off", columntypes.ReasonNotJSON, tool("cut_off", badRows[:len(badRows)-2])),
		outOfScope("several texts: none of them is the answer", anyReason, tool("several_texts", badRows, badRows)),
		outOfScope("rows in halves: what they would be together is nobody's answer", anyReason, tool("halves", badRows[:9], badRows[9:])),
		outOfScope("nothing at all", anyReason, tool("silent")),
	}
}

// strangers are tools whose _meta holds a bag that cannot be honoured.
func strangers() []scenario {
	var all []scenario
	for _, stranger := range []struct{ name, bag string }{
		{"no_object", `"number"`},
		{"unknown_word", `{"resultColumns":{"lun":"integer"}}`},
		{"no_columns", `{"resultColumns":{}}`},
		{"a_list", `{"resultColumns":["lun"]}`},
		{"blank_name", `{"resultColumns":{" ":"number"}}`},
		{"nullable_word", `{"resultColumns":{"lun":{"type":"number","nullable":"yes"}}}`},
		{"long_name", `{"resultColumns":{"` + strings.Repeat("n", 257) + `":"number"}}`},
		{"nothing", `{"resultColumns":null}`},
	} {
		meta := kept()
		meta[columntypes.MetaKey] = json.RawMessage(stranger.bag)
		all = append(all, outOfScope("a stranger's declaration that cannot be honoured is dropped, the tool stays", columntypes.ReasonUndeclared,
			Tool{Name: "stranger_" + stranger.name, Meta: meta, Result: Result{Texts: []string{badRows}}}))
	}
	return all
}

// awkward are column names that have hurt someone: they reach a model and a log.
var awkward = []string{
	"\x1b[31mred", "two\nlines", `quo"te'd`, "\u202egnp.exe", "a/b~c", "__proto__", "constructor", "$ref", "\u200bzero", "<script>", strings.Repeat("n", 256),
}

// hostileNames have awkward columns, and tools that are named as a protocol still allows.
func hostileNames() []scenario {
	var all []scenario
	for _, toolName := range []string{"__proto__", "toString", "tools.call", "-", strings.Repeat("t", 100)} {
		columns := columntypes.ToolResultColumns{}
		row := map[string]any{"whole": canary}
		for _, name := range awkward {
			columns = append(columns, columntypes.ColumnDeclaration{Name: name, Type: columntypes.Number})
			row[name] = "\x1b]0;no number\u2028"
		}
		rows, err := json.Marshal([]any{row})
		if err != nil {
			panic(err)
		}
		all = append(all, scenario{
			"names from outside are inert", Tool{Name: toolName, Declaration: columntypes.Declaration{Columns: columns}, Result: Result{Texts: []string{string(rows)}}},
			columntypes.CheckedFail, columntypes.CheckedPass, "", awkward,
		})
	}
	return all
}

func catalogueOf(all []scenario) Catalogue {
	catalogue := Catalogue{PageSize: 7}
	for _, s := range all {
		catalogue.Tools = append(catalogue.Tools, s.tool)
	}
	return catalogue
}

func (s *scenario) String() string { return fmt.Sprintf("%s (%s)", s.tool.Name, s.reason) }
