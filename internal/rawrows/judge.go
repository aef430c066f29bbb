package rawrows

import (
	"slices"
	"sync"
)

// State says what a text turned out to be.
type State uint8

// The states. Any text that is not JSON is NotJSON, whatever else could be said of it.
const (
	NotFound State = iota // the pointer leads nowhere
	NotJSON
	NotRows // no array of objects
	Empty   // an array with zero rows
	Judged
)

// Answer is what a text came to, beside the tallies.
type Answer struct {
	State State
	At    int  // NotJSON: the byte that cannot stand where it does, or the text's length if the text ends too early
	Found int  // how many tokens of the pointer lead somewhere
	Item  int  // NotRows: the index of the first item that is no object, -1 for a value that is no array
	Kind  Kind // NotRows: what that is
	Rows  int
	Start int // Judged: where the array begins
}

// judgement is the state of one call.
type judgement[T Text] struct {
	pointer  []string
	isDate   func(T) bool
	columns  []Column
	tallies  []Tally
	shape    *shape
	names    map[string]int
	answer   Answer
	depth    int  // levels that are open around a row
	present  int  // declared columns met in the row that is read by hand
	repeated bool // one of them more than once
}

// Work is what one call asks of the columns and what comes of it. Take it, fill in Columns, judge, read Tallies, and
// give it back.
type Work struct {
	Columns []Column // with distinct names
	Tallies []Tally  // one for each column
	shape   shape
	names   map[string]int // where there are many columns: their indexes plus one
}

var pool = sync.Pool{New: func() any { return &Work{names: map[string]int{}} }}

// mostKept bounds the columns whose memory is worth keeping.
const mostKept = 1024

// Take gives the work for a number of columns.
func Take(columns int) *Work {
	w := pool.Get().(*Work)
	w.Columns = slices.Grow(w.Columns[:0], columns)[:columns]
	w.Tallies = slices.Grow(w.Tallies[:0], columns)[:columns]
	return w
}

// Judge reads a text and fills in the tallies, which are zero before. The pointer is the unescaped tokens of a
// JSON Pointer to the rows. It keeps nothing of the text beyond the work.
func Judge[T Text](text T, pointer []string, isDate func(T) bool, w *Work) Answer {
	j := judgement[T]{pointer: pointer, isDate: isDate, columns: w.Columns, tallies: w.Tallies, shape: &w.shape, names: w.names}
	if len(j.columns) > fewColumns {
		for c := range j.columns {
			j.names[j.columns[c].Name] = c + 1
		}
	}
	at := j.descend(text, afterSpace(text, 0), 0)
	if at >= 0 {
		at = afterSpace(text, at)
	}
	if at != len(text) {
		return Answer{State: NotJSON, At: max(at, ^at)}
	}
	return j.answer
}

// Give puts the work back into the pool, without anything of the caller's in it. It may not be read afterwards.
func (w *Work) Give() {
	if max(len(w.Columns), len(w.names)) > mostKept {
		return
	}
	clear(w.Columns)
	clear(w.Tallies)
	w.shape.restart(0)
	if len(w.names) > 0 {
		clear(w.names)
	}
	pool.Put(w)
}
