package mcpsdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/columntypes/columntypes/columntypestest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// side is where a session is checked.
type side int

const (
	onServer side = 1 << iota
	onClient
)

var sides = map[string]side{"server": onServer, "client": onClient, "both": onServer | onClient}

func TestConformance(t *testing.T) {
	quietly(t)
	for transport, connect := range map[string]func(*testing.T, hosting) *mcp.ClientSession{
		"in memory": inMemory, "in memory, revision 2025-11-25": inMemoryBefore2026, "streamable HTTP": overHTTP,
	} {
		for where, checks := range sides {
			t.Run(transport+"/"+where, func(t *testing.T) {
				columntypestest.Run(t, func(t *testing.T, boundary *columntypes.Boundary, catalogue columntypestest.Catalogue) columntypestest.Session {
					host := hostingOf(boundary, checks)
					host.server = newServer(t, host.atServer, catalogue)
					session := connect(t, host)
					return &kitSession{session: session, replace: host.server.offer}
				})
			})
		}
	}
	for where, checks := range sides {
		t.Run("stdio of a subprocess/"+where, func(t *testing.T) { columntypestest.Run(t, overStdio(checks)) })
	}
}

// hosting is one server and its client, and the boundary that each has.
type hosting struct {
	server             *server
	atServer, atClient *columntypes.Boundary
}

// hostingOf gives the boundary to the server where both check: the client then has another, of the same mode.
func hostingOf(boundary *columntypes.Boundary, checks side) hosting {
	switch {
	case boundary == nil:
		return hosting{}
	case checks == onServer:
		return hosting{atServer: boundary}
	case checks == onClient:
		return hosting{atClient: boundary}
	}
	return hosting{atServer: boundary, atClient: &columntypes.Boundary{Mode: boundary.Mode}}
}

// server serves a catalogue, checked or not.
type server struct {
	*mcp.Server
	checks  *mcpsdk.Server // nil: a server that has never heard of it
	offered []string
}

var implementation = &mcp.Implementation{Name: "conformance", Version: "1"}

func newServer(t testing.TB, boundary *columntypes.Boundary, catalogue columntypestest.Catalogue) *server {
	// Without list_changed: the kit lists again where the list has changed, and news on their way would undo that.
	s := &server{Server: mcp.NewServer(implementation, &mcp.ServerOptions{
		PageSize: catalogue.PageSize, Logger: slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})}
	if boundary != nil {
		s.checks = &mcpsdk.Server{Boundary: boundary}
		s.AddReceivingMiddleware(s.checks.Middleware())
	}
	if err := s.offer(catalogue.Tools); err != nil {
		if t == nil {
			panic(err)
		}
		require.NoError(t, err)
	}
	return s
}

// offer replaces all tools.
func (s *server) offer(tools []columntypestest.Tool) error {
	s.RemoveTools(s.offered...)
	s.offered = nil
	for _, offered := range tools {
		tool := &mcp.Tool{Name: offered.Name, InputSchema: json.RawMessage(`{"type":"object"}`), Meta: offered.Meta}
		if err := s.declare(tool, offered.Declaration); err != nil {
			return err
		}
		s.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answer(offered.Result), nil
		})
		s.offered = append(s.offered, offered.Name)
	}
	return nil
}

func (s *server) declare(tool *mcp.Tool, d columntypes.Declaration) error {
	switch {
	case s.checks == nil && d.Columns == nil:
		return nil
	case s.checks == nil:
		meta, err := columntypes.EncodeMeta(tool.Meta, d)
		tool.Meta = meta
		return err
	case d.Columns == nil: // a bag that is no object is not Declare's to write to
		return s.checks.Declare(&mcp.Tool{Name: tool.Name}, d)
	}
	return s.checks.Declare(tool, d)
}

func answer(given columntypestest.Result) *mcp.CallToolResult {
	result := &mcp.CallToolResult{IsError: given.IsError, Meta: maps.Clone(given.Meta)}
	for _, text := range given.Texts {
		result.Content = append(result.Content, &mcp.TextContent{Text: text})
	}
	if len(given.Structured) > 0 {
		result.StructuredContent = given.Structured
	}
	return result
}

func newClient(boundary *columntypes.Boundary) *mcp.Client {
	client := mcp.NewClient(implementation, nil)
	if boundary != nil {
		client.AddSendingMiddleware((&mcpsdk.Client{Boundary: boundary}).Middleware())
	}
	return client
}

func inMemory(t *testing.T, host hosting) *mcp.ClientSession { return connectInMemory(t, host, nil) }

func inMemoryBefore2026(t *testing.T, host hosting) *mcp.ClientSession {
	return connectInMemory(t, host, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
}

func connectInMemory(t testing.TB, host hosting, options *mcp.ClientSessionOptions) *mcp.ClientSession {
	here, there := mcp.NewInMemoryTransports()
	serving, err := host.server.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	session, err := newClient(host.atClient).Connect(t.Context(), here, options)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		_ = serving.Wait()
	})
	return session
}

func overHTTP(t *testing.T, host hosting) *mcp.ClientSession {
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return host.server.Server }, nil))
	t.Cleanup(served.Close)
	session, err := newClient(host.atClient).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: served.URL}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// kitSession is what the kit sees of a client.
type kitSession struct {
	session *mcp.ClientSession
	replace func([]columntypestest.Tool) error
	receive func(*mcp.CallToolResult) error // what a test's own server has added; nil where there is none
}

func (s *kitSession) List(ctx context.Context) (pages [][]columntypestest.ListedTool, err error) {
	var cursor string
	for {
		listed, err := s.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		var page []columntypestest.ListedTool
		for _, tool := range listed.Tools {
			page = append(page, columntypestest.ListedTool{Name: tool.Name, Meta: tool.Meta})
		}
		pages = append(pages, page)
		if cursor = listed.NextCursor; cursor == "" {
			return pages, nil
		}
	}
}

func (s *kitSession) Call(ctx context.Context, tool string) (columntypestest.Reading, error) {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool})
	if err == nil && s.receive != nil {
		err = s.receive(result)
	}
	if err != nil {
		return columntypestest.Reading{}, err
	}
	return read(result)
}

func read(result *mcp.CallToolResult) (reading columntypestest.Reading, err error) {
	reading.IsError, reading.Meta = result.IsError, result.Meta
	for _, block := range result.Content {
		if text, isText := block.(*mcp.TextContent); isText {
			reading.Texts = append(reading.Texts, text.Text)
		}
	}
	if result.StructuredContent != nil {
		if reading.Structured, err = json.Marshal(result.StructuredContent); err != nil {
			return reading, err
		}
	}
	reading.Whole, err = json.Marshal(result)
	return reading, err
}

func (s *kitSession) Replace(_ context.Context, tools []columntypestest.Tool) error {
	return s.replace(tools)
}

// The stdio server is this test binary, told by its environment where the file is that says what to serve.

const serveVariable = "MCPSDK_TEST_SERVE"

func TestMain(m *testing.M) {
	if path := os.Getenv(serveVariable); path != "" {
		if err := serveStdio(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type serving struct {
	Checked   bool // at the server
	Mode      columntypes.Mode
	Catalogue columntypestest.Catalogue
}

func overStdio(checks side) columntypestest.Serve {
	return func(t *testing.T, boundary *columntypes.Boundary, catalogue columntypestest.Catalogue) columntypestest.Session {
		host := hostingOf(boundary, checks)
		served := serving{Catalogue: catalogue}
		told := &relayed{boundary: host.atServer}
		if host.atServer != nil {
			served.Checked, served.Mode = true, host.atServer.Mode
		}
		path := filepath.Join(t.TempDir(), "serving.json")
		write := func(tools []columntypestest.Tool) error {
			served.Catalogue.Tools = tools
			written, err := json.Marshal(served)
			if err != nil {
				return err
			}
			return os.WriteFile(path, written, 0o600)
		}
		require.NoError(t, write(catalogue.Tools))

		executable, err := os.Executable()
		require.NoError(t, err)
		command := exec.Command(executable)
		command.Env = append(os.Environ(), serveVariable+"="+path)
		command.Stderr = os.Stderr
		session, err := newClient(host.atClient).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = session.Close() })
		return &kitSession{session: session, replace: write, receive: told.receive}
	}
}

// serveStdio is the subprocess. It offers what stands in the file whenever the listing begins.
func serveStdio(path string) error {
	written, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var served serving
	if err := json.Unmarshal(written, &served); err != nil {
		return err
	}
	var boundary *columntypes.Boundary
	if served.Checked {
		boundary = &columntypes.Boundary{Mode: served.Mode, Ledger: &columntypes.Ledger{}, Observer: relay{}}
	}
	s := newServer(nil, boundary, served.Catalogue)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			switch params := request.GetParams().(type) {
			case *mcp.ListToolsParams:
				if params == nil || params.Cursor == "" {
					now, err := os.ReadFile(path)
					if err != nil {
						return nil, err
					}
					if !bytes.Equal(now, written) {
						written = now
						var changed serving
						if err := json.Unmarshal(now, &changed); err != nil {
							return nil, err
						}
						if err := s.offer(changed.Catalogue.Tools); err != nil {
							return nil, err
						}
					}
				}
			case *mcp.CallToolParamsRaw:
				if boundary != nil {
					return relayCall(ctx, boundary, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, request) })
				}
			}
			return next(ctx, method, request)
		}
	})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

// A checking subprocess puts what its observer was told during a call, and its report after it, into the result's _meta.

const relayKey = "example.com/relay"

type told struct {
	Tools    []string
	Outcomes []columntypes.Outcome
	Findings []columntypes.Finding
	Report   []columntypes.DispositionRow
}

type toldKey struct{}

type relay struct{}

func (relay) Checked(ctx context.Context, call columntypes.Call, outcome columntypes.Outcome) {
	t := ctx.Value(toldKey{}).(*told)
	t.Tools, t.Outcomes = append(t.Tools, call.ToolName), append(t.Outcomes, outcome)
}

func (relay) ContextError(ctx context.Context, finding columntypes.Finding) {
	t := ctx.Value(toldKey{}).(*told)
	t.Findings = append(t.Findings, finding)
}

func (relay) Disposition(context.Context, []columntypes.DispositionRow) {}

func relayCall(ctx context.Context, boundary *columntypes.Boundary, call func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	t := &told{}
	answered, err := call(context.WithValue(ctx, toldKey{}, t))
	result, isResult := answered.(*mcp.CallToolResult)
	if err != nil || !isResult {
		return answered, err
	}
	t.Report = boundary.Ledger.Report()
	meta := map[string]any{relayKey: t}
	maps.Copy(meta, result.Meta)
	result.Meta = meta
	return result, nil
}

// relayed tells this process's boundary what the subprocess's was told.
type relayed struct {
	boundary *columntypes.Boundary
	mu       sync.Mutex
	reported [2]columntypes.DispositionRow
}

func (r *relayed) receive(result *mcp.CallToolResult) error {
	if r.boundary == nil {
		return nil
	}
	written, err := json.Marshal(result.Meta[relayKey])
	if err != nil {
		return err
	}
	delete(result.Meta, relayKey)
	var t told
	if err := json.Unmarshal(written, &t); err != nil {
		return err
	}
	for i, outcome := range t.Outcomes {
		r.boundary.Observer.Checked(context.Background(), columntypes.Call{ToolName: t.Tools[i]}, outcome)
	}
	for _, finding := range t.Findings {
		r.boundary.Observer.ContextError(context.Background(), finding)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, row := range t.Report {
		if counted(row) <= counted(r.reported[i]) {
			continue // of calls that went on at once, a later report has come first
		}
		r.boundary.Ledger.Merge([]columntypes.DispositionRow{{
			Check: row.Check, LastFiredAt: row.LastFiredAt,
			Checked: row.Checked - r.reported[i].Checked, Findings: row.Findings - r.reported[i].Findings,
			NotApplicable: row.NotApplicable - r.reported[i].NotApplicable, Unreachable: row.Unreachable - r.reported[i].Unreachable,
		}})
		r.reported[i] = row
	}
	return nil
}

func counted(row columntypes.DispositionRow) int {
	return row.Checked + row.NotApplicable + row.Unreachable
}

// quietly keeps the warnings about strangers' declarations out of the output.
func quietly(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
}
