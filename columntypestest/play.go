package columntypestest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/columntypes/columntypes"
)

type serveFunc func(*columntypes.Boundary, Catalogue) Session

// play is Run without a *testing.T.
func play(ctx context.Context, r reporter, serve serveFunc) {
	p := player{ctx: ctx, serve: serve, all: scenarios()}
	r.Run("without the adapter", p.playWithout)
	r.Run("off", p.playOff)
	for _, mode := range []columntypes.Mode{columntypes.Warn, columntypes.Enforce} {
		r.Run(mode.String(), func(r reporter) { p.playMode(r, mode) })
	}
	r.Run("a list that changed", p.playChange)
}

// player has what the parts of a play share.
type player struct {
	ctx    context.Context
	serve  serveFunc
	all    []scenario
	before map[string][]byte // each tool's answer without the adapter
}

// told is one call as an observer is told of it.
type told struct {
	call    columntypes.Call
	outcome columntypes.Outcome
}

// witness is an observer that remembers.
type witness struct {
	mu       sync.Mutex
	calls    []told
	findings int
}

func (w *witness) Checked(_ context.Context, call columntypes.Call, outcome columntypes.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, told{call, outcome})
}

func (w *witness) ContextError(context.Context, columntypes.Finding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings++
}

func (*witness) Disposition(context.Context, []columntypes.DispositionRow) {}

// take gives the calls told since the last time.
func (w *witness) take() []told {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

func (p *player) playWithout(r reporter) {
	session := p.serve(nil, catalogueOf(p.all))
	p.before = map[string][]byte{}
	p.list(r, session)
	for i := range p.all {
		if reading, ok := p.call(r, session, p.all[i].tool.Name); ok {
			p.before[p.all[i].tool.Name] = reading.Whole
		}
	}
}

// playOff holds every answer to what it is without the adapter, byte for byte.
func (p *player) playOff(r reporter) {
	var ledger columntypes.Ledger
	var seen witness
	session := p.serve(&columntypes.Boundary{Mode: columntypes.Off, Ledger: &ledger, Observer: &seen}, catalogueOf(p.all))
	p.list(r, session)
	for i := range p.all {
		if reading, ok := p.call(r, session, p.all[i].tool.Name); ok {
			p.sameAsBefore(r, &p.all[i], reading)
		}
	}
	if calls := seen.take(); len(calls) > 0 {
		r.Errorf("the observer was told of %d calls with the dial off", len(calls))
	}
	for _, row := range ledger.Report() {
		if row.NotApplicable != len(p.all) || row.Checked+row.Unreachable > 0 {
			r.Errorf("%d calls with the dial off are to be as many not-applicable in %s, got %+v", len(p.all), row.Check, row)
		}
	}
}

func (p *player) playMode(r reporter, mode columntypes.Mode) {
	var ledger columntypes.Ledger
	var seen witness
	session := p.serve(&columntypes.Boundary{Mode: mode, Ledger: &ledger, Observer: &seen}, catalogueOf(p.all))
	r.Run("listing", func(r reporter) { p.playListing(r, session) })
	var findings int
	readings := map[string][]byte{}
	for i := range p.all {
		s := &p.all[i]
		findings += len(s.findings)
		r.Run(s.tool.Name, func(r reporter) {
			reading, ok := p.call(r, session, s.tool.Name)
			if !ok {
				return
			}
			readings[s.tool.Name] = reading.Whole
			p.judge(r, mode, s, reading, seen.take())
		})
	}
	r.Run("dispositions", func(r reporter) { p.checkReport(r, &ledger, 1) })
	r.Run("concurrent calls", func(r reporter) {
		p.playConcurrently(r, session, readings)
		if calls := seen.take(); len(calls) != rounds*len(p.all) {
			r.Errorf("the observer was told of %d of %d concurrent calls", len(calls), rounds*len(p.all))
		}
		p.checkReport(r, &ledger, 1+rounds)
	})
	if seen.findings != findings {
		r.Errorf("the observer was told of %d new findings, not %d: a defect seen again is not new", seen.findings, findings)
	}
}

// judge holds one call to its scenario.
func (p *player) judge(r reporter, mode columntypes.Mode, s *scenario, reading Reading, calls []told) {
	if len(calls) != 1 {
		r.Errorf("%v: the observer was told of %d calls, not of one", s, len(calls))
		return
	}
	call, outcome := calls[0].call, calls[0].outcome
	if !strings.HasSuffix(call.ToolName, s.tool.Name) {
		r.Errorf("%v: was checked as tool %q", s, call.ToolName)
	}
	if s.notJudged == "" && outcome.NotJudged != "" {
		r.Errorf("%v: is to be judged, and was not: %s: %s", s, outcome.NotJudged, outcome.Detail)
	} else if s.notJudged == anyReason && outcome.NotJudged == "" || s.notJudged != anyReason && s.notJudged != outcome.NotJudged {
		r.Errorf("%v: is not to be judged because of %q, got %q: %s", s, s.notJudged, outcome.NotJudged, outcome.Detail)
	}
	for check, want := range map[columntypes.Kind]columntypes.Disposition{
		columntypes.KindColumnTypeMismatch: s.mismatch, columntypes.KindMissingColumn: s.missing,
	} {
		if got := outcome.Disposition(check); got != want {
			r.Errorf("%v: %s is to be %s, got %s", s, check, want, got)
		}
	}
	if got := columnsOf(outcome.Findings); !sameNames(got, s.findings) {
		r.Errorf("%v: found %q wrong, not %q", s, got, s.findings)
	}
	if mode == columntypes.Enforce && len(s.findings) > 0 {
		p.refused(r, s, reading, outcome.Refusal)
		return
	}
	p.sameAsBefore(r, s, reading)
}

func columnsOf(findings []columntypes.Finding) (columns []string) {
	for _, finding := range findings {
		columns = append(columns, finding.Violation.Column)
	}
	return columns
}

// sameNames lets an adapter lose the order, as a Go map does.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// refused looks at every channel of an answer that must be the refusal and nothing else.
func (p *player) refused(r reporter, s *scenario, reading Reading, refusal string) {
	if !strings.HasPrefix(refusal, "Result rejected: ") {
		r.Errorf("%v: the outcome has no refusal: %q", s, refusal)
	}
	if !slices.Equal(reading.Texts, []string{refusal}) {
		r.Errorf("%v: the one text is to be the refusal, got %q", s, reading.Texts)
	}
	if !reading.IsError {
		r.Errorf("%v: a refusal is to be marked as an error", s)
	}
	if len(reading.Structured) > 0 {
		r.Errorf("%v: structured content is left beside the refusal: %s", s, reading.Structured)
	}
	if bytes.Contains(reading.Whole, []byte(canary)) {
		r.Errorf("%v: cells are left beside the refusal: %s", s, reading.Whole)
	}
	for _, text := range reading.Texts {
		if at := strings.IndexFunc(text, notInert); at >= 0 {
			r.Errorf("%v: the refusal holds a character that is not inert: %q", s, text[at:])
		}
	}
	if !holds(reading.Meta, s.tool.Result.Meta) {
		r.Errorf("%v: the result's _meta is not kept: %v", s, reading.Meta)
	}
}

func notInert(char rune) bool {
	return unicode.In(char, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// holds tells whether meta has all of some members, as JSON has them.
func holds(meta, members map[string]any) bool {
	for key, want := range members {
		got, has := meta[key]
		if !has || asJSON(got) != asJSON(want) {
			return false
		}
	}
	return true
}

func asJSON(value any) string {
	written, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("no JSON: %v", err)
	}
	return string(written)
}

func (p *player) sameAsBefore(r reporter, s *scenario, reading Reading) {
	if before, known := p.before[s.tool.Name]; known && !bytes.Equal(before, reading.Whole) {
		r.Errorf("%v: the answer is not what it is without the adapter:\n%s\n%s", s, before, reading.Whole)
	}
}

// playListing looks for every tool, its declaration and its _meta.
func (p *player) playListing(r reporter, session Session) {
	pages := p.list(r, session)
	if len(pages) < 2 {
		r.Errorf("the listing is to come in pages of 7, got %d", len(pages))
	}
	listed := map[string]ListedTool{}
	for _, tool := range slices.Concat(pages...) {
		if _, twice := listed[tool.Name]; twice {
			r.Errorf("tool %q is listed twice", tool.Name)
		}
		listed[tool.Name] = tool
	}
	for i := range p.all {
		tool := &p.all[i].tool
		found, has := listed[tool.Name]
		if !has {
			r.Errorf("%v: is not listed", &p.all[i])
			continue
		}
		if !holds(found.Meta, kept()) {
			r.Errorf("%v: the tool's _meta is not kept: %v", &p.all[i], found.Meta)
		}
		if tool.Declaration.Columns == nil {
			continue
		}
		declaration, err := columntypes.DecodeMeta(tool.Name, found.Meta)
		if err != nil || declaration.RowsAt != tool.Declaration.RowsAt || !sameColumns(declaration.Columns, tool.Declaration.Columns) {
			r.Errorf("%v: its listing declares %v (%v), not %v", &p.all[i], declaration, err, tool.Declaration)
		}
	}
}

func sameColumns(a, b columntypes.ToolResultColumns) bool {
	sorted := func(columns columntypes.ToolResultColumns) columntypes.ToolResultColumns {
		return slices.SortedFunc(slices.Values(columns), func(a, b columntypes.ColumnDeclaration) int { return strings.Compare(a.Name, b.Name) })
	}
	return slices.Equal(sorted(a), sorted(b))
}

// checkReport holds the ledger to what so many calls of every tool come to.
func (p *player) checkReport(r reporter, ledger *columntypes.Ledger, calls int) {
	for i, row := range ledger.Report() {
		want := columntypes.DispositionRow{Check: row.Check, LastFiredAt: row.LastFiredAt}
		for _, s := range p.all {
			switch [...]columntypes.Disposition{s.mismatch, s.missing}[i] {
			case columntypes.CheckedFail:
				want.Findings += calls
				want.Checked += calls
			case columntypes.CheckedPass:
				want.Checked += calls
			default:
				want.NotApplicable += calls
			}
		}
		if row != want {
			r.Errorf("the report of %d calls of every tool is to be %+v, got %+v", calls, want, row)
		}
	}
}

// rounds is how often each tool is called at once with all others.
const rounds = 3

// playConcurrently calls everything at once and expects of each tool what it answered alone.
func (p *player) playConcurrently(r reporter, session Session, alone map[string][]byte) {
	var all sync.WaitGroup
	failures := make(chan string, rounds*len(p.all))
	free := make(chan struct{}, 16)
	for range rounds {
		for i := range p.all {
			s := &p.all[i]
			all.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				reading, err := session.Call(p.ctx, s.tool.Name)
				if err != nil {
					failures <- fmt.Sprintf("%v: %v", s, err)
				} else if want, known := alone[s.tool.Name]; known && !bytes.Equal(reading.Whole, want) {
					failures <- fmt.Sprintf("%v: answers otherwise when other calls go on:\n%s\n%s", s, want, reading.Whole)
				}
			})
		}
	}
	all.Wait()
	close(failures)
	for failure := range failures {
		r.Errorf("%s", failure)
	}
}

// playChange has the server offer other tools, and expects the new declarations to hold once they are listed.
func (p *player) playChange(r reporter) {
	var ledger columntypes.Ledger
	var seen witness
	rows := Result{Texts: []string{`[{"lun":"0"}]`}}
	number := columntypes.Declaration{Columns: declare(`{"lun":"number"}`)}
	text := columntypes.Declaration{Columns: declare(`{"lun":"string"}`)}
	session := p.serve(&columntypes.Boundary{Mode: columntypes.Warn, Ledger: &ledger, Observer: &seen}, Catalogue{Tools: []Tool{
		{Name: "loosens", Declaration: number, Result: rows},
		{Name: "tightens", Declaration: text, Result: rows},
		{Name: "begins", Result: rows},
		{Name: "ceases", Declaration: number, Result: rows},
		{Name: "leaves", Declaration: number, Result: rows},
	}})
	expect := func(when, tool string, want columntypes.Disposition) {
		if _, ok := p.call(r, session, tool); !ok {
			return
		}
		calls := seen.take()
		if len(calls) != 1 {
			r.Errorf("%s: the observer was told of %d calls of %q, not of one", when, len(calls), tool)
		} else if got := calls[0].outcome.Disposition(columntypes.KindColumnTypeMismatch); got != want {
			r.Errorf("%s: %q is to be %s, got %s", when, tool, want, got)
		}
	}
	p.list(r, session)
	expect("before", "loosens", columntypes.CheckedFail)
	expect("before", "tightens", columntypes.CheckedPass)
	expect("before", "begins", columntypes.NotApplicable)
	expect("before", "ceases", columntypes.CheckedFail)
	expect("before", "leaves", columntypes.CheckedFail)

	err := session.Replace(p.ctx, []Tool{
		{Name: "loosens", Declaration: text, Result: rows},
		{Name: "tightens", Declaration: number, Result: rows},
		{Name: "begins", Declaration: number, Result: rows},
		{Name: "ceases", Result: rows},
		{Name: "arrives", Declaration: number, Result: rows},
	})
	if err != nil {
		r.Errorf("replacing the tools: %v", err)
		return
	}
	p.list(r, session)
	expect("after", "loosens", columntypes.CheckedPass)
	expect("after", "tightens", columntypes.CheckedFail)
	expect("after", "begins", columntypes.CheckedFail)
	expect("after", "ceases", columntypes.NotApplicable)
	expect("after", "arrives", columntypes.CheckedFail)
}

func (p *player) list(r reporter, session Session) [][]ListedTool {
	pages, err := session.List(p.ctx)
	if err != nil {
		r.Errorf("listing the tools: %v", err)
	}
	return pages
}

func (p *player) call(r reporter, session Session, tool string) (Reading, bool) {
	reading, err := session.Call(p.ctx, tool)
	if err != nil {
		r.Errorf("calling %q: %v", tool, err)
	}
	return reading, err == nil
}
