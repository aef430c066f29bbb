package main

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/columntypes/columntypes"
	"github.com/go-json-experiment/json/jsontext"
)

// word is what a cell holds, as findings name it.
type word uint8

const (
	wordMissing word = iota
	wordNull
	wordString
	wordNumber
	wordBoolean
	wordObject
	wordArray
	wordBeyond
	wordCount
)

var words = [wordCount]string{"missing", "null", "string", "number", "boolean", "object", "array", "a number beyond float64"}

// tally is what one column's cells came to.
type tally struct {
	seen, offenders, firstRow int
	first                     word
	held                      [wordCount]int
}

// streamJudge judges raw JSON in one pass over the tokens of jsontext. It is a peer to be measured and, in the tests,
// a second opinion: it shares no code with the library. It accepts what json.Valid accepts, the last of two equal
// keys wins, and its dates are RFC 3339 only, unless isDate is set to something else. Not safe for concurrent use.
type streamJudge struct {
	decoder *jsontext.Decoder
	source  bytes.Buffer
	columns []loopColumn
	quoted  []string // the columns' names as JSON strings, where they need no escapes
	isDate  func([]byte) bool
	cells   []cell // of the current row
	tallies []tally
	rows    int
}

type cell struct {
	word word
	ok   bool
}

func newStreamJudge(columns columntypes.ToolResultColumns) *streamJudge {
	j := &streamJudge{
		decoder: jsontext.NewDecoder(&bytes.Buffer{}),
		columns: loopColumns(columns),
		cells:   make([]cell, len(columns)),
		tallies: make([]tally, len(columns)),
		isDate:  isRFC3339[[]byte],
	}
	for _, column := range columns {
		quoted := `"` + column.Name + `"`
		if strings.ContainsRune(column.Name, '\\') || !utf8.ValidString(column.Name) {
			quoted = "" // as no key is
		}
		j.quoted = append(j.quoted, quoted)
	}
	return j
}

// judge gives the reason why the text was not judged, or "" and the tallies.
func (j *streamJudge) judge(raw []byte) columntypes.Reason {
	j.source = *bytes.NewBuffer(raw) // a bytes.Buffer is read in place
	j.decoder.Reset(&j.source, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	clear(j.tallies)
	j.rows = 0
	reason, err := j.readRows()
	if err == nil {
		if _, err = j.decoder.ReadToken(); err == nil {
			err = errors.New("a second value")
		}
	}
	if err != io.EOF {
		return columntypes.ReasonNotJSON
	}
	return reason
}

func (j *streamJudge) readRows() (columntypes.Reason, error) {
	if j.decoder.PeekKind() != '[' {
		return columntypes.ReasonNotRowset, j.skip()
	}
	if _, err := j.decoder.ReadToken(); err != nil {
		return "", err
	}
	reason := columntypes.ReasonEmpty
	for {
		kind := j.decoder.PeekKind()
		var err error
		switch {
		case kind == ']':
			_, err = j.decoder.ReadToken()
			return reason, err
		case kind != '{':
			reason = columntypes.ReasonNotRowset
			err = j.skip()
		default:
			if reason == columntypes.ReasonEmpty {
				reason = ""
			}
			err = j.readRow()
		}
		if err != nil {
			return "", err
		}
	}
}

// skip passes a value; the end of the text in its place is an error of its own, not the end that judge waits for.
func (j *streamJudge) skip() error {
	if err := j.decoder.SkipValue(); err != io.EOF {
		return err
	}
	return io.ErrUnexpectedEOF
}

func (j *streamJudge) readRow() error {
	if _, err := j.decoder.ReadToken(); err != nil {
		return err
	}
	clear(j.cells)
	for j.decoder.PeekKind() != '}' {
		key, err := j.decoder.ReadValue()
		if err != nil {
			return err
		}
		c := j.column(key)
		if c < 0 {
			if err := j.decoder.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if j.cells[c], err = j.readCell(&j.columns[c]); err != nil {
			return err
		}
	}
	for c := range j.cells {
		j.tallies[c].count(&j.columns[c], j.cells[c], j.rows)
	}
	j.rows++
	_, err := j.decoder.ReadToken()
	return err
}

func (t *tally) count(column *loopColumn, c cell, row int) {
	if c.word != wordMissing {
		t.seen++
	}
	if c.ok || column.nullable && c.word <= wordNull {
		return
	}
	if t.offenders == 0 {
		t.firstRow, t.first = row, c.word
	}
	t.offenders++
	t.held[c.word]++
}

// column finds a key that still has its quotes, or gives -1.
func (j *streamJudge) column(key []byte) int {
	for c, quoted := range j.quoted {
		if string(key) == quoted {
			return c
		}
	}
	if isPlain(key) {
		return -1
	}
	name := unquoted(key)
	for c := range j.columns {
		if string(name) == j.columns[c].name {
			return c
		}
	}
	return -1
}

// isPlain tells a JSON string that is its own value: no escapes, and ASCII, so no invalid UTF-8 either.
func isPlain(quoted []byte) bool {
	for _, c := range quoted {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// unquoted puts U+FFFD for what is not UTF-8, as encoding/json does.
func unquoted(quoted []byte) []byte {
	if isPlain(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	plain, _ := jsontext.AppendUnquote(nil, quoted) // the error says only that something was not UTF-8
	return plain
}

func (j *streamJudge) readCell(column *loopColumn) (cell, error) {
	switch j.decoder.PeekKind() {
	case '{':
		return cell{word: wordObject}, j.decoder.SkipValue()
	case '[':
		return cell{word: wordArray}, j.decoder.SkipValue()
	}
	value, err := j.decoder.ReadValue()
	if err != nil {
		return cell{}, err
	}
	switch value[0] {
	case 'n':
		return cell{word: wordNull}, nil
	case 't', 'f':
		return cell{word: wordBoolean, ok: column.kind == boolean}, nil
	case '"':
		return cell{word: wordString, ok: column.kind == text || column.kind == date && j.isDate(unquoted(value))}, nil
	}
	if isBeyondFloat64(value) {
		return cell{word: wordBeyond}, nil
	}
	return cell{word: wordNumber, ok: column.kind == number}, nil
}

// isBeyondFloat64 parses only a number that has an exponent or more digits than a float64 can hold.
func isBeyondFloat64(value []byte) bool {
	if len(value) <= 300 && bytes.IndexByte(value, 'e') < 0 && bytes.IndexByte(value, 'E') < 0 {
		return false
	}
	_, err := strconv.ParseFloat(string(value), 64)
	return err != nil
}
