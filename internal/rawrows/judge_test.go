package rawrows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// columns ask for everything that a column can ask for.
var columns = []Column{
	{Name: "n", Accepts: Accept(Number)},
	{Name: "s", Accepts: Accept(String) | Accept(Null) | Accept(Missing)},
	{Name: "at", Accepts: Accept(String), Date: true},
	{Name: "flag", Accepts: Accept(Boolean)},
	{Name: "é\uFFFD", Accepts: Accept(Number)},
	{Name: "a column with a long name", Accepts: Accept(Number) | Accept(Missing)},
}

// startsWith2 stands for a date here; the real grammar is not this package's.
func startsWith2[T Text](inside T) bool { return len(inside) > 0 && inside[0] == '2' }

// reference judges by decoding. Only what can be told from decoded values is filled in.
func reference(text []byte, pointer []string, columns []Column) (Answer, []Tally) {
	tallies := make([]Tally, len(columns))
	if !json.Valid(text) {
		return Answer{State: NotJSON}, tallies
	}
	value := decoded(text)
	for level, token := range pointer {
		next, found := any(nil), false
		switch within := value.(type) {
		case map[string]any:
			next, found = within[token]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(within) && strconv.Itoa(i) == token {
				next, found = within[i], true
			}
		}
		if !found {
			return Answer{State: NotFound, Found: level}, tallies
		}
		value = next
	}
	rows, isArray := value.([]any)
	switch {
	case !isArray:
		return Answer{State: NotRows, Item: -1, Kind: kindOf(value)}, tallies
	case len(rows) == 0:
		return Answer{State: Empty}, tallies
	}
	for i, row := range rows {
		if kindOf(row) != Object {
			return Answer{State: NotRows, Item: i, Kind: kindOf(row)}, tallies
		}
	}
	for i, row := range rows {
		for c, column := range columns {
			t := &tallies[c]
			value, found := row.(map[string]any)[column.Name]
			kind := Missing
			if found {
				kind = kindOf(value)
			} else {
				t.Absent++
			}
			inside, _ := value.(string)
			if column.Accepts.Has(kind) && !(column.Date && kind == String && !startsWith2(inside)) {
				continue
			}
			if t.Offenders == 0 {
				t.FirstRow, t.FirstKind = i, kind
			}
			t.Offenders++
			t.Held[kind]++
		}
	}
	return Answer{State: Judged, Rows: len(rows)}, tallies
}

func decoded(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

func kindOf(value any) Kind {
	switch value := value.(type) {
	case string:
		return String
	case json.Number:
		if _, err := strconv.ParseFloat(string(value), 64); err != nil {
			return Beyond
		}
		return Number
	case bool:
		return Boolean
	case []any:
		return Array
	case map[string]any:
		return Object
	}
	return Null
}

// judge takes work, judges a text, and gives the work back.
func judge[T Text](text T, pointer []string, columns []Column) (Answer, []Tally) {
	work := Take(len(columns))
	defer work.Give()
	copy(work.Columns, columns)
	answer := Judge(text, pointer, startsWith2[T], work)
	return answer, slices.Clone(work.Tallies)
}

// hold compares the verdict on a text with the reference, for the text as a string and as bytes.
func hold(t testing.TB, text []byte, pointer []string) {
	want, wantTallies := reference(text, pointer, columns)
	answer, got := judge(text, pointer, columns)
	if other, again := judge(string(text), pointer, columns); other != answer || !slices.Equal(got, again) {
		t.Fatalf("a string and bytes differ: %.200q: %+v, %+v", text, answer, other)
	}
	if answer.State != want.State {
		t.Fatalf("%.200q at %.200q: got %+v, want %+v", text, pointer, answer, want)
	}
	switch answer.State {
	case NotJSON:
		if answer.At < 0 || answer.At > len(text) {
			t.Fatalf("%.200q: byte %d", text, answer.At)
		}
		return
	case NotFound:
		if answer.Found != want.Found {
			t.Fatalf("%.200q at %.200q: got %+v, want %+v", text, pointer, answer, want)
		}
		return
	case NotRows:
		if answer.Item != want.Item || answer.Kind != want.Kind {
			t.Fatalf("%.200q at %.200q: got %+v, want %+v", text, pointer, answer, want)
		}
		return
	case Judged:
		if answer.Rows != want.Rows {
			t.Fatalf("%.200q: %d rows, want %d", text, answer.Rows, want.Rows)
		}
	}
	for c := range got {
		tally := got[c]
		if tally.Offenders > 0 && tally.FirstKind != Missing && tally.FirstKind != Beyond {
			if kindOf(decoded(text[tally.Start:tally.End])) != tally.FirstKind {
				t.Fatalf("%.200q: the first offender of %q is %q", text, columns[c].Name, text[tally.Start:tally.End])
			}
		}
		if tally.Offenders == 0 {
			tally.FirstRow, tally.FirstKind = 0, 0
		}
		tally = Tally{Absent: tally.Absent, Offenders: tally.Offenders, FirstRow: tally.FirstRow, FirstKind: tally.FirstKind, Held: tally.Held}
		if tally != wantTallies[c] {
			t.Fatalf("%.200q: column %q: got %+v, want %+v", text, columns[c].Name, tally, wantTallies[c])
		}
	}
}

// documents are small texts that between them have everything that JSON has.
var documents = []string{
	`[{"n":1,"s":"a","at":"2024","flag":true},{"n":-0.5e+2,"s":null,"at":"2","flag":false}]`,
	`[{"n":"1","s":"a"},{"n":"","s":"b"},{"n":3,"s":"c"},{"n":null,"s":4}]`,
	"[\n  {\n    \"n\": 1,\n    \"s\": \"x\"\n  },\n  {\n    \"n\": 2,\n    \"s\": \"y\"\n  },\n  {\n    \"n\": \"z\"\n  }\n]\n",
	`[{"n":1,"x":{"y":[1,{"z":[]}],"w":{}}},{"n":2,"x":[[],[{}]]},{"x":[true,null,"]"],"n":3}]`,
	`[{"n":1,"n":"2"},{"n":"1","n":2},{"n":1,"n":2,"n":{}},{"n":7}]`,
	`[{"\u006e":1,"s\u0000":2},{"n":"\ud83d\ude00\"\\\/\b\f\n\r\t"},{"é\ufffd":1},{"at":"\u00322"}]`,
	"[{\"é\xff\":1,\"s\":\"\xff\xfe\"},{\"é\xff\":\"long enough for a word\"}]",
	`[{},{"n":1},{},{}]`,
	`[{"n":1e400},{"n":1e-400},{"n":1E+308},{"n":179769313486231570000000000000000000000e270}]`,
	`{"rows":[{"n":1},{"n":"x"}],"a/b":{"~":[[{"n":1}],[{"n":2}]]},"rows":[{"n":true}]}`,
	`[{"n":1},null,{"n":2}]`,
	` [ { "n" : 1 , "s" : "a" } , { "n" : 2 , "s" : "b" } ,{"n":3,"s":"c"}, { "n" : 4 , "s" : "d" } ] `,
	`[{"a column with a long name":1,"n":1},{"a column with a long name":"2","n":2},{"a column with a song name":"3","n":3}]`,
	"[{\"n\":1}\n,{\"n\":2}\n,\t{\"n\":\"\"}\n,\t\t{\"n\":4}]",
	`{"r\u006fws":[{"n":"escaped"}],"x":{"rows":[{"n":1}]}}`,
	`[{"flag":true,"n":12345678},{"flag":false,"n":87654321},{"flag":tru,"n":1}]`,
	`[{"n":1,"flag":true,"s":"a"},{"flag":true,"n":"2","s":"b"},{"s":3,"n":4,"flag":5},{"n":6,"s":"d","flag":false},{"s":"e","s":7,"flag":true}]`,
	`[{"n":1 ,"flag":true ,"longer name":1},{"flag":true,"n":"2" ,"longer name":"b"},{"longer nose":3,"n":4,"flag":5},{"longer name":4,"longer name":5 ,"n":1}]`,
	`[{"n":1 ,"flag":true ,"s":"a"},{"n":1 ,"s":"b" ,"flag":true},{"s":"c","n":1 ,"flag":true}]`,
	`[{"n":1,"longer name":2,"longer nose":3},{"longer nose":4,"longer name":"5","n":6},{"longer name":7,"longer nose":8,"n":9}]`,
}

var pointers = [][]string{nil, {"rows"}, {"a/b", "~", "1"}, {"0"}, {"1", "x"}, {"01"}, {"+1"}, {"-"}, {"99999999999999999999"}}

func TestDocuments(t *testing.T) {
	for _, document := range documents {
		for _, pointer := range pointers {
			hold(t, []byte(document), pointer)
		}
	}
}

func TestEveryTruncation(t *testing.T) {
	for _, document := range documents {
		for end := range len(document) {
			hold(t, []byte(document[:end]), nil)
			hold(t, []byte(document[:end]), pointers[1])
		}
	}
}

func TestEverySubstitution(t *testing.T) {
	for _, document := range documents {
		text := []byte(document)
		for at := range text {
			for b := range 256 {
				text[at] = byte(b)
				hold(t, text, nil)
			}
			text[at] = document[at]
		}
	}
}

// rowsets writes random rowsets that mostly, but not always, keep one shape.
type rowsets struct{ *rand.Rand }

func (r rowsets) one(of ...string) string { return of[r.IntN(len(of))] }

func (r rowsets) space() string {
	if r.IntN(8) > 0 {
		return ""
	}
	return r.one(" ", "\n", "\t ", "\r\n  ")
}

func (r rowsets) value(depth int) string {
	switch r.IntN(12) {
	case 0:
		return r.one("null", "true", "false")
	case 1, 2:
		return strconv.Itoa(r.IntN(100_000) - 50_000)
	case 3:
		return r.one("0", "-0", "1.5", "1e3", "2E-7", "1e400", "-1e999", "0.1e+1", strings.Repeat("9", 310), "1"+strings.Repeat("0", 305)+".5")
	case 4, 5, 6:
		return strconv.Quote(strings.Repeat(r.one("a", "b ", "2"), r.IntN(20)))
	case 7:
		return `"` + r.one(`\n`, `\u0032`, `é`, "\xff", `\"`, `\\`, `\ud800`) + strings.Repeat("x", r.IntN(12)) + r.one(`\t`, "", "日本") + `"`
	case 8:
		return r.one(`""`, `"2024-01-02T03:04:05Z"`)
	}
	if depth > 3 {
		return "[]"
	}
	var items []string
	for range r.IntN(4) {
		items = append(items, r.value(depth+1))
	}
	if r.IntN(2) == 0 {
		return "[" + strings.Join(items, r.space()+","+r.space()) + "]"
	}
	for i := range items {
		items[i] = fmt.Sprintf("%q:%s", r.one("n", "k", ""), items[i])
	}
	return "{" + strings.Join(items, ",") + "}"
}

func (r rowsets) text() string {
	keys := []string{`"n"`, `"s"`, `"at"`, `"flag"`, `"é�"`, `"x"`, `"a longer key than a word"`, `"\u006e"`}
	r.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	keys = keys[:r.IntN(len(keys)+1)]
	comma, colon, space, ordered := r.space()+","+r.space(), r.space()+":"+r.space(), r.space(), r.IntN(4) > 0
	var rows []string
	for range r.IntN(12) {
		own := slices.Clone(keys)
		choice := r.IntN(10)
		if choice == 0 || !ordered {
			r.Shuffle(len(own), func(i, k int) { own[i], own[k] = own[k], own[i] })
		}
		switch choice {
		case 1:
			own = own[:r.IntN(len(own)+1)]
		case 2:
			own = append(own, `"n"`)
		}
		for i := range own {
			own[i] += colon + r.value(0)
		}
		rows = append(rows, "{"+space+strings.Join(own, comma)+space+"}")
	}
	if r.IntN(50) == 0 {
		rows = append(rows, r.value(0))
	}
	return r.space() + "[" + space + strings.Join(rows, comma) + r.space() + "]" + r.space()
}

func TestRandomRowsets(t *testing.T) {
	r := rowsets{rand.New(rand.NewPCG(1, 2))}
	for range 30_000 {
		text := r.text()
		hold(t, []byte(text), nil)
		hold(t, []byte(`{"a":1,"rows":`+text+`}`), pointers[1])
	}
}

func FuzzJudge(f *testing.F) {
	for i, document := range documents {
		f.Add([]byte(document), strings.Join(pointers[i%len(pointers)], "\x00"))
	}
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		var pointer []string
		if path != "" {
			pointer = strings.Split(path, "\x00")
		}
		hold(t, text, pointer)
	})
}

func TestNesting(t *testing.T) {
	nested := func(levels int) string {
		return `[{"x":` + strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2) + "}]"
	}
	hold(t, []byte(nested(Deepest)), nil)
	hold(t, []byte(nested(Deepest+1)), nil)
	hold(t, []byte(`{"rows":`+nested(Deepest-1)+"}"), pointers[1])
	hold(t, []byte(`{"rows":`+nested(Deepest)+"}"), pointers[1])
	deep := slices.Repeat([]string{"a"}, Deepest+5)
	for _, levels := range []int{Deepest - 2, Deepest - 1, Deepest, Deepest + 1} {
		for _, inside := range []string{"1", "[]", `[{"n":1}]`} {
			hold(t, []byte(strings.Repeat(`{"a":`, levels)+inside+strings.Repeat("}", levels)), deep[:min(levels, len(deep))])
		}
	}
	endless, _ := judge(strings.Repeat("[", 1_000_000), nil, nil)
	assert.Equal(t, NotJSON, endless.State)
}

// A name is compared with the bytes of a key before the key is read: only where they mean the same may that settle it.
func TestNamesThatAreWrittenOtherwise(t *testing.T) {
	for _, part := range []string{`"`, `\`, `\u0062`, "\x01", "\n", "\xff", "é", "\x7f", `":1,"b`, ":", " "} {
		for _, name := range []string{part, "a" + part, part + "a", "seven 7" + part, "eight  8" + part + "and more", part + "and eight"} {
			asked := []Column{{Name: name, Accepts: Accept(Number)}, {Name: "b", Accepts: Accept(Number) | Accept(Missing)}}
			written, err := json.Marshal(name)
			require.NoError(t, err)
			for _, text := range []string{
				`[{"` + name + `":1}]`, `[{` + string(written) + `:1}]`, `[{"` + name + `":1,"b":""}]`, `[{"b":1,"` + name + `":1}]`,
			} {
				want, wantTallies := reference([]byte(text), nil, asked)
				answer, got := judge(text, nil, asked)
				require.Equal(t, want.State, answer.State, "%q in %q", name, text)
				if want.State == Judged {
					for c := range asked {
						require.Equal(t, wantTallies[c].Absent, got[c].Absent, "%q in %q", name, text)
						require.Equal(t, wantTallies[c].Held, got[c].Held, "%q in %q", name, text)
					}
				}
			}
		}
	}
}

func TestManyColumns(t *testing.T) {
	var many []Column
	var row []string
	for i := range 3 * mostSteps {
		many = append(many, Column{Name: fmt.Sprint("column ", i), Accepts: Accept(Number)})
		row = append(row, fmt.Sprintf(`"column %d":%d`, i, i))
	}
	text := "[{" + strings.Join(row, ",") + "},{" + strings.Join(row, ",") + `},{"column\u00207":""}]`
	answer, tallies := judge(text, nil, many)
	require.Equal(t, 3, answer.Rows)
	for c, tally := range tallies {
		want := Missing
		if c == 7 {
			want = String
		}
		assert.Equal(t, 1, tally.Held[want], c)
	}
}

// The byte that is named is the first one at which no JSON text can go on, as encoding/json names it too.
func TestWhereATextStopsBeingJSON(t *testing.T) {
	sameOffsets := !strings.Contains(runtime.Version(), "jsonv2") // which counts from a literal's end, for one
	for _, document := range documents {
		text := []byte(document)
		for at := range text {
			for _, b := range []byte("\x00\"{x,]5") {
				text[at] = b
				answer, _ := judge(text, nil, nil)
				if answer.State != NotJSON || answer.At == len(text) {
					continue
				}
				before, _ := judge(text[:answer.At], nil, nil)
				assert.True(t, before.State != NotJSON || before.At == answer.At, "%q up to byte %d", text, answer.At)
				var syntax *json.SyntaxError
				if assert.ErrorAs(t, json.Unmarshal(text, new(any)), &syntax) && sameOffsets {
					assert.Equal(t, int(syntax.Offset)-1, answer.At, "%q: %v", text, syntax)
				}
			}
			text[at] = document[at]
		}
	}
}

// What one call leaves in the pooled work is not there for the next one, and it is bounded.
func TestNothingIsKept(t *testing.T) {
	text := strings.Repeat(`{"my secret key":"my secret cell"},`, 3)
	for _, size := range []int{20, 3 * mostKept} {
		var many []Column
		for i := range size {
			many = append(many, Column{Name: fmt.Sprint("secret name ", i), Accepts: Accept(Number)})
		}
		judge("["+text+`{}]`, nil, many)
		for range 10 {
			w := pool.Get().(*Work)
			for _, column := range w.Columns[:cap(w.Columns)] {
				assert.Zero(t, column)
			}
			for _, tally := range w.Tallies[:cap(w.Tallies)] {
				assert.Zero(t, tally)
			}
			for _, step := range w.shape.steps[:cap(w.shape.steps)] {
				assert.Zero(t, step)
			}
			assert.Empty(t, w.names)
			assert.Zero(t, w.shape.link)
			assert.LessOrEqual(t, max(cap(w.Columns), cap(w.Tallies), cap(w.shape.absent)), 2*mostKept)
			assert.LessOrEqual(t, cap(w.shape.steps), 2*mostSteps)
		}
	}
}

// Rows that change their shape for good are compared with the new one soon.
func TestShapeIsLearnedAgain(t *testing.T) {
	shapeAfter := func(text string) *shape {
		j := judgement[string]{columns: columns, tallies: make([]Tally, len(columns)), shape: &shape{}, isDate: startsWith2[string]}
		require.Equal(t, len(text), j.target(text, 0, 0))
		return j.shape
	}
	first, second := strings.Repeat(`{"n":1,"x":2},`, 10), strings.Repeat(`{"changed":1},`, 10)
	assert.Len(t, shapeAfter("["+first+`{"n":1}]`).steps, 2)
	assert.Len(t, shapeAfter("["+first+second+first+second+`{"changed":1}]`).steps, 1)
	now, then := strings.Repeat(first+`{"changed":1},`, 10), shapeAfter("["+first+`{"n":1}]`).patience
	assert.Equal(t, then, shapeAfter("["+now+`{"n":1}]`).patience, "rows that differ now and then cost nothing once others follow")
	turned := shapeAfter("[" + strings.Repeat(`{"n":1,"s":"a","x":2},{"x":1,"n":2,"s":"b"},{"s":null,"x":1,"n":2},`, 10) + `{"n":1,"s":"a","x":"away from the end"}]`)
	assert.Equal(t, []int{0, 4}, []int{turned.misses, len(turned.absent)}, "keys in another order are no reason to leave a shape")
	wide := strings.Repeat(`"x":1,`, mostSteps+1) + `"x":1`
	assert.False(t, shapeAfter("[{"+wide+"},{"+wide+"}]").usable, "what is remembered is bounded")
}
