package rawrows

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is what a cell holds.
type Kind uint8

// The kinds. Missing is an absent key, Beyond a number too large for float64.
const (
	Missing Kind = iota
	Null
	String
	Number
	Boolean
	Object
	Array
	Beyond
	Kinds
)

// Accepted is a set of kinds.
type Accepted uint16

// Accept makes a set of one kind; sets are joined by |.
func Accept(kind Kind) Accepted { return 1 << kind }

// Has tells whether a kind is in the set.
func (a Accepted) Has(kind Kind) bool { return a>>kind&1 == 1 }

// Column is one declared column: the kinds that satisfy it, and whether a string has to be a date too.
type Column struct {
	Name    string
	Accepts Accepted
	Date    bool
}

// Tally is what the cells of one column came to.
type Tally struct {
	Absent     int // rows without the key, whether or not the column accepts that
	Offenders  int
	FirstRow   int // of the first offender, counted from 0
	FirstKind  Kind
	Start, End int        // the first offender's value is text[Start:End]
	Held       [Kinds]int // offenders by what they hold

	lastRow   int // the latest row that has the key, counted from 1, as far as the simple pass knows
	failedRow int // the latest row that offended, counted from 1, and with what
	lastKind  Kind
}

func (t *Tally) offend(row int, kind Kind, start, end int) {
	if t.Offenders == 0 {
		t.FirstRow, t.FirstKind, t.Start, t.End = row, kind, start, end
	}
	t.Offenders++
	t.Held[kind]++
	t.failedRow, t.lastKind = row+1, kind
}

// meet notes that a row has the key, and forgets the verdict on an earlier cell of that row. Again tells that there
// was one.
func (t *Tally) meet(row int) (again bool) {
	if t.failedRow == row+1 {
		t.Offenders--
		t.Held[t.lastKind]--
		t.failedRow = 0
	}
	again = t.lastRow == row+1
	t.lastRow = row + 1
	return again
}

// judge counts a cell of a column unless it satisfies it.
func (j *judgement[T]) judge(text T, row, column int, kind Kind, start, end int) {
	c := &j.columns[column]
	kind = settled(text, kind, start, end)
	if !c.Accepts.Has(kind) || c.Date && kind == String && !j.isDate(text[start+1:end-1]) && !j.isDate(meant(text[start+1:end-1])) {
		j.tallies[column].offend(row, kind, start, end)
	}
}

// meant gives what the inside of a string stands for: mostly itself.
func meant[T Text](inside T) T {
	if isPlain(inside) {
		return inside
	}
	text := string(inside)
	if !strings.Contains(text, `\`) && utf8.ValidString(text) {
		return inside
	}
	// It has been read already, so there is no error, unless it was written to meanwhile.
	_ = json.Unmarshal([]byte(`"`+text+`"`), &text)
	return T(text)
}

// isPlain tells a text that is written in JSON as it is: ASCII without quotes, backslashes and controls.
func isPlain[T Text](text T) bool {
	at := 0
	for ; at+8 <= len(text); at += 8 {
		if w := Word(text, at); (stops(w)|w)&highBits != 0 {
			return false
		}
	}
	for ; at < len(text); at++ {
		if c := text[at]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// IsNumber tells whether the whole of a text is a number as JSON writes it, and whether that fits a float64.
func IsNumber[T Text](text T) (is, fits bool) {
	end, kind := numberEnd(text, 0)
	is = end == len(text)
	return is, is && settled(text, kind, 0, end) == Number
}

// settled tells a number that only might be too large for a float64 from one that is.
func settled[T Text](text T, kind Kind, start, end int) Kind {
	if kind == Beyond {
		if _, err := strconv.ParseFloat(string(text[start:end]), 64); err == nil {
			return Number
		}
	}
	return kind
}
