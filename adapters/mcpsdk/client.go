package mcpsdk

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/columntypes/columntypes"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Client checks what the tools of a server return, in the client of a host. The zero value is ready for use, with the
// dial off: it does nothing. Set the fields before the first use and do not copy a Client afterwards; then it is safe
// for concurrent use. One Client may serve several sessions.
//
// What a server declares is learnt from the pages of its tools/list as the host lists them, for each session apart, and
// forgotten when the session ends. Listing again replaces what was learnt of the listed tools. A tool that was not
// listed declares nothing, and a declaration that cannot be honoured is logged and dropped; both calls go on unjudged.
type Client struct {
	Boundary *columntypes.Boundary
	// Server stands before the tool's name, with a slash between, in outcomes and logs: a host with several servers
	// gives each a name of its own, since tools of two servers may have the same. "" leaves the tool's name alone.
	Server string
	// FromOutputSchema takes a declaration from the tool's outputSchema where its _meta declares no columns.
	FromOutputSchema bool
	// Logger is told of declarations that are dropped. Nil is slog.Default().
	Logger *slog.Logger

	mu       sync.Mutex
	local    map[string]columntypes.Declaration
	sessions map[*mcp.ClientSession]*learned
}

// learned is what a session's server declares.
type learned struct {
	declared map[string]columntypes.Declaration
	bytes    int  // that the declarations take, about
	changes  int  // of the list, as far as the host was told
	full     bool // has been logged
}

// mostBytes bounds what a server can make a session keep.
const mostBytes = 8 << 20

// Declare says what a tool returns in place of its server, under the name that the server lists it by. It counts before
// what the server declares, in all sessions, and needs no listing. A declaration without columns takes it back.
//
// Errors are a [*columntypes.DeclarationError] that names tool, column and fix; then nothing is declared or changed.
func (c *Client) Declare(tool string, d columntypes.Declaration) error {
	if _, err := encodeDeclaration(tool, nil, d); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	keep(&c.local, tool, d)
	return nil
}

// Middleware is for [mcp.Client.AddSendingMiddleware]. It learns from tools/list and checks tools/call. Middleware added
// later is outside of it: it sees refusals.
func (c *Client) Middleware() mcp.Middleware {
	reader := &columntypes.MetaReader{Logger: c.Logger}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			switch {
			case method == callTool:
				return c.call(ctx, next, request)
			case method == listTools && !isOff(c.Boundary):
				return c.list(ctx, reader, next, request)
			}
			return next(ctx, method, request)
		}
	}
}

// ToolListChanged forgets what the session's server declared, until the tools are listed again. It is for
// [mcp.ClientOptions.ToolListChangedHandler], without which the SDK asks a server for no such news. A handler of the
// host's own calls it first.
func (c *Client) ToolListChanged(_ context.Context, request *mcp.ToolListChangedRequest) {
	if request == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.sessions[request.Session]; l != nil {
		l.declared, l.bytes = nil, 0
		l.changes++
	}
}

func (c *Client) call(ctx context.Context, next mcp.MethodHandler, request mcp.Request) (mcp.Result, error) {
	if isOff(c.Boundary) {
		answer, err := next(ctx, callTool, request)
		return check(ctx, c.Boundary, columntypes.Call{}, answer, err)
	}
	tool := calledTool(request)
	d := c.declaration(request, tool)
	answer, err := next(ctx, callTool, request)
	if c.Server != "" {
		tool = c.Server + "/" + tool
	}
	return check(ctx, c.Boundary, columntypes.Call{ToolName: tool, Columns: d.Columns, RowsAt: d.RowsAt}, answer, err)
}

func (c *Client) declaration(request mcp.Request, tool string) columntypes.Declaration {
	session, _ := request.GetSession().(*mcp.ClientSession)
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, has := c.local[tool]; has {
		return d
	}
	if l := c.sessions[session]; l != nil {
		return l.declared[tool]
	}
	return columntypes.Declaration{}
}

// list passes a page on and learns from it, unless the list has changed while the page was on its way.
func (c *Client) list(ctx context.Context, reader *columntypes.MetaReader, next mcp.MethodHandler, request mcp.Request) (mcp.Result, error) {
	session, _ := request.GetSession().(*mcp.ClientSession)
	changes := c.changesOf(session)
	answer, err := next(ctx, listTools, request)
	page, _ := answer.(*mcp.ListToolsResult)
	if err != nil || page == nil || session == nil {
		return answer, err
	}
	declared := make([]columntypes.Declaration, len(page.Tools))
	for i, tool := range page.Tools {
		if tool != nil {
			declared[i] = c.read(ctx, reader, tool)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.sessions[session]
	if l == nil || l.changes != changes {
		return answer, nil
	}
	for i, tool := range page.Tools {
		if tool != nil && !l.learn(tool.Name, declared[i]) && !l.full {
			l.full = true
			c.log(ctx, slog.LevelWarn, "columntypes: the server declares more than is kept; what is beyond is not checked", slog.Int("bytes", mostBytes))
		}
	}
	return answer, nil
}

// changesOf gives how often a session's list has changed, and sees to it that the session is forgotten at its end.
func (c *Client) changesOf(session *mcp.ClientSession) int {
	if session == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.sessions[session]
	if l == nil {
		l = &learned{}
		if c.sessions == nil {
			c.sessions = map[*mcp.ClientSession]*learned{}
		}
		c.sessions[session] = l
		go c.forgetAtEnd(session)
	}
	return l.changes
}

func (c *Client) forgetAtEnd(session *mcp.ClientSession) {
	defer func() { _ = recover() }() // a session that no client has connected
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.sessions, session)
	}()
	_ = session.Wait()
}

// learn replaces what is known of a tool. False is that there is no room for it.
func (l *learned) learn(tool string, d columntypes.Declaration) bool {
	l.bytes -= sizeOf(tool, l.declared[tool])
	fits := l.bytes+sizeOf(tool, d) <= mostBytes
	if !fits {
		d = columntypes.Declaration{}
	}
	l.bytes += sizeOf(tool, d)
	keep(&l.declared, tool, d)
	return fits
}

func sizeOf(tool string, d columntypes.Declaration) int {
	if d.Columns == nil {
		return 0
	}
	size := 200 + len(tool) + len(d.RowsAt)
	for _, column := range d.Columns {
		size += 40 + len(column.Name)
	}
	return size
}

// read gives what a listed tool declares.
func (c *Client) read(ctx context.Context, reader *columntypes.MetaReader, tool *mcp.Tool) columntypes.Declaration {
	d := reader.Read(c.Server, tool.Name, tool.Meta)
	if d.Columns != nil || !c.FromOutputSchema || tool.OutputSchema == nil {
		return d
	}
	schema, err := json.Marshal(tool.OutputSchema)
	if err == nil {
		d, err = columntypes.DeclarationFromOutputSchema(tool.Name, schema)
	}
	if err != nil {
		c.log(ctx, slog.LevelDebug, "columntypes: an outputSchema declares no columns", slog.String("rule", err.Error()))
	}
	return d
}

// log never fails a listing for the sake of a line.
func (c *Client) log(ctx context.Context, level slog.Level, message string, about ...slog.Attr) {
	defer func() { _ = recover() }()
	logger := c.Logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(ctx, level, message, append(about, slog.String("server", c.Server))...)
}
