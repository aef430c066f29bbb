package rawrows

import "sync"

// Question is what is asked of a text.
type Question[T Text] struct {
	Pointer []string // the unescaped tokens of a JSON Pointer to the rows
	Columns []Column // with distinct names
	IsDate  func(T) bool
}

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
	columns  []Column
	pointer  []string
	isDate   func(T) bool
	tallies  []Tally
	answer   Answer
	depth    int  // levels that are open around a row
	present  int  // declared columns met in the row that is read by hand
	repeated bool // one of them more than once
	memory   *memory
}

// memory is what a call needs beyond its stack.
type memory struct {
	shape shape
	names map[string]int // columns by name, where there are many
}

var pool = sync.Pool{New: func() any { return &memory{names: map[string]int{}} }}

// mostKept bounds the columns whose memory is worth keeping.
const mostKept = 1024

// Judge reads a text and fills one tally for each column. It keeps nothing of the question.
func Judge[T Text](text T, q Question[T], tallies []Tally) Answer {
	memory := pool.Get().(*memory)
	j := judgement[T]{columns: q.Columns, pointer: q.Pointer, isDate: q.IsDate, tallies: tallies, memory: memory}
	if len(j.columns) > fewColumns {
		for c := range j.columns {
			memory.names[j.columns[c].Name] = c
		}
	}
	at := j.descend(text, afterSpace(text, 0), 0)
	if at >= 0 {
		if at = afterSpace(text, at); at < len(text) {
			at = ^at
		}
	}
	memory.release()
	if at < 0 {
		return Answer{State: NotJSON, At: ^at}
	}
	return j.answer
}

// release gives the memory back without anything of the caller's in it.
func (m *memory) release() {
	m.shape.forget()
	switch {
	case len(m.names) > mostKept:
		*m = memory{names: map[string]int{}}
	case len(m.names) > 0:
		clear(m.names)
	}
	pool.Put(m)
}
