package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oracleColumns have names that need escapes, that no escape can reach, and that a replaced byte can reach.
var oracleColumns = columntypes.ToolResultColumns{
	{Name: "lun", Type: columntypes.Number},
	{Name: "host", Type: columntypes.String, Nullable: true},
	{Name: "at", Type: columntypes.Date, Nullable: true},
	{Name: "on", Type: columntypes.Boolean},
	{Name: "größe\u2028", Type: columntypes.Number, Nullable: true},
	{Name: "k\ufffd", Type: columntypes.String},
	{Name: `back\nslash`, Type: columntypes.Number, Nullable: true},
	{Name: "new\nline", Type: columntypes.Number, Nullable: true},
	{Name: "\xff", Type: columntypes.String, Nullable: true},
}

// judged is what both judges can say of a text.
type judged struct {
	reason     columntypes.Reason
	violations []columntypes.ColumnViolation
}

func judgeByCheck(call columntypes.Call) judged {
	outcome := columntypes.Check(columntypes.Warn, call)
	j := judged{reason: outcome.NotJudged}
	for _, finding := range outcome.Findings {
		v := finding.Violation
		v.Sample, v.NearMiss = "", ""
		j.violations = append(j.violations, v)
	}
	return j
}

func judgeByStream(judge *streamJudge, columns columntypes.ToolResultColumns, raw []byte) judged {
	j := judged{reason: judge.judge(raw)}
	if j.reason != "" {
		return j
	}
	for i, t := range judge.tallies {
		v := columntypes.ColumnViolation{Column: columns[i].Name, Declared: columns[i].Type, Nullable: columns[i].Nullable,
			Rows: t.offenders, OfRows: judge.rows, FirstRow: t.firstRow, Got: words[t.first], Held: map[string]int{}}
		switch {
		case t.seen == 0:
			v.Rows, v.FirstRow, v.Got = judge.rows, 0, words[wordMissing]
			v.Held[v.Got] = judge.rows
		case t.offenders == 0:
			continue
		default:
			for w, count := range t.held {
				if count > 0 {
					v.Held[words[w]] = count
				}
			}
		}
		j.violations = append(j.violations, v)
	}
	return j
}

// isDate asks the library about one decoded string: the date grammar is not what the oracle is for.
func isDate(known map[string]bool) func([]byte) bool {
	columns := columntypes.ToolResultColumns{{Name: "at", Type: columntypes.Date}}
	return func(text []byte) bool {
		is, asked := known[string(text)]
		if !asked {
			rows := []map[string]any{{"at": string(text)}}
			is = len(columntypes.Check(columntypes.Warn, columntypes.Call{Columns: columns, Result: rows}).Findings) == 0
			known[string(text)] = is
		}
		return is
	}
}

// oracle holds the library to the verdict of the stream judge, as text and as raw JSON.
type oracle struct {
	judge *streamJudge
}

func newOracle() *oracle {
	o := &oracle{newStreamJudge(oracleColumns)}
	o.judge.isDate = isDate(map[string]bool{})
	return o
}

func (o *oracle) agree(t testing.TB, raw string) judged {
	want := judgeByStream(o.judge, oracleColumns, []byte(raw))
	require.Equal(t, want.reason == columntypes.ReasonNotJSON, !json.Valid([]byte(raw)), "the oracle and json.Valid on %q", raw)
	for form, call := range map[string]columntypes.Call{"text": {Text: raw}, "raw": {Result: json.RawMessage(raw)}} {
		call.Columns = oracleColumns
		require.Equal(t, want, judgeByCheck(call), "%s %q", form, raw)
	}
	return want
}

func TestOracleOnRandomRowsets(t *testing.T) {
	o, r := newOracle(), rand.New(rand.NewPCG(5, 2094))
	seen := map[columntypes.Reason]int{}
	for range 10_000 {
		raw := randomResult(r)
		seen[o.agree(t, raw).reason]++
		for range 2 {
			if raw = mutate(r, raw); raw == "" {
				break // an empty Text says that there is no text
			}
			seen[o.agree(t, raw).reason]++
		}
	}
	for _, reason := range []columntypes.Reason{"", columntypes.ReasonNotJSON, columntypes.ReasonNotRowset, columntypes.ReasonEmpty} {
		assert.Greater(t, seen[reason], 100, "too few texts come to %q: %v", reason, seen)
	}
}

func TestOracleOnChosenTexts(t *testing.T) {
	o := newOracle()
	for _, c := range []struct{ reason, raw string }{
		{"the last of two equal keys wins", `[{"lun":"","lun":0,"on":1,"on":true,"host":1,"host":null}]`},
		{"the last of two equal keys wins, escaped or not", `[{"lun":0,"\u006cun":"","l\u0075n":1e400}]`},
		{"a number beyond float64 is an offender, a tiny one is none", `[{"lun":1e400},{"lun":-1E+999},{"lun":1e-400},{"lun":9e307}]`},
		{"so is one with that many digits", `[{"lun":1` + strings.Repeat("0", 308) + `},{"lun":1` + strings.Repeat("0", 309) + `}]`},
		{"a replaced byte reaches a key with U+FFFD", "[{\"k\xff\":\"x\"}]"},
		{"so does a lone surrogate", `[{"k\ud800":"x"}]`},
		{"a name that is not UTF-8 is in no row", "[{\"\xff\":\"x\"}]"},
		{"a backslash in a name is not an escape", `[{"back\nslash":1,"new\\nline":1}]`},
		{"and with escapes both are reached", `[{"back\\nslash":1,"new\nline":1}]`},
		{"declared names below a row do not count", `[{"x":{"lun":1,"on":true},"y":[{"lun":2}]}]`},
		{"rows without any key", `[{},{},{"lun":1},{}]`},
		{"keys in another order in the second row", `[{"lun":1,"on":true},{"on":true,"lun":""},{"lun":1,"on":true}]`},
		{"more white space before a row than before the last one", "[{\"lun\":1}\n,{\"lun\":2}\n,\t{\"lun\":\"\"}\n,\t\t{\"lun\":4}]"},
		{"as deep as encoding/json goes", `[{"x":` + strings.Repeat("[", 9_998) + strings.Repeat("]", 9_998) + `}]`},
		{"one level deeper", `[{"x":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}]`},
		{"a second value", `[{"lun":1}] []`},
		{"a comma too many", `[{"lun":1},]`},
		{"a row that is none, and then an error", `[{"lun":1},null,{"lun":1]`},
		{"a NUL after the end", "[{\"lun\":1}]\x00"},
		{"a byte order mark", "\ufeff[{\"lun\":1}]"},
	} {
		t.Run(c.reason, func(t *testing.T) { o.agree(t, c.raw) })
	}
}

func FuzzOracle(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		f.Add(randomResult(r))
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if raw != "" {
			newOracle().agree(t, raw)
		}
	})
}

// randomResult is mostly rows. Half of the rowsets repeat the keys of their first row with the same white space, as
// the results of tools do; in those a row strays now and then.
func randomResult(r *rand.Rand) string {
	if r.IntN(20) == 0 {
		return among(r, spaces) + among(r, []string{"[]", "[ ]", "{}", `{"rows":[{"lun":1}]}`, "null", "12", `"prose"`, "true", "[[]]", "[null]"}) + among(r, spaces)
	}
	g := &rowGenerator{Rand: r, steady: r.IntN(2) == 0, keys: make([]string, r.IntN(7)), gap: among(r, spaces)}
	for i := range g.keys {
		g.keys[i] = g.key()
	}
	rows := make([]string, 1+r.IntN(6))
	for i := range rows {
		rows[i] = g.row()
		if r.IntN(80) == 0 {
			rows[i] = g.value(2)
		}
	}
	return g.space() + "[" + strings.Join(rows, g.space()+","+g.space()) + g.space() + "]" + g.space()
}

type rowGenerator struct {
	*rand.Rand
	steady bool
	keys   []string
	gap    string
}

var (
	spaces    = []string{"", "", "", " ", "\n  ", "\r\n\t"}
	otherKeys = []string{"id", "lun ", "LUN", "lu", "hosts", "", "größe", "k", "大阪"}
	scalars   = []string{"0", "-0", "17", "1240", "8.25", "1e5", "-1.5E-7", "1e400", "-2E+999", "1e-400", "12345678901234567890",
		"true", "false", "null", "null", `""`, `"1240"`, `"vdi-a"`, `"大阪"`, `"a\"b\\"`, `"\u00e9\n"`, `"\ud83d\ude00"`, `"\udc00"`, "\"\xff\xfe\"",
		`"2024-02-29"`, `"2023-02-29"`, `"2024-01-02T03:04:05Z"`, `"2024-01-02T03:04:05.250+09:00"`, `"2024-01-02T24:00:01Z"`, `"2024\u002d01-02"`,
		`"\u00322024-01-02"`, `"2 Jan 2024"`, `" 2024-01-02 "`, `"LUN 0"`, `"long enough to need more than one word of eight bytes, without escapes"`}
)

func (g *rowGenerator) row() string {
	keys := g.keys
	if !g.steady || g.IntN(12) == 0 {
		keys = append([]string{}, keys...)
		g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		if len(keys) > 0 && g.IntN(2) == 0 {
			keys[g.IntN(len(keys))] = g.key()
		}
		keys = keys[:len(keys)-min(g.IntN(2), len(keys))]
	}
	members := make([]string, len(keys))
	for i, key := range keys {
		members[i] = key + g.space() + ":" + g.space() + g.value(3)
	}
	return "{" + g.space() + strings.Join(members, g.space()+","+g.space()) + g.space() + "}"
}

func (g *rowGenerator) space() string {
	if g.steady && g.IntN(200) > 0 {
		return g.gap
	}
	return among(g.Rand, spaces)
}

// key is a quoted key: mostly a declared one, now and then with escapes where it needs none.
func (g *rowGenerator) key() string {
	name := among(g.Rand, otherKeys)
	if g.IntN(4) > 0 {
		name = oracleColumns[g.IntN(len(oracleColumns))].Name
	}
	var quoted strings.Builder
	quoted.WriteByte('"')
	escaping := g.IntN(6) == 0
	for i, c := range []byte(name) {
		switch {
		case c == '\\', c == '\n', c < 0x80 && escaping && g.IntN(3) == 0:
			fmt.Fprintf(&quoted, `\u%04x`, c)
		case c == 0xef && g.IntN(2) == 0: // the first byte of U+FFFD
			quoted.WriteByte(0xff)
			return quoted.String() + name[i+len("\ufffd"):] + `"`
		default:
			quoted.WriteByte(c)
		}
	}
	return quoted.String() + `"`
}

func (g *rowGenerator) value(depth int) string {
	if depth == 0 || g.IntN(6) > 0 {
		return among(g.Rand, scalars)
	}
	if g.IntN(2) == 0 {
		return g.row()
	}
	items := make([]string, g.IntN(3))
	for i := range items {
		items[i] = g.value(depth - 1)
	}
	return "[" + strings.Join(items, ",") + g.space() + "]"
}

func among(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// mutate damages a text in one place, which does not always make it invalid.
func mutate(r *rand.Rand, raw string) string {
	at := r.IntN(len(raw))
	end := min(at+1+r.IntN(8), len(raw))
	const bytes = "{}[],:\"\\/0123456789-+.eEtrufalsn \n\t\x00\x1f\x7f\x80\xff"
	other := string(bytes[r.IntN(len(bytes))])
	switch r.IntN(6) {
	case 0:
		return raw[:at]
	case 1:
		return raw[:at] + raw[end:]
	case 2:
		return raw[:end] + raw[at:]
	case 3:
		return raw[:at] + other + raw[at:]
	default:
		return raw[:at] + other + raw[at+1:]
	}
}
