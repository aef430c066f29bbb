// Package columntypestest plays an adapter of columntypes: it has tools served through the adapter, lists and calls
// them as a host does, and looks at everything that a model would see.
//
// An adapter's test hands [Run] a [Serve]. What is played: clean rows, mismatches, missing columns and both at once,
// as JSON text, as structured rows and as both; rows at a pointer; what is out of scope and must be left alone; hostile
// names; declarations that cannot be honoured; a listing in pages; calls at once; a list that changed; under each
// setting of the dial, and without the adapter.
//
// The package needs the standard library alone.
package columntypestest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/columntypes/columntypes"
)

// Serve serves a catalogue and connects a client to it. The adapter checks at the boundary, on whichever side of the
// protocol it sits; a nil boundary means without the adapter at all. What it opens it closes with t.Cleanup, and it
// ends the test where it cannot serve.
type Serve func(t *testing.T, boundary *columntypes.Boundary, catalogue Catalogue) Session

// Catalogue is what a server offers: tools of different names. It survives a round trip through JSON, for servers in a
// process of their own.
type Catalogue struct {
	Tools    []Tool
	PageSize int // tools on a page of the listing, for adapters whose protocol has pages; 0 is the adapter's default
}

// Tool is a tool to serve. It takes no arguments that matter and answers each call with its result.
type Tool struct {
	Name        string
	Declaration columntypes.Declaration // what the server declares; without columns, nothing
	Meta        map[string]any          // the tool's _meta to which the declaration is added; it may hold a stranger's bag
	Result      Result
}

// Result is a tool's answer, written anew for each call.
type Result struct {
	Texts      []string        // one text block each
	Structured json.RawMessage // the structured content; empty is none
	IsError    bool
	Meta       map[string]any // the result's _meta
}

// Session is a client's view of the server. Call must be safe for concurrent use.
type Session interface {
	// List gives every page of the listing, in order.
	List(ctx context.Context) ([][]ListedTool, error)
	// Call calls a tool and reads its answer. A refusal is no error.
	Call(ctx context.Context, tool string) (Reading, error)
	// Replace makes the server offer these tools and no others; the next List gives them.
	Replace(ctx context.Context, tools []Tool) error
}

// ListedTool is a tool as a client has it from the listing.
type ListedTool struct {
	Name string
	Meta map[string]any
}

// Reading is an answer as a client has it, behind the adapter.
type Reading struct {
	Texts      []string        // the text blocks
	Structured json.RawMessage // the structured content; empty is none
	IsError    bool
	Meta       map[string]any
	Whole      []byte // the whole answer in the protocol's JSON, with every channel that a model might see
}

// Run plays an adapter in subtests, each of which says what it is about. It calls serve several times, with the test
// itself, and never with two sessions in use at once.
func Run(t *testing.T, serve Serve) {
	t.Helper()
	play(t.Context(), testReporter{t}, func(boundary *columntypes.Boundary, catalogue Catalogue) Session {
		return serve(t, boundary, catalogue)
	})
}

// reporter is what the play needs of a *testing.T. The kit's own tests collect what it is told.
type reporter interface {
	Run(name string, part func(reporter))
	Errorf(format string, arguments ...any)
}

type testReporter struct{ *testing.T }

func (r testReporter) Run(name string, part func(reporter)) {
	r.T.Run(name, func(t *testing.T) { part(testReporter{t}) })
}
