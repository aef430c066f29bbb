package columntypes

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"log/slog"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder notes what an observer is told, in order.
type recorder struct {
	mu       sync.Mutex
	told     []string
	contexts []context.Context
	findings []Finding
	calls    []Call
	rows     [][]DispositionRow
}

func (r *recorder) note(ctx context.Context, what string) {
	r.told, r.contexts = append(r.told, what), append(r.contexts, ctx)
}

func (r *recorder) Checked(ctx context.Context, call Call, outcome Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, "checked "+string(outcome.Disposition(KindColumnTypeMismatch)))
	r.calls = append(r.calls, call)
}

func (r *recorder) ContextError(ctx context.Context, finding Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, string(finding.Kind)+" "+finding.Violation.Column)
	r.findings = append(r.findings, finding)
}

func (r *recorder) Disposition(ctx context.Context, rows []DispositionRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(ctx, "disposition")
	r.rows = append(r.rows, rows)
}

// withDefaultLogger puts a handler behind slog.Default for one test.
func withDefaultLogger(t *testing.T, handler slog.Handler) {
	t.Helper()
	before, writer, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(writer) // SetDefault has tied package log to the handler and does not untie it
		log.SetFlags(flags)
	})
	slog.SetDefault(slog.New(handler))
}

var fieldCall = Call{ToolName: "host_group_mappings", ToolCallID: "call-1", Columns: lun, Text: fieldCase}

func TestBoundaryTellsInOrder(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "the run's")
	var seen recorder
	boundary := Boundary{Mode: Warn, Observer: &seen}
	twice := fieldCall
	twice.Text = `[{"logical_unit_number":""},{"logical_unit_number":3}]`
	boundary.Check(ctx, fieldCall)
	boundary.Check(ctx, twice)
	boundary.Check(ctx, Call{})
	rows := boundary.Report(ctx)
	assert.Equal(t, []string{
		"checked checked-fail", "column-type-mismatch logical_unit_number",
		"checked checked-fail", "missing-column host_group",
		"checked not-applicable",
		"disposition",
	}, seen.told, "a repeat is filed once, and a call that was not judged is told too")
	for _, given := range seen.contexts {
		assert.Equal(t, "the run's", given.Value(key{}))
	}
	assert.Equal(t, rows, seen.rows[0])
	assert.Equal(t, 2, rows[0].Findings, "the count has the repeat")
	seen.rows[0][0].Checked = 99
	assert.Equal(t, 2, rows[0].Checked, "the observer's rows are its own")
}

func TestBoundaryGivesWhatCheckGives(t *testing.T) {
	for _, mode := range []Mode{Off, Warn, Enforce, Mode(9)} {
		boundary := Boundary{Mode: mode}
		for range 2 {
			assert.Equal(t, Check(mode, fieldCall), boundary.Check(t.Context(), fieldCall), "%v: a repeat stands in the outcome all the same", mode)
		}
		assert.Equal(t, 2, sum(boundary.Report(t.Context())[0]), "%v: every call files a disposition", mode)
	}
	boundary := Boundary{Mode: Enforce}
	outcome := boundary.Check(t.Context(), fieldCall)
	assert.Equal(t, StatusInvalid, outcome.Status())
	assert.Equal(t, outcome.Refusal, outcome.Payload(fieldCall.Text), "payload and status are all that a host needs")
}

func sum(row DispositionRow) int { return row.Checked + row.NotApplicable + row.Unreachable }

func TestBoundaryOff(t *testing.T) {
	var seen recorder
	boundary := Boundary{Observer: &seen}
	rows := []map[string]any{{"logical_unit_number": "", "host_group": "vdi-a"}}
	call := Call{ToolName: "t", Columns: lun, Result: rows}
	ctx := t.Context()
	var outcome Outcome
	allocated := testing.AllocsPerRun(100, func() { outcome = boundary.Check(ctx, call) })
	assert.Zero(t, allocated)
	assert.Empty(t, seen.told, "no event")
	assert.Equal(t, any(rows), outcome.Payload(call.Result))
	assert.Equal(t, []map[string]any{{"logical_unit_number": "", "host_group": "vdi-a"}}, rows, "the result is untouched")
	assert.Equal(t, []DispositionRow{
		{Check: KindColumnTypeMismatch, NotApplicable: 101}, {Check: KindMissingColumn, NotApplicable: 101},
	}, boundary.Report(ctx), "and yet every call is a row")
	assert.Equal(t, []string{"disposition"}, seen.told, "the report is handed over with the dial off too")
}

func TestBoundaryCostsWhatItsObserverCosts(t *testing.T) {
	call := Call{Columns: lun, Result: []map[string]any{{"logical_unit_number": 3.0, "host_group": "vdi-a"}}}
	boundary := Boundary{Mode: Enforce, Observer: nothing{}}
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() { boundary.Check(ctx, call) }), "clean decoded rows")
}

type nothing struct{}

func (nothing) Checked(context.Context, Call, Outcome)        {}
func (nothing) ContextError(context.Context, Finding)         {}
func (nothing) Disposition(context.Context, []DispositionRow) {}

func TestBoundaryWithNothingGiven(t *testing.T) {
	var none *Boundary
	assert.Equal(t, ReasonOff, none.Check(t.Context(), fieldCall).NotJudged)
	assert.Equal(t, new(Ledger).Report(), none.Report(t.Context()))

	var zero Boundary
	assert.Equal(t, ReasonOff, zero.Check(t.Context(), fieldCall).NotJudged, "the zero dial is off")

	var seen recorder
	without := Boundary{Mode: Warn, Observer: &seen}
	var noContext context.Context
	without.Check(noContext, fieldCall)
	without.Report(noContext)
	require.Len(t, seen.contexts, 3)
	for _, given := range seen.contexts {
		assert.NotNil(t, given, "an observer is never given a nil context")
	}
}

func TestBoundariesShareALedger(t *testing.T) {
	var run Ledger
	var seen recorder
	for range 2 { // as two servers of one host do
		boundary := Boundary{Mode: Warn, Ledger: &run, Observer: &seen}
		boundary.Check(t.Context(), fieldCall)
		assert.Equal(t, run.Report(), boundary.Report(t.Context()))
	}
	assert.Len(t, seen.findings, 1)
	assert.Equal(t, 2, run.Report()[0].Findings)
}

func TestBoundaryRedacts(t *testing.T) {
	for reason, given := range map[string]struct{ boundary, call bool }{
		"the boundary's word": {true, false}, "the call's word": {false, true}, "both": {true, true},
	} {
		var seen recorder
		boundary := Boundary{Mode: Warn, Observer: &seen, RedactSamples: given.boundary}
		call := fieldCall
		call.RedactSamples = given.call
		outcome := boundary.Check(t.Context(), call)
		assert.Equal(t, "string of 0 characters", outcome.Findings[0].Violation.Sample, reason)
		assert.True(t, seen.calls[0].RedactSamples, "%s: the observer is told too", reason)
	}
}

// panicky panics in each of its methods, with the text of a cell.
type panicky struct{ recorder }

func (p *panicky) Checked(ctx context.Context, call Call, outcome Outcome) {
	p.recorder.Checked(ctx, call, outcome)
	panic(call.Text)
}

func (p *panicky) ContextError(ctx context.Context, finding Finding) {
	p.recorder.ContextError(ctx, finding)
	panic(finding)
}

func (p *panicky) Disposition(ctx context.Context, rows []DispositionRow) {
	p.recorder.Disposition(ctx, rows)
	panic(nil)
}

func TestAnObserverThatPanics(t *testing.T) {
	var logged bytes.Buffer
	withDefaultLogger(t, slog.NewJSONHandler(&logged, nil))
	var seen panicky
	boundary := Boundary{Mode: Enforce, Observer: &seen}
	for range 2 {
		assert.Equal(t, Check(Enforce, fieldCall), boundary.Check(t.Context(), fieldCall), "the tool call goes on")
	}
	assert.Equal(t, 2, boundary.Report(t.Context())[0].Findings)
	assert.Equal(t, []string{"checked checked-fail", "column-type-mismatch logical_unit_number", "checked checked-fail", "disposition"}, seen.told,
		"each method is contained for itself")

	lines := bytes.Split(bytes.TrimSpace(logged.Bytes()), []byte("\n"))
	require.Len(t, lines, 1, "it is reported once")
	var line map[string]string
	require.NoError(t, json.Unmarshal(lines[0], &line))
	assert.Equal(t, "ERROR", line["level"])
	assert.Equal(t, "Checked", line["method"])
	assert.Equal(t, "*columntypes.panicky", line["observer"])
	assert.Equal(t, "string", line["panic"])
	assert.Contains(t, line["stack"], "(*panicky).Checked", "where to look")
	assert.NotContains(t, logged.String(), "vdi-a", "what it panicked with may be a cell")

	(&Boundary{Mode: Warn, Observer: &seen}).Check(t.Context(), fieldCall)
	assert.Equal(t, 2, bytes.Count(logged.Bytes(), []byte("\n")), "once for each Boundary")
}

func TestAnObserverThatIsANilPointer(t *testing.T) {
	var logged bytes.Buffer
	withDefaultLogger(t, slog.NewTextHandler(&logged, nil))
	var none *recorder
	boundary := Boundary{Mode: Warn, Observer: none}
	assert.Len(t, boundary.Check(t.Context(), fieldCall).Findings, 1)
	assert.Contains(t, logged.String(), "runtime.errorString")
}

type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenHandler) Handle(context.Context, slog.Record) error { panic("the disk is full") }

func TestADefaultLoggerThatPanics(t *testing.T) {
	withDefaultLogger(t, brokenHandler{})
	boundary := Boundary{Mode: Warn, Observer: LogObserver(nil)}
	assert.NotPanics(t, func() {
		assert.Len(t, boundary.Check(t.Context(), fieldCall).Findings, 1)
		boundary.Report(t.Context())
	}, "there is nowhere left to report it")
}

func TestBoundaryUnderConcurrentUse(t *testing.T) {
	const goroutines, calls, tools = 64, 30, 5
	var seen recorder
	var run, process Ledger
	boundary := Boundary{Mode: Warn, Ledger: &run, Observer: &seen}
	texts := []string{fieldCase, `[{"host_group":"a"}]`, `[{"logical_unit_number":1,"host_group":"a"}]`, "prose"}
	ctx := t.Context()
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for i := range calls {
				call := Call{ToolName: strconv.Itoa(i % tools), Columns: lun, Text: texts[i%len(texts)]}
				boundary.Check(ctx, call)
				process.Merge(boundary.Report(ctx))
				process.Merge([]DispositionRow{{Check: KindMissingColumn, Unreachable: 1}})
			}
		})
	}
	all.Wait()
	// Of 30 calls, i%4 is 0 eight times, 1 eight times, 2 and 3 seven times each.
	rows := run.Report()
	assert.Equal(t, goroutines*23, rows[0].Checked)
	assert.Equal(t, goroutines*7, rows[0].NotApplicable)
	assert.Equal(t, goroutines*8, rows[0].Findings)
	assert.Equal(t, goroutines*23, rows[1].Checked)
	assert.Equal(t, goroutines*8, rows[1].Findings)
	assert.Equal(t, goroutines*calls, process.Report()[1].Unreachable)

	filed := map[identity]int{}
	for i := range seen.findings {
		filed[identityOf(&seen.findings[i])]++
	}
	assert.Len(t, filed, 2*tools, "each tool has both defects")
	for id, times := range filed {
		assert.Equal(t, 1, times, "%v is filed once", id)
	}
	assert.Len(t, seen.calls, goroutines*calls)
	for _, report := range seen.rows {
		require.LessOrEqual(t, report[0].Findings, report[0].Checked)
		require.Equal(t, report[0].Checked, report[1].Checked, "a report is of one moment")
	}
}
