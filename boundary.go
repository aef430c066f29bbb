package columntypes

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"
)

// The names under which the family of integrity checks reports: a host that emits events uses them for what an
// [Observer] is told.
const (
	EventContextError = "agentfootprint.integrity.context_error" // Observer.ContextError
	EventDisposition  = "agentfootprint.integrity.disposition"   // Observer.Disposition
)

// Observer is told what happens at a [Boundary], on the goroutine of the call that it is about, so it must be safe for
// concurrent use and is better quick. The Call's values, and the Outcome's and the Finding's slices and maps, are
// shared and must not be written to; the rows are its own. A Call holds the whole result whatever RedactSamples says. An
// observer that panics is contained.
type Observer interface {
	// Checked is told of every call while the dial is not off, judged or not.
	Checked(context.Context, Call, Outcome)
	// ContextError is told of each finding new to the ledger, after the call's Checked, in declaration order.
	ContextError(context.Context, Finding)
	// Disposition is told of every Report, with the dial off too.
	Disposition(context.Context, []DispositionRow)
}

// Boundary is what a host holds on to where tool results come back: a dial, a ledger and an observer. The zero value is
// ready for use, with the dial off. Set the fields before the first use and do not copy it afterwards; then it is safe
// for concurrent use. A nil *Boundary is one with the dial off that keeps nothing.
type Boundary struct {
	Mode          Mode
	Ledger        *Ledger  // nil: the Boundary keeps one of its own
	Observer      Observer // nil: nobody is told
	RedactSamples bool     // as if every Call had it set

	own      Ledger
	panicked atomic.Bool
}

// Check judges a call, files the outcome in the ledger, and tells the observer: Checked, then ContextError for each
// finding that is new. Repeats of a finding stand in the outcome all the same. With the dial off it only counts the
// call: it allocates nothing and tells nobody. It never panics, whatever the observer does; a nil context is
// [context.Background].
//
// A host goes on with [Outcome.Payload] of the result, and with [Outcome.Status] where it routes by status.
func (b *Boundary) Check(ctx context.Context, call Call) Outcome {
	if b == nil {
		return Check(Off, call)
	}
	call.RedactSamples = call.RedactSamples || b.RedactSamples
	outcome := Check(b.Mode, call)
	unseen := b.ledger().File(outcome)
	if b.Mode == Off || b.Observer == nil {
		return outcome
	}
	if ctx == nil {
		ctx = context.Background()
	}
	b.tellChecked(ctx, call, outcome)
	for _, finding := range unseen {
		b.tellContextError(ctx, finding)
	}
	return outcome
}

// Report gives the ledger's rows as they stand and hands a copy of them to the observer; a host calls it at the end of
// a run. The slice is the caller's own. A nil context is [context.Background].
func (b *Boundary) Report(ctx context.Context) []DispositionRow {
	if b == nil {
		return (*Ledger)(nil).Report()
	}
	rows := b.ledger().Report()
	if b.Observer == nil {
		return rows
	}
	if ctx == nil {
		ctx = context.Background()
	}
	b.tellDisposition(ctx, slices.Clone(rows))
	return rows
}

func (b *Boundary) ledger() *Ledger {
	if b.Ledger != nil {
		return b.Ledger
	}
	return &b.own
}

func (b *Boundary) tellChecked(ctx context.Context, call Call, outcome Outcome) {
	defer b.contain("Checked")
	b.Observer.Checked(ctx, call, outcome)
}

func (b *Boundary) tellContextError(ctx context.Context, finding Finding) {
	defer b.contain("ContextError")
	b.Observer.ContextError(ctx, finding)
}

func (b *Boundary) tellDisposition(ctx context.Context, rows []DispositionRow) {
	defer b.contain("Disposition")
	b.Observer.Disposition(ctx, rows)
}

// contain is deferred around each method of the observer. The first panic is reported; its value is not, because it
// may hold text of a cell.
func (b *Boundary) contain(method string) {
	recovered := recover()
	if recovered == nil || !b.panicked.CompareAndSwap(false, true) {
		return
	}
	defer func() { _ = recover() }() // the default logger may be what panicked in the first place
	slog.Default().Error("columntypes: the observer panicked; the tool call went on, and further panics of this observer are contained in silence",
		slog.String("method", method),
		slog.String("observer", clip(fmt.Sprintf("%T", b.Observer))),
		slog.String("panic", clip(fmt.Sprintf("%T", recovered))),
		slog.String("stack", string(debug.Stack())))
}
