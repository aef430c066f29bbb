package columntypestest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/columntypes/columntypes"
)

// fault is one thing that an adapter may do wrong.
type fault string

const (
	none              fault = ""
	judgesNothing     fault = "judges nothing"
	leavesStructured  fault = "leaves the structured content beside the refusal"
	leavesText        fault = "puts the refusal before the text"
	leavesResource    fault = "leaves rows in a channel of its own"
	notMarked         fault = "does not mark the refusal as an error"
	losesMeta         fault = "loses the result's _meta"
	losesToolMeta     fault = "loses the tool's _meta"
	judgesErrors      fault = "judges a tool's own errors"
	judgesFirstText   fault = "judges the first of several texts"
	joinsTexts        fault = "judges all texts together"
	losesPointer      fault = "loses the pointer"
	ignoresStructured fault = "judges text alone"
	ignoresText       fault = "judges structured content alone"
	skipsUndeclared   fault = "does not count tools that declare nothing"
	countsTwice       fault = "checks twice"
	offRewrites       fault = "writes the answer anew with the dial off"
	offSkips          fault = "does not count with the dial off"
	warnMarks         fault = "adds a word under warn"
	firstPageOnly     fault = "learns the first page only"
	neverForgets      fault = "keeps what it learnt first"
	dropsStrangers    fault = "drops tools with a bag that cannot be honoured"
	mixesCalls        fault = "mixes up calls that go on at once"
	ownRefusal        fault = "words a refusal of its own"
	listsTwice        fault = "lists a tool twice"
	failsCalls        fault = "gives an error in place of a refusal"
	namesNothing      fault = "checks without the tool's name"
	givesOnePage      fault = "gives one page"
)

// adapter is a small one of its own protocol, in one process: it learns declarations from the listing and checks calls.
type adapter struct {
	fault    fault
	boundary *columntypes.Boundary
	pageSize int

	mu      sync.Mutex
	tools   []Tool
	learned map[string]columntypes.Declaration
	mixed   Reading
}

func (a *adapter) is(f fault) bool { return a.fault == f && a.boundary != nil }

func (a *adapter) List(context.Context) (pages [][]ListedTool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	size := a.pageSize
	if size == 0 || a.is(givesOnePage) {
		size = len(a.tools)
	}
	for chunk := range slices.Chunk(a.tools, size) {
		var page []ListedTool
		for _, tool := range chunk {
			meta := tool.Meta
			if tool.Declaration.Columns != nil {
				if meta, err = columntypes.EncodeMeta(tool.Meta, tool.Declaration); err != nil {
					return nil, err
				}
			}
			if a.is(losesToolMeta) {
				meta = map[string]any{columntypes.MetaKey: meta[columntypes.MetaKey]}
			}
			declaration, refused := columntypes.DecodeMeta(tool.Name, meta)
			if refused != nil && a.is(dropsStrangers) {
				continue
			}
			page = append(page, ListedTool{tool.Name, meta})
			if a.is(firstPageOnly) && len(pages) > 0 {
				continue
			}
			if _, known := a.learned[tool.Name]; !known || !a.is(neverForgets) {
				a.learned[tool.Name] = declaration
			}
		}
		pages = append(pages, page)
	}
	if a.is(listsTwice) {
		pages = append(pages, pages[0][:1])
	}
	return pages, nil
}

func (a *adapter) Replace(_ context.Context, tools []Tool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tools = tools
	return nil
}

func (a *adapter) Call(ctx context.Context, name string) (Reading, error) {
	a.mu.Lock()
	at := slices.IndexFunc(a.tools, func(tool Tool) bool { return tool.Name == name })
	if at < 0 {
		a.mu.Unlock()
		return Reading{}, errors.New("no such tool")
	}
	tool, declaration := a.tools[at], a.learned[name]
	a.mu.Unlock()
	result := tool.Result
	reading := Reading{Texts: result.Texts, Structured: result.Structured, IsError: result.IsError, Meta: maps.Clone(result.Meta)}
	if a.boundary != nil {
		var err error
		if reading, err = a.check(ctx, name, declaration, reading); err != nil {
			return Reading{}, err
		}
	}
	if reading.Whole == nil {
		reading.Whole = fmt.Appendf(nil, "%q %s %v %v", reading.Texts, reading.Structured, reading.IsError, reading.Meta)
	}
	if a.is(mixesCalls) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.mixed, reading = reading, a.mixed
		if reading.Whole == nil {
			reading = a.mixed
		}
	}
	return reading, nil
}

func (a *adapter) check(ctx context.Context, name string, declaration columntypes.Declaration, reading Reading) (Reading, error) {
	mode := a.boundary.Mode
	call := columntypes.Call{ToolName: name, Columns: declaration.Columns, RowsAt: declaration.RowsAt}
	switch {
	case reading.IsError && !a.is(judgesErrors):
		call.Result, call.RowsAt = map[string]any{}, ""
	case len(reading.Structured) > 0 && !a.is(ignoresStructured):
		call.Result = reading.Structured
	case a.is(ignoresText):
	case len(reading.Texts) == 1, len(reading.Texts) > 1 && a.is(judgesFirstText):
		call.Text = reading.Texts[0]
	case a.is(joinsTexts):
		call.Text = strings.Join(reading.Texts, "")
	case len(reading.Texts) > 1:
		call.Result, call.RowsAt = reading.Texts, ""
	}
	switch {
	case a.is(judgesNothing):
		call.Columns = nil
	case a.is(losesPointer):
		call.RowsAt = ""
	case a.is(namesNothing):
		call.ToolName = ""
	case a.is(skipsUndeclared) && call.Columns == nil, a.is(offSkips) && mode == columntypes.Off:
		return reading, nil
	case a.is(countsTwice):
		a.boundary.Check(ctx, call)
	case a.is(offRewrites) && mode == columntypes.Off:
		reading.Whole = []byte("{}")
	case a.is(warnMarks) && mode == columntypes.Warn:
		reading.Texts = append(slices.Clone(reading.Texts), "(checked)")
	}
	outcome := a.boundary.Check(ctx, call)
	if outcome.Refusal == "" {
		return reading, nil
	}
	if a.is(failsCalls) {
		return Reading{}, errors.New(outcome.Refusal)
	}
	refused := Reading{Texts: []string{outcome.Refusal}, IsError: true, Meta: reading.Meta}
	switch a.fault {
	case leavesStructured:
		refused.Structured = reading.Structured
	case leavesText:
		refused.Texts = append(refused.Texts, reading.Texts...)
	case leavesResource:
		refused.Whole = fmt.Appendf(nil, "%s%s%s", outcome.Refusal, reading.Texts, reading.Structured)
	case notMarked:
		refused.IsError = false
	case losesMeta:
		refused.Meta = nil
	case ownRefusal:
		refused.Texts = []string{"Result rejected: something is wrong. No data was returned."}
	}
	return refused, nil
}

func serve(f fault) serveFunc {
	return func(boundary *columntypes.Boundary, catalogue Catalogue) Session {
		return &adapter{
			fault: f, boundary: boundary, tools: catalogue.Tools, pageSize: catalogue.PageSize,
			learned: map[string]columntypes.Declaration{},
		}
	}
}

func TestAnAdapterThatPasses(t *testing.T) {
	Run(t, func(_ *testing.T, boundary *columntypes.Boundary, catalogue Catalogue) Session {
		return serve(none)(boundary, catalogue)
	})
}

// collector keeps what a play reports.
type collector struct{ reports *[]string }

func (c collector) Run(_ string, part func(reporter)) { part(c) }

func (c collector) Errorf(format string, arguments ...any) {
	*c.reports = append(*c.reports, fmt.Sprintf(format, arguments...))
}

func TestEveryFaultIsFound(t *testing.T) {
	for f, said := range map[fault]string{
		judgesNothing:     "is to be judged, and was not",
		leavesStructured:  "structured content is left",
		leavesText:        "the one text is to be the refusal",
		leavesResource:    "cells are left beside the refusal",
		notMarked:         "marked as an error",
		losesMeta:         "the result's _meta is not kept",
		losesToolMeta:     "the tool's _meta is not kept",
		judgesErrors:      "error_text (a tool's own error is no answer to judge): is not to be judged",
		judgesFirstText:   "several_texts",
		joinsTexts:        "halves",
		losesPointer:      "at a pointer",
		ignoresStructured: "mismatch_structured",
		ignoresText:       "mismatch_text",
		skipsUndeclared:   "told of 0 calls, not of one",
		countsTwice:       "told of 2 calls, not of one",
		offRewrites:       "not what it is without the adapter",
		offSkips:          "calls with the dial off are to be as many not-applicable",
		warnMarks:         "not what it is without the adapter",
		firstPageOnly:     "is to be judged, and was not",
		neverForgets:      `after: "loosens" is to be checked-pass`,
		dropsStrangers:    "is not listed",
		mixesCalls:        "not what it is without the adapter",
		ownRefusal:        "the one text is to be the refusal",
		listsTwice:        "is listed twice",
		failsCalls:        "calling",
		namesNothing:      "was checked as tool",
		givesOnePage:      "in pages of 7",
	} {
		t.Run(string(f), func(t *testing.T) {
			var reports []string
			play(t.Context(), collector{&reports}, serve(f))
			assert.Contains(t, strings.Join(reports, "\n"), said)
		})
	}
	var reports []string
	play(t.Context(), collector{&reports}, serve(none))
	assert.Empty(t, reports, "and an adapter without a fault is not accused")
}

func TestACatalogueSurvivesJSON(t *testing.T) {
	catalogue := catalogueOf(scenarios())
	written, err := json.Marshal(catalogue)
	require.NoError(t, err)
	var read Catalogue
	require.NoError(t, json.Unmarshal(written, &read))
	again, err := json.Marshal(read)
	require.NoError(t, err)
	assert.JSONEq(t, string(written), string(again))
	for i, tool := range read.Tools {
		assert.Equal(t, catalogue.Tools[i].Declaration, tool.Declaration, tool.Name)
	}
}
