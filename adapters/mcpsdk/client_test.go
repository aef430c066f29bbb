package mcpsdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// emptyLUN is a tool's answer; LUN 0 has become an empty string in it.
func emptyLUN(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"rows":[{"lun":""}]}`)}, nil
}

// connect connects a client that checks to a server in memory.
func connect(t *testing.T, checks *mcpsdk.Client, server *mcp.Server, options *mcp.ClientOptions, session *mcp.ClientSessionOptions) *mcp.ClientSession {
	here, there := mcp.NewInMemoryTransports()
	_, err := server.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	client := mcp.NewClient(implementation, options)
	client.AddSendingMiddleware(checks.Middleware())
	connected, err := client.Connect(t.Context(), here, session)
	require.NoError(t, err)
	t.Cleanup(func() { _ = connected.Close() })
	return connected
}

func list(t *testing.T, session *mcp.ClientSession) {
	for _, err := range session.Tools(t.Context(), nil) {
		require.NoError(t, err)
	}
}

func isRefused(t *testing.T, session *mcp.ClientSession, tool string) bool {
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
	require.NoError(t, err)
	return result.IsError
}

var atRows = columntypes.Declaration{Columns: lunIsNumber.Columns, RowsAt: "/rows"}

// A server that has never heard of this library: it publishes an outputSchema, as any server may, or nothing.
func TestAServerThatHasNeverHeardOfThis(t *testing.T) {
	const schema = `{"type":"object","properties":{"rows":{"type":"array","items":{
		"type":"object","properties":{"lun":{"type":"integer"}},"required":["lun"]}}}}`
	for reason, c := range map[string]struct {
		schema           string
		fromOutputSchema bool
		local            *columntypes.Declaration
		unlisted         bool
		refused          bool
	}{
		"its schema, where the host opts in":         {schema, true, nil, false, true},
		"its schema is not looked at otherwise":      {schema, false, nil, false, false},
		"a schema that declares no columns":          {`{"type":"object"}`, true, nil, false, false},
		"no schema":                                  {"", true, nil, false, false},
		"a local declaration":                        {"", false, &atRows, false, true},
		"a local declaration needs no listing":       {"", false, &atRows, true, true},
		"a local declaration counts before a schema": {schema, true, &columntypes.Declaration{Columns: lunIsString.Columns, RowsAt: "/rows"}, false, false},
	} {
		server := mcp.NewServer(implementation, nil)
		tool := &mcp.Tool{Name: "mappings", InputSchema: emptySchema}
		if c.schema != "" {
			tool.OutputSchema = json.RawMessage(c.schema)
		}
		server.AddTool(tool, emptyLUN)
		checks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}, FromOutputSchema: c.fromOutputSchema}
		if c.local != nil {
			require.NoError(t, checks.Declare("mappings", *c.local))
		}
		session := connect(t, checks, server, nil, nil)
		if !c.unlisted {
			list(t, session)
		}
		assert.Equal(t, c.refused, isRefused(t, session, "mappings"), reason)
		if c.local != nil {
			require.NoError(t, checks.Declare("mappings", columntypes.Declaration{}))
			assert.Equal(t, c.schema != "" && !c.unlisted, isRefused(t, session, "mappings"), "%s: taken back", reason)
		}
	}
}

func TestALocalDeclarationCountsBeforeTheServers(t *testing.T) {
	server := declaringServer(t, atRows)
	checks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
	session := connect(t, checks, server, nil, nil)
	assert.False(t, isRefused(t, session, "mappings"), "not listed yet")
	list(t, session)
	assert.True(t, isRefused(t, session, "mappings"))
	require.NoError(t, checks.Declare("mappings", columntypes.Declaration{Columns: lunIsString.Columns, RowsAt: "/rows"}))
	assert.False(t, isRefused(t, session, "mappings"))
}

// declaringServer declares, and does not check.
func declaringServer(t *testing.T, d columntypes.Declaration) *mcp.Server {
	server := mcp.NewServer(implementation, nil)
	tool := &mcp.Tool{Name: "mappings", InputSchema: emptySchema}
	require.NoError(t, new(mcpsdk.Server).Declare(tool, d))
	server.AddTool(tool, emptyLUN)
	return server
}

func TestAListThatChangedIsForgotten(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		server := declaringServer(t, atRows)
		checks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
		changed := make(chan struct{}, 1)
		session := connect(t, checks, server, &mcp.ClientOptions{ToolListChangedHandler: func(ctx context.Context, request *mcp.ToolListChangedRequest) {
			checks.ToolListChanged(ctx, request)
			changed <- struct{}{}
		}}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		require.Equal(t, revision, session.InitializeResult().ProtocolVersion)
		other := connect(t, checks, declaringServer(t, atRows), nil, nil)
		list(t, session)
		list(t, other)
		require.True(t, isRefused(t, session, "mappings"), revision)

		server.AddTool(&mcp.Tool{Name: "another", InputSchema: emptySchema}, emptyLUN)
		<-changed
		assert.False(t, isRefused(t, session, "mappings"), "%s: forgotten", revision)
		assert.True(t, isRefused(t, other, "mappings"), "%s: of this session alone", revision)
		list(t, session)
		assert.True(t, isRefused(t, session, "mappings"), "%s: and learnt anew", revision)
	}
}

func TestAPageThatWasOvertakenByAChangeIsNotLearnt(t *testing.T) {
	checks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
	server := declaringServer(t, atRows)
	var overtake bool
	session := connectWith(t, checks, server, func(session *mcp.ClientSession) {
		if overtake {
			checks.ToolListChanged(t.Context(), &mcp.ToolListChangedRequest{Session: session})
		}
	})
	overtake = true
	list(t, session)
	assert.False(t, isRefused(t, session, "mappings"), "the page is of before the change")
	overtake = false
	list(t, session)
	assert.True(t, isRefused(t, session, "mappings"))
}

// connectWith calls a function when a page of the listing has come in and the checks have not seen it.
func connectWith(t *testing.T, checks *mcpsdk.Client, server *mcp.Server, listed func(*mcp.ClientSession)) *mcp.ClientSession {
	here, there := mcp.NewInMemoryTransports()
	_, err := server.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	client := mcp.NewClient(implementation, nil)
	client.AddSendingMiddleware(checks.Middleware(), func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, request)
			if method == "tools/list" {
				listed(request.GetSession().(*mcp.ClientSession))
			}
			return result, err
		}
	})
	session, err := client.Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func TestASessionIsForgottenAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		checks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Warn}}
		ends := connect(t, checks, declaringServer(t, atRows), nil, nil)
		stays := connect(t, checks, declaringServer(t, atRows), nil, nil)
		list(t, ends)
		list(t, stays)
		require.Equal(t, 2, checks.Sessions())
		require.NoError(t, ends.Close())
		synctest.Wait()
		assert.Equal(t, 1, checks.Sessions())
		require.NoError(t, stays.Close())
		synctest.Wait()
		assert.Zero(t, checks.Sessions())
	})
}

// listing gives the handler that a client's middleware makes of pages, as a server may send them.
func listing(t *testing.T, checks *mcpsdk.Client, session *mcp.ClientSession, middleware mcp.Middleware, tools ...*mcp.Tool) {
	handle := handleWith(middleware, &mcp.ListToolsResult{Tools: tools}, nil)
	_, err := handle(t.Context(), "tools/list", &mcp.ClientRequest[mcp.Params]{Session: session, Params: &mcp.ListToolsParams{}})
	require.NoError(t, err)
}

func TestWhatAServerMayMakeAClientKeepIsBounded(t *testing.T) {
	var logged bytes.Buffer
	checks := &mcpsdk.Client{
		Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}, Server: "storage", Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	}
	session := connect(t, checks, declaringServer(t, atRows), nil, nil)
	middleware := checks.Middleware()
	columns := columntypes.ToolResultColumns{}
	for i := range 1000 {
		columns = append(columns, columntypes.ColumnDeclaration{Name: fmt.Sprintf("%0256d", i), Type: columntypes.Number})
	}
	meta, err := columntypes.EncodeMeta(nil, columntypes.Declaration{Columns: columns})
	require.NoError(t, err)
	var tools []*mcp.Tool
	for i := range mcpsdk.MostBytes/(1000*256) + 1 {
		tools = append(tools, &mcp.Tool{Name: fmt.Sprint("tool", i), Meta: meta})
	}
	refuses := func(tool string) bool {
		handle := handleWith(middleware, &mcp.CallToolResult{StructuredContent: json.RawMessage(`[{"lun":""}]`)}, nil)
		result, err := handle(t.Context(), "tools/call", &mcp.ClientRequest[mcp.Params]{Session: session, Params: &mcp.CallToolParams{Name: tool}})
		require.NoError(t, err)
		return result.(*mcp.CallToolResult).IsError
	}
	listing(t, checks, session, middleware, tools...)
	assert.True(t, refuses("tool0"))
	assert.False(t, refuses(tools[len(tools)-1].Name))
	listing(t, checks, session, middleware, tools...)
	assert.True(t, refuses("tool0"), "listing the same again takes no more room")
	assert.Equal(t, 1, strings.Count(logged.String(), "declares more than is kept"), "it is said once: %.2000s", &logged)
	assert.Contains(t, logged.String(), "server=storage")

	checks.ToolListChanged(t.Context(), &mcp.ToolListChangedRequest{Session: session})
	listing(t, checks, session, middleware, tools[len(tools)-1])
	assert.True(t, refuses(tools[len(tools)-1].Name), "there is room again")
}

func TestADeclarationThatCannotBeHonouredIsLoggedOnce(t *testing.T) {
	var logged bytes.Buffer
	checks := &mcpsdk.Client{
		Boundary: &columntypes.Boundary{Mode: columntypes.Warn}, Server: "storage", FromOutputSchema: true,
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	session := connect(t, checks, declaringServer(t, atRows), nil, nil)
	middleware := checks.Middleware()
	bag := map[string]any{columntypes.MetaKey: map[string]any{"resultColumns": map[string]any{"lun": "integer"}}}
	for range 2 {
		listing(t, checks, session, middleware, &mcp.Tool{Name: "mappings", Meta: bag}, &mcp.Tool{Name: "sizes", OutputSchema: map[string]any{"type": "object"}})
	}
	assert.Equal(t, 1, strings.Count(logged.String(), "level=WARN"), logged.String())
	assert.Contains(t, logged.String(), "server=storage tool=mappings")
	assert.Contains(t, logged.String(), "level=DEBUG")
	assert.Contains(t, logged.String(), "sizes")
}

// brokenHandler is a log handler that panics.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenHandler) Handle(context.Context, slog.Record) error { panic("the disk is full") }

func TestALoggerThatPanicsFailsNoListing(t *testing.T) {
	checks := &mcpsdk.Client{
		Boundary: &columntypes.Boundary{Mode: columntypes.Warn}, FromOutputSchema: true, Logger: slog.New(brokenHandler{}),
	}
	session := connect(t, checks, declaringServer(t, atRows), nil, nil)
	assert.NotPanics(t, func() {
		listing(t, checks, session, checks.Middleware(), &mcp.Tool{Name: "sizes", OutputSchema: map[string]any{}})
	})
}

func TestTextKeepsWhatTheSDKKept(t *testing.T) {
	var seen lastCall
	checks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Warn, Observer: &seen}}
	require.NoError(t, checks.Declare("big", lunIsNumber))
	server := mcp.NewServer(implementation, nil)
	const rows = `[{"lun":1e400},{"lun":9007199254740993}]`
	server.AddTool(&mcp.Tool{Name: "big", InputSchema: emptySchema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: rows}}}, nil
	})
	result, err := connect(t, checks, server, nil, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "big"})
	require.NoError(t, err)
	assert.Equal(t, rows, result.Content[0].(*mcp.TextContent).Text)
	require.Len(t, seen.outcome.Findings, 1)
	assert.Equal(t, "1e400", seen.outcome.Findings[0].Violation.Sample)
	assert.Equal(t, 1, seen.outcome.Findings[0].Violation.Rows)
}

// A tool that asks for input first (revision 2026-07-28) is judged by what it answers in the end.
func TestAToolThatAsksForInput(t *testing.T) {
	elicit := &mcp.ElicitParams{Message: "which array?", RequestedSchema: emptySchema}
	for reason, host := range map[string]struct {
		options *mcp.ClientOptions
		judged  bool
	}{
		"the SDK answers":  {&mcp.ClientOptions{}, true},
		"the host answers": {&mcp.ClientOptions{MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}}, false},
	} {
		host.options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
		}
		var atServer, atClient columntypes.Ledger
		serverChecks := &mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Warn, Ledger: &atServer}}
		server := mcp.NewServer(implementation, nil)
		server.AddReceivingMiddleware(serverChecks.Middleware())
		tool := &mcp.Tool{Name: "mappings", InputSchema: emptySchema}
		require.NoError(t, serverChecks.Declare(tool, atRows))
		server.AddTool(tool, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if request.Params.InputResponses == nil {
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"array": elicit}, RequestState: "asked"}, nil
			}
			return emptyLUN(ctx, request)
		})
		clientChecks := &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce, Ledger: &atClient}}
		session := connect(t, clientChecks, server, host.options, nil)
		list(t, session)
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "mappings"})
		require.NoError(t, err, reason)
		assert.Equal(t, host.judged, result.IsError, reason)
		assert.Equal(t, !host.judged, result.NeedsInput(), reason)
		served, got := atServer.Report()[0], atClient.Report()[0]
		if host.judged {
			assert.Equal(t, [2]int{1, 1}, [2]int{served.Checked, served.NotApplicable}, "%s: the server was asked twice", reason)
			assert.Equal(t, [2]int{1, 0}, [2]int{got.Checked, got.NotApplicable}, reason)
		} else {
			assert.Equal(t, [2]int{0, 1}, [2]int{served.Checked, served.NotApplicable}, reason)
			assert.Equal(t, [2]int{0, 1}, [2]int{got.Checked, got.NotApplicable}, reason)
		}
	}
}

// Where both sides enforce, the client sees an error result and leaves it alone.
func TestBothSidesEnforce(t *testing.T) {
	checks := &mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
	server := mcp.NewServer(implementation, nil)
	server.AddReceivingMiddleware(checks.Middleware())
	tool := &mcp.Tool{Name: "mappings", InputSchema: emptySchema}
	require.NoError(t, checks.Declare(tool, atRows))
	server.AddTool(tool, emptyLUN)
	var ledger columntypes.Ledger
	session := connect(t, &mcpsdk.Client{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce, Ledger: &ledger}}, server, nil, nil)
	list(t, session)
	assert.True(t, isRefused(t, session, "mappings"))
	assert.Equal(t, columntypes.DispositionRow{Check: columntypes.KindColumnTypeMismatch, NotApplicable: 1}, ledger.Report()[0])
}
