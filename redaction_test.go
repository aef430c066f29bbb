package columntypes

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The secret is in letters of a script that nothing else here uses, so that one leaked letter is seen, upper case or
// lower, escaped or cut in half. Where only digits fit it is a number that nothing here counts to. A key that is a
// near miss hides its separator.
const (
	secretWord      = "ᎠᏣᎳᎩ"
	secretNumber    = 8675309
	secretSeparator = "⸎"
)

// leaks are what a piece of the secret looks like: the first bytes of each of its letters, upper case and lower, their
// escapes, a byte cut off, digits, separators, bytes in decimal, hex and base64.
var leaks = append([]string{
	"\xe1\x8e", "\xe1\x8f", "\xea\xad", "\xea\xae", `\u13`, `\uab`, "\ufffd", `\ufffd`, `\x`, "867530", "8.675", "⸎", `\u2e0e`, "r#M",
	"225 142", hex.EncodeToString([]byte(secretWord)),
}, base64Cores(secretWord)...)

// base64Cores are what a text looks like in base64 whatever stands around it.
func base64Cores(text string) (cores []string) {
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat(" ", before) + text))
		cores = append(cores, encoded[4:len(encoded)-2])
	}
	return cores
}

// findLeak gives the surroundings of the first piece of the secret, or "".
func findLeak(said string) string {
	for _, piece := range leaks {
		if i := strings.Index(said, piece); i >= 0 {
			return fmt.Sprintf("%q in … %s …", piece, said[max(i-200, 0):min(i+200, len(said))])
		}
	}
	return ""
}

type (
	secretString  string
	secretQuoted  string // its marshaler writes it in quotes
	secretObject  string // its marshaler writes an object with it as key and value
	secretRaw     string // its marshaler writes it as it is
	secretText    string // a TextMarshaler
	secretFailing string // its marshaler's error has it
	secretPanic   string // its marshaler panics with it
	secretPointer struct{ text string }
	secretRow     struct {
		A      string        `json:"a"`
		B      *string       `json:"b"`
		C      secretQuoted  `json:"c"`
		D      secretString  `json:"d,string"`
		E      any           `json:"e"`
		F      [2]byte       `json:"f"`
		G      float64       `json:"g,string"`
		ᎠᏣᎳᎩ   int           // an undeclared key, undeclared on purpose
		Nested secretStruct  `json:"h"`
		Ptr    *secretStruct `json:"i"`
	}
	secretStruct struct {
		Key int `json:"ᎠᏣᎳᎩ"`
	}
)

func (s secretQuoted) MarshalJSON() ([]byte, error) { return json.Marshal(string(s)) }
func (s secretObject) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{string(s): 1, "a": string(s)})
}
func (s secretRaw) MarshalJSON() ([]byte, error)     { return []byte(s), nil }
func (s secretText) MarshalText() ([]byte, error)    { return []byte(s), nil }
func (s secretFailing) MarshalJSON() ([]byte, error) { return nil, errors.New(string(s)) }
func (s secretPanic) MarshalJSON() ([]byte, error)   { panic(string(s)) }
func (s *secretPointer) MarshalJSON() ([]byte, error) {
	return json.Marshal([]string{s.text})
}

// planting puts a secret somewhere into a call.
type planting struct {
	reason string
	inert  bool // that nothing of it shows without redaction either is known
	plant  func(secret string) Call
}

// inCell plants a value in a declared cell; b to i are the other columns of secretRow.
func inCell(value func(secret string) any) func(string) Call {
	return func(secret string) Call {
		return Call{Result: []map[string]any{{"a": value(secret), "b": nil, secret: secret}, {"a": secretNumber, "b": secret}}}
	}
}

func inText(template string) func(string) Call {
	return func(secret string) Call {
		quoted, _ := json.Marshal(secret)
		return Call{Text: strings.NewReplacer("QUOTED", string(quoted), "BARE", secret, "DIGITS", strconv.Itoa(secretNumber)).Replace(template)}
	}
}

func inResult(result func(secret string) any) func(string) Call {
	return func(secret string) Call { return Call{Result: result(secret)} }
}

func at(pointer string, plant func(string) Call) func(string) Call {
	return func(secret string) Call {
		call := plant(secret)
		call.RowsAt = pointer
		return call
	}
}

var plantings = []planting{
	{"a string", false, inCell(func(s string) any { return s })},
	{"a named string", false, inCell(func(s string) any { return secretString(s) })},
	{"a pointer to a string", false, inCell(func(s string) any { return &s })},
	{"a json.Number that is none", false, inCell(func(s string) any { return json.Number(s) })},
	{"a json.Number with a tail", false, inCell(func(s string) any { return json.Number("1" + s) })},
	{"a json.Number", false, inCell(func(string) any { return json.Number("8675309") })},
	{"a number beyond float64", false, inCell(func(string) any { return json.Number("8675309e999") })},
	{"a float64", false, inCell(func(string) any { return secretNumber + 0.25 })},
	{"a float32", false, inCell(func(string) any { return float32(secretNumber) })},
	{"an int", false, inCell(func(string) any { return secretNumber })},
	{"a uint64 by pointer", false, inCell(func(string) any { n := uint64(secretNumber); return &n })},
	{"a duration", false, inCell(func(string) any { return time.Duration(secretNumber) })},
	{"a big integer", false, inCell(func(string) any { return big.NewInt(secretNumber) })},
	{"a big rational", false, inCell(func(string) any { return big.NewRat(secretNumber, 7) })},
	{"a complex number", true, inCell(func(string) any { return complex(secretNumber, 0) })},
	{"a time", false, inCell(func(string) any { return time.Date(2000, 1, 1, 0, 0, 0, secretNumber, time.UTC) })},
	{"a time that JSON refuses", false, inCell(func(string) any { return time.Date(secretNumber, 1, 1, 0, 0, 0, 0, time.UTC) })},
	{"bytes", false, inCell(func(s string) any { return []byte(s) })},
	{"bytes that are no text", false, inCell(func(s string) any { return []byte("\xff" + s) })},
	{"an array of bytes", true, inCell(func(s string) any { var a [4]byte; copy(a[:], s); return a })},
	{"raw JSON", false, inCell(func(s string) any { q, _ := json.Marshal(s); return json.RawMessage(q) })},
	{"raw JSON that is none", true, inCell(func(s string) any { return json.RawMessage(s) })},
	{"an object", false, inCell(func(s string) any { return map[string]any{s: s} })},
	{"an object in an object", false, inCell(func(s string) any { return map[string]any{"k": map[string]any{s: s}, s: nil} })},
	{"an object that is a cycle", false, inCell(func(s string) any { m := map[string]any{}; m[s] = m; return m })},
	{"an object with number keys", false, inCell(func(s string) any { return map[int]string{secretNumber: s} })},
	{"an object with text keys", false, inCell(func(s string) any { return map[secretText]int{secretText(s): 1} })},
	{"a map that JSON refuses", true, inCell(func(s string) any { return map[any]any{s: s} })},
	{"a list", true, inCell(func(s string) any { return []any{s, []any{s}} })},
	{"a list of strings", true, inCell(func(s string) any { return []string{s} })},
	{"a struct", false, inCell(func(string) any { return secretStruct{secretNumber} })},
	{"an error", true, inCell(func(s string) any { return errors.New(s) })},
	{"sql.NullString", true, inCell(func(s string) any { return sql.NullString{String: s, Valid: true} })},
	{"a function", true, inCell(func(s string) any { return func() string { return s } })},
	{"a marshaler", false, inCell(func(s string) any { return secretQuoted(s) })},
	{"a marshaler of an object", false, inCell(func(s string) any { return secretObject(s) })},
	{"a marshaler of no JSON", true, inCell(func(s string) any { return secretRaw(s) })},
	{"a marshaler of a number", false, inCell(func(string) any { return secretRaw("8675309") })},
	{"a marshaler that fails", true, inCell(func(s string) any { return secretFailing(s) })},
	{"a marshaler that panics", true, inCell(func(s string) any { return secretPanic(s) })},
	{"a marshaler on the pointer", true, inCell(func(s string) any { return &secretPointer{s} })},
	{"a text marshaler", false, inCell(func(s string) any { return secretText(s) })},

	{"text: a string", false, inText(`[{"a":QUOTED,"b":QUOTED,QUOTED:QUOTED}]`)},
	{"text: a number", false, inText(`[{"a":DIGITS,"b":-DIGITS.5}]`)},
	{"text: a number beyond float64", false, inText(`[{"a":DIGITSe999}]`)},
	{"text: an object", false, inText(`[{"a":{QUOTED:QUOTED},"b":[QUOTED,{QUOTED:1}]}]`)},
	{"text: keys with escapes", false, inText(`[{"a":{"\u13a0":1},"b":"\u13a0"}]`)},
	{"text: a key twice", false, inText(`[{"a":1,"a":QUOTED}]`)},
	{"text: many offenders", false, inText(`[{"a":QUOTED,"b":QUOTED,"c":QUOTED,"d":QUOTED,"e":QUOTED,"f":QUOTED,"g":QUOTED,"h":QUOTED},{"a":DIGITS,"b":null}]`)},
	{"text: prose", false, inText(`BARE`)},
	{"text: a bare word in a cell", false, inText(`[{"a":BARE}]`)},
	{"text: a bare word for a key", false, inText(`[{BARE:1}]`)},
	{"text: rows and then prose", false, inText(`[{"a":1}]BARE`)},
	{"text: cut off", true, inText(`[{"a":"BARE`)},
	{"text: an escape that is none", true, inText(`[{"a":"\qBARE"}]`)},
	{"text: a string", true, inText(`QUOTED`)},
	{"text: one object", true, inText(`{QUOTED:QUOTED}`)},
	{"text: a list of strings", true, inText(`[{"a":1},QUOTED]`)},
	{"text: a number alone", true, inText(`DIGITS`)},

	{"near miss: text", false, inText(`[{"near⸎miss":QUOTED}]`)},
	{"near miss: a map", false, inResult(func(s string) any { return []map[string]any{{"NEAR⸎MISS": s}} })},
	{"near miss: a typed map", false, inResult(func(s string) any { return []map[secretText]string{{"near⸎miss": s}} })},
	{"near miss: a struct", false, inResult(func(string) any {
		return []struct {
			Key int `json:"Near#Miss"`
		}{{secretNumber}}
	})},

	{"rows of structs", false, inResult(func(s string) any {
		return []secretRow{{A: s, B: &s, C: secretQuoted(s), D: secretString(s), E: s, F: [2]byte([]byte(s)), G: secretNumber, ᎠᏣᎳᎩ: secretNumber}}
	})},
	{"a struct without a name", false, inCell(func(string) any {
		return struct {
			Key int `json:"ᎠᏣᎳᎩ"`
		}{secretNumber}
	})},
	{"a list of structs without a name", true, inCell(func(string) any { return make([]struct{ ᎠᏣᎳᎩ int }, 2) })},
	{"a list with a list of structs without a name", true, inResult(func(string) any { return []any{make([]struct{ ᎠᏣᎳᎩ int }, 2)} })},
	{"a generic type of a struct without a name", true, inResult(func(string) any { return sql.Null[struct{ ᎠᏣᎳᎩ int }]{} })},
	{"rows of pointers", false, inResult(func(s string) any { return []any{&secretRow{E: map[string]string{s: s}, Ptr: &secretStruct{1}}} })},
	{"rows of string maps", false, inResult(func(s string) any { return []map[string]string{{"a": s, s: s}} })},
	{"rows with a marshaler", false, inResult(func(s string) any { return []secretObject{secretObject(s)} })},
	{"rows with a marshaler of no object", true, inResult(func(s string) any { return []secretQuoted{secretQuoted(s)} })},
	{"rows with a marshaler of no JSON", true, inResult(func(s string) any { return []secretRaw{secretRaw(s)} })},
	{"rows with a marshaler that fails", true, inResult(func(s string) any { return []secretFailing{secretFailing(s)} })},
	{"rows with a marshaler that panics", true, inResult(func(s string) any { return []any{secretPanic(s)} })},
	{"a result with a marshaler that fails", true, inResult(func(s string) any { return secretFailing(s) })},
	{"a result with a marshaler that panics", true, inResult(func(s string) any { return secretPanic(s) })},
	{"a result with a marshaler", true, inResult(func(s string) any { return secretObject(s) })},
	{"a result that is an error", true, inResult(func(s string) any { return errors.New(s) })},
	{"a reading", false, inResult(func(s string) any {
		reading, _ := ReadRowset([]any{map[string]any{"a": s, "b": secretNumber}})
		return reading
	})},
	{"prose", true, inResult(func(s string) any { return s })},
	{"bytes for prose", true, inResult(func(s string) any { return []byte(s) })},
	{"named prose", true, inResult(func(s string) any { return secretString(s) })},
	{"raw prose", false, inResult(func(s string) any { return json.RawMessage(s) })},
	{"a list of strings", true, inResult(func(s string) any { return []string{s} })},
	{"a list with a string", true, inResult(func(s string) any { return []any{map[string]any{"a": s}, s} })},
	{"a list with a nil map", true, inResult(func(s string) any { return []map[string]any{{"a": s}, nil} })},
	{"one object", true, inResult(func(s string) any { return map[string]any{s: s} })},
	{"a number", true, inResult(func(string) any { return secretNumber })},

	{"a wrapper", false, at("/rows", inText(`{QUOTED:QUOTED,"rows":[{"a":QUOTED}]}`))},
	{"a wrapper that is not JSON", false, at("/rows", inText(`{"rows":BARE}`))},
	{"a wrapper without the key", true, at("/rows", inText(`{QUOTED:[{"a":QUOTED}]}`))},
	{"a wrapper whose rows are one object", true, at("/rows", inText(`{"rows":{QUOTED:QUOTED}}`))},
	{"a wrapper whose rows are a string", true, at("/rows", inText(`{"rows":QUOTED}`))},
	{"a wrapper that is a list", true, at("/7/rows", inText(`[QUOTED]`))},
	{"a pointer through a string", true, at("/rows/x", inText(`{"rows":QUOTED}`))},
	{"a malformed pointer", true, at("rows", inText(`{"rows":QUOTED}`))},
	{"raw JSON in a Go wrapper", false, at("/rows", inResult(func(s string) any {
		q, _ := json.Marshal([]map[string]string{{"a": s}})
		return map[string]any{s: s, "rows": json.RawMessage(q)}
	}))},
	{"raw prose in a Go wrapper", false, at("/rows", inResult(func(s string) any { return map[string]json.RawMessage{"rows": json.RawMessage(s)} }))},
	{"a Go wrapper with a marshaler", true, at("/k", inResult(func(s string) any { return secretObject(s) }))},
	{"a Go wrapper with a marshaler that fails", true, at("/k", inResult(func(s string) any { return secretFailing(s) }))},
}

// timeless drops every time from a log, in whose digits a secret number could seem to stand.
func timeless(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindTime {
		return slog.Attr{}
	}
	return a
}

// everythingSaid is each text that a call leaves behind: the log, the outcome and the report in both spellings.
func everythingSaid(t testing.TB, mode Mode, call Call, redact bool) string {
	var said bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: timeless}
	boundary := Boundary{Mode: mode, RedactSamples: redact, Observer: LogObserver(slog.New(slog.NewJSONHandler(&said, options)))}
	outcome := boundary.Check(t.Context(), call)
	rows := boundary.Report(t.Context())
	for i := range rows {
		rows[i].LastFiredAt = time.Time{}
	}

	encoder := json.NewEncoder(&said)
	encoder.SetEscapeHTML(false)
	for _, value := range []any{outcome, rows} {
		require.NoError(t, encoder.Encode(value))
		fmt.Fprintf(&said, "%+v\n", value)
	}
	text := slog.New(slog.NewTextHandler(&said, options))
	for _, finding := range outcome.Findings {
		text.Info("by value", "finding", finding)
	}
	if outcome.Refusal != "" {
		fmt.Fprintln(&said, outcome.Payload(call.Result))
	}
	return said.String()
}

// columnsOf declares every column that a planting may use, all of one type.
func columnsOf(word ColumnType) (columns ToolResultColumns) {
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "near miss"} {
		columns = append(columns, ColumnDeclaration{Name: name, Type: word})
	}
	return columns
}

// FuzzRedaction plants a secret wherever text can come from and looks for it wherever text can go.
func FuzzRedaction(f *testing.F) {
	words, modes := ColumnTypes(), []Mode{Warn, Enforce}
	for i := range plantings {
		for how := range len(words) * len(modes) {
			f.Add(uint8(i), uint8(how), "", "")
		}
		f.Add(uint8(i), uint8(i), "[{\"a\":", "\\")
	}
	f.Fuzz(func(t *testing.T, which, how uint8, before, after string) {
		p := plantings[int(which)%len(plantings)]
		word, mode := words[int(how)%len(words)], modes[int(how)/len(words)%len(modes)]
		call := p.plant(before + secretWord + after)
		call.ToolName, call.ToolCallID, call.Columns = "tool", "call-1", columnsOf(word)
		if leaked := findLeak(everythingSaid(t, mode, call, true)); leaked != "" {
			t.Fatalf("%s, declared %s, %v: %s", p.reason, word, mode, leaked)
		}
	})
}

// Without redaction the same plantings do show, or FuzzRedaction looks for nothing.
func TestPlantingsShowUnredacted(t *testing.T) {
	require.Less(t, len(plantings), 256, "a byte chooses among them")
	for _, p := range plantings {
		var said strings.Builder
		for _, word := range ColumnTypes() {
			call := p.plant(secretWord)
			call.ToolName, call.Columns = "tool", columnsOf(word)
			said.WriteString(everythingSaid(t, Warn, call, false))
		}
		assert.Equal(t, p.inert, findLeak(said.String()) == "", p.reason)
	}
}

func TestRedactedSamplesStillTell(t *testing.T) {
	call := Call{ToolName: "tool", Columns: columnsOf(Boolean)[:2], Text: `[{"a":"secret","b":12.5}]`, RedactSamples: true}
	refusal := Check(Enforce, call).Refusal
	assert.Contains(t, refusal, "'a'", "declared names are no secret")
	assert.Contains(t, refusal, "string of 6 characters")
	assert.Contains(t, refusal, "number of 4 characters")
}
