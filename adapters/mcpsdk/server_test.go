package mcpsdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	lunIsNumber = columntypes.Declaration{Columns: columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}}}
	lunIsString = columntypes.Declaration{Columns: columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.String}}}
	emptySchema = json.RawMessage(`{"type":"object"}`)
)

// lastCall is an observer that keeps the call it was told of last.
type lastCall struct {
	call    columntypes.Call
	outcome columntypes.Outcome
}

func (l *lastCall) Checked(_ context.Context, call columntypes.Call, outcome columntypes.Outcome) {
	l.call, l.outcome = call, outcome
}
func (*lastCall) ContextError(context.Context, columntypes.Finding)         {}
func (*lastCall) Disposition(context.Context, []columntypes.DispositionRow) {}

// handleWith gives a middleware the next handler that a test wants, as the SDK would.
func handleWith(middleware mcp.Middleware, result mcp.Result, err error) mcp.MethodHandler {
	return middleware(func(context.Context, string, mcp.Request) (mcp.Result, error) { return result, err })
}

func callOf(tool string) mcp.Request {
	return &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool}}
}

func TestDeclareKeepsWhatIsThere(t *testing.T) {
	var checks mcpsdk.Server
	before := mcp.Meta{"example.com/kept": 1, columntypes.MetaKey: map[string]any{"other": true}}
	tool := &mcp.Tool{Name: "mappings", Meta: before}
	declaration := columntypes.Declaration{Columns: lunIsNumber.Columns, RowsAt: "/rows"}
	require.NoError(t, checks.Declare(tool, declaration))
	written, err := json.Marshal(tool.Meta)
	require.NoError(t, err)
	assert.JSONEq(t, `{"example.com/kept":1,"agentfootprint":{"other":true,"resultColumns":{"lun":"number"},"resultRowsAt":"/rows"}}`, string(written))
	assert.Equal(t, mcp.Meta{"example.com/kept": 1, columntypes.MetaKey: map[string]any{"other": true}}, before, "the map that was there is not written to")

	require.NoError(t, checks.Declare(tool, columntypes.Declaration{}))
	assert.Equal(t, mcp.Meta{"example.com/kept": 1, columntypes.MetaKey: map[string]any{"other": true}}, tool.Meta, "taken back")
}

func TestDeclareRefuses(t *testing.T) {
	var client mcpsdk.Client
	for reason, refused := range map[string]struct {
		declaration columntypes.Declaration
		is          error
		column      string
	}{
		"an unknown word":  {columntypes.Declaration{Columns: columntypes.ToolResultColumns{{Name: "lun", Type: "integer"}}}, columntypes.ErrUnknownType, "lun"},
		"no columns":       {columntypes.Declaration{Columns: columntypes.ToolResultColumns{}}, columntypes.ErrNoColumns, ""},
		"a column twice":   {columntypes.Declaration{Columns: append(lunIsNumber.Columns[:1:1], lunIsNumber.Columns...)}, columntypes.ErrDuplicateName, "lun"},
		"a pointer's form": {columntypes.Declaration{Columns: lunIsNumber.Columns, RowsAt: "rows"}, nil, ""},
	} {
		checks := mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
		tool := &mcp.Tool{Name: "mappings"}
		for _, err := range []error{checks.Declare(tool, refused.declaration), client.Declare("mappings", refused.declaration)} {
			var declaration *columntypes.DeclarationError
			require.ErrorAs(t, err, &declaration, reason)
			assert.Equal(t, "mappings", declaration.Tool, reason)
			assert.Equal(t, refused.column, declaration.Column, reason)
			assert.Contains(t, err.Error(), `"mappings"`, reason)
			if refused.is != nil {
				assert.ErrorIs(t, err, refused.is, reason)
			}
		}
		assert.Nil(t, tool.Meta, "%s: nothing is changed", reason)
		handle := handleWith(checks.Middleware(), &mcp.CallToolResult{StructuredContent: json.RawMessage(`[{"lun":""}]`)}, nil)
		result, err := handle(t.Context(), "tools/call", callOf("mappings"))
		require.NoError(t, err)
		assert.False(t, result.(*mcp.CallToolResult).IsError, "%s: nothing is declared", reason)
	}
	assert.ErrorContains(t, new(mcpsdk.Server).Declare(nil, lunIsNumber), "nil tool")
}

func TestTheCallersColumnsAreCopied(t *testing.T) {
	columns := columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}}
	checks := mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
	require.NoError(t, checks.Declare(&mcp.Tool{Name: "mappings"}, columntypes.Declaration{Columns: columns}))
	columns[0].Name = "other"
	handle := handleWith(checks.Middleware(), &mcp.CallToolResult{StructuredContent: json.RawMessage(`[{"lun":1}]`)}, nil)
	result, err := handle(t.Context(), "tools/call", callOf("mappings"))
	require.NoError(t, err)
	assert.False(t, result.(*mcp.CallToolResult).IsError)
}

// What a handler may return as structured content, and what becomes of it.
func TestRowsOfGoValues(t *testing.T) {
	type row struct {
		LUN any `json:"lun"`
	}
	type wrapper struct {
		Rows []row `json:"rows"`
	}
	text := func(texts ...string) (content []mcp.Content) {
		for _, one := range texts {
			content = append(content, &mcp.TextContent{Text: one})
		}
		return content
	}
	atRows := columntypes.Declaration{Columns: lunIsNumber.Columns, RowsAt: "/rows"}
	var noRows []row
	for reason, c := range map[string]struct {
		declared  columntypes.Declaration
		result    *mcp.CallToolResult
		refused   bool
		notJudged columntypes.Reason
	}{
		"typed rows":                         {lunIsNumber, &mcp.CallToolResult{StructuredContent: []row{{""}}}, true, ""},
		"typed rows that hold their numbers": {lunIsNumber, &mcp.CallToolResult{StructuredContent: []row{{1}}}, false, ""},
		"typed rows in a wrapper":            {atRows, &mcp.CallToolResult{StructuredContent: wrapper{[]row{{"7"}}}}, true, ""},
		"raw rows in a map":                  {atRows, &mcp.CallToolResult{StructuredContent: map[string]any{"rows": json.RawMessage(`[{"lun":"7"}]`)}}, true, ""},
		"decoded rows":                       {lunIsNumber, &mcp.CallToolResult{StructuredContent: []any{map[string]any{"lun": "7"}}}, true, ""},
		"a number that a float64 has not":    {lunIsNumber, &mcp.CallToolResult{StructuredContent: json.RawMessage(`[{"lun":1e400}]`)}, true, ""},
		"a number beyond 2^53":               {lunIsNumber, &mcp.CallToolResult{StructuredContent: json.RawMessage(`[{"lun":9007199254740993}]`)}, false, ""},
		"structured before text":             {lunIsNumber, &mcp.CallToolResult{StructuredContent: []row{{1}}, Content: text(`[{"lun":""}]`)}, false, ""},
		"raw null is none: the text counts":  {lunIsNumber, &mcp.CallToolResult{StructuredContent: json.RawMessage(" null"), Content: text(`[{"lun":""}]`)}, true, ""},
		"a nil slice is null, which is none": {lunIsNumber, &mcp.CallToolResult{StructuredContent: noRows, Content: text(`[{"lun":""}]`)}, true, ""},
		"text beside a picture":              {lunIsNumber, &mcp.CallToolResult{Content: append(text(`[{"lun":""}]`), &mcp.ImageContent{})}, true, ""},
		"a string is prose":                  {lunIsNumber, &mcp.CallToolResult{StructuredContent: `[{"lun":""}]`}, false, columntypes.ReasonNotRowset},
		"two texts":                          {atRows, &mcp.CallToolResult{Content: text(`{"rows":[{"lun":""}]}`, "")}, false, columntypes.ReasonNotRowset},
		"a picture":                          {lunIsNumber, &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{}}}, false, columntypes.ReasonNotRowset},
		"an error":                           {atRows, &mcp.CallToolResult{StructuredContent: wrapper{[]row{{"7"}}}, IsError: true}, false, columntypes.ReasonNotRowset},
		"asking for input":                   {atRows, &mcp.CallToolResult{StructuredContent: wrapper{[]row{{"7"}}}, InputRequests: mcp.InputRequestMap{}}, false, columntypes.ReasonNotRowset},
	} {
		var seen lastCall
		checks := mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce, Observer: &seen}}
		require.NoError(t, checks.Declare(&mcp.Tool{Name: "mappings"}, c.declared))
		c.result.Meta = mcp.Meta{"kept": true}
		answered, err := handleWith(checks.Middleware(), c.result, nil)(t.Context(), "tools/call", callOf("mappings"))
		require.NoError(t, err, reason)
		assert.Equal(t, c.notJudged, seen.outcome.NotJudged, "%s: %s", reason, seen.outcome.Detail)
		if !c.refused {
			assert.Same(t, c.result, answered, reason)
			continue
		}
		assert.Equal(t, &mcp.CallToolResult{Meta: mcp.Meta{"kept": true}, IsError: true, Content: text(seen.outcome.Refusal)}, answered, reason)
	}
}

// selfish has a marshaler that panics.
type selfish struct{}

func (selfish) MarshalJSON() ([]byte, error) { panic("no") }

func TestNothingThatASideSendsPanics(t *testing.T) {
	cycle := map[string]any{}
	cycle["rows"] = cycle
	failed := errors.New("the tool is gone")
	var noText *mcp.TextContent
	server := mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
	client := mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}, FromOutputSchema: true}
	deep := columntypes.Declaration{Columns: lunIsNumber.Columns, RowsAt: "/rows/rows/rows"}
	require.NoError(t, server.Declare(&mcp.Tool{Name: "mappings"}, deep))
	require.NoError(t, client.Declare("mappings", deep))
	for reason, c := range map[string]struct {
		request mcp.Request
		result  mcp.Result
		err     error
	}{
		"nothing":                    {callOf("mappings"), nil, nil},
		"a nil result":               {callOf("mappings"), (*mcp.CallToolResult)(nil), nil},
		"an error":                   {callOf("mappings"), nil, failed},
		"an error and a result":      {callOf("mappings"), &mcp.CallToolResult{}, failed},
		"a result of another method": {callOf("mappings"), &mcp.ListToolsResult{Tools: []*mcp.Tool{nil, {}}}, nil},
		"content that is nil":        {callOf("mappings"), &mcp.CallToolResult{Content: []mcp.Content{nil, noText}}, nil},
		"a cycle":                    {callOf("mappings"), &mcp.CallToolResult{StructuredContent: cycle}, nil},
		"a marshaler that panics":    {callOf("mappings"), &mcp.CallToolResult{StructuredContent: map[string]any{"rows": selfish{}}}, nil},
		"a channel":                  {callOf("mappings"), &mcp.CallToolResult{StructuredContent: make(chan int)}, nil},
		"no parameters":              {&mcp.CallToolRequest{}, &mcp.CallToolResult{}, nil},
		"parameters of a client":     {&mcp.ClientRequest[mcp.Params]{Params: (*mcp.CallToolParams)(nil)}, &mcp.CallToolResult{}, nil},
		"a session of nobody":        {&mcp.ClientRequest[mcp.Params]{Session: &mcp.ClientSession{}}, &mcp.ListToolsResult{Tools: []*mcp.Tool{nil, {OutputSchema: make(chan int)}}}, nil},
	} {
		for _, middleware := range []mcp.Middleware{server.Middleware(), client.Middleware()} {
			for _, method := range []string{"tools/call", "tools/list", "ping"} {
				handle := handleWith(middleware, c.result, c.err)
				assert.NotPanics(t, func() {
					answered, err := handle(t.Context(), method, c.request)
					assert.Equal(t, c.err, err, "%s: %s", method, reason)
					assert.True(t, answered == c.result, "%s: %s is passed on", method, reason)
				}, "%s: %s", method, reason)
			}
		}
	}
	client.ToolListChanged(t.Context(), nil)
	client.ToolListChanged(t.Context(), &mcp.ToolListChangedRequest{})
}

func TestACallThatGaveNothingIsCounted(t *testing.T) {
	var ledger columntypes.Ledger
	checks := mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Warn, Ledger: &ledger}}
	require.NoError(t, checks.Declare(&mcp.Tool{Name: "mappings"}, lunIsNumber))
	_, err := handleWith(checks.Middleware(), nil, errors.New("gone"))(t.Context(), "tools/call", callOf("mappings"))
	require.ErrorContains(t, err, "gone")
	assert.Equal(t, []columntypes.DispositionRow{
		{Check: columntypes.KindColumnTypeMismatch, NotApplicable: 1}, {Check: columntypes.KindMissingColumn, NotApplicable: 1},
	}, ledger.Report())
}

func TestCallID(t *testing.T) {
	var seen lastCall
	boundary := &columntypes.Boundary{Mode: columntypes.Warn, Observer: &seen}
	var server = mcpsdk.Server{Boundary: boundary}
	var client = mcpsdk.Client{Boundary: boundary, Server: "storage"}
	ctx := mcpsdk.WithCallID(t.Context(), "toolu_1")
	for _, middleware := range []mcp.Middleware{server.Middleware(), client.Middleware()} {
		handle := handleWith(middleware, &mcp.CallToolResult{}, nil)
		_, err := handle(ctx, "tools/call", callOf("mappings"))
		require.NoError(t, err)
		assert.Equal(t, "toolu_1", seen.call.ToolCallID)
		_, err = handle(t.Context(), "tools/call", callOf("mappings"))
		require.NoError(t, err)
		assert.Empty(t, seen.call.ToolCallID)
	}
	assert.Equal(t, "storage/mappings", seen.call.ToolName, "a host with several servers tells their tools apart")
}

// quoted is a number that its author's MarshalJSON writes in quotes, against the schema that the SDK infers or is given.
type quoted int

func (q quoted) MarshalJSON() ([]byte, error) { return []byte(`"7"`), nil }

// TestTypedAddTool shows the trap of which the README speaks, and the way around it.
func TestTypedAddTool(t *testing.T) {
	type row struct {
		LUN quoted `json:"lun"`
	}
	type output struct {
		Rows []row `json:"rows"`
	}
	handler := func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, output, error) {
		return nil, output{[]row{{7}}}, nil
	}
	loosely := func(ctx context.Context, request *mcp.CallToolRequest, in struct{}) (*mcp.CallToolResult, any, error) {
		return handler(ctx, request, in)
	}
	declaration := columntypes.Declaration{Columns: lunIsNumber.Columns, RowsAt: "/rows"}
	var seen lastCall
	checks := mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce, Observer: &seen}}
	hosted := mcp.NewServer(implementation, nil)
	hosted.AddReceivingMiddleware(checks.Middleware())
	typed, loose := &mcp.Tool{Name: "typed"}, &mcp.Tool{Name: "loose"}
	require.NoError(t, checks.Declare(typed, declaration))
	require.NoError(t, checks.Declare(loose, declaration))
	mcp.AddTool(hosted, typed, handler)
	mcp.AddTool(hosted, loose, loosely)
	session := connectInMemory(t, hosting{server: &server{Server: hosted}}, nil)

	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "typed"})
	require.ErrorContains(t, err, "validating tool output", "the SDK's own word, as a protocol error")
	assert.Equal(t, columntypes.ReasonNotRowset, seen.outcome.NotJudged)

	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "loose"})
	require.NoError(t, err)
	assert.True(t, result.IsError)
	assert.Equal(t, seen.outcome.Refusal, result.Content[0].(*mcp.TextContent).Text)
}
