package mcpsdk

import (
	"context"
	"errors"
	"sync"

	"github.com/columntypes/columntypes"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server checks what the tools of one [mcp.Server] return. The zero value is ready for use, with the dial off: it
// declares and does not check. Set Boundary before the first use and do not copy a Server afterwards; then it is safe
// for concurrent use.
type Server struct {
	Boundary *columntypes.Boundary

	mu       sync.RWMutex
	declared map[string]columntypes.Declaration
}

// Declare says what a tool returns: to clients, in the tool's _meta, and to the Server's middleware. Call it before the
// tool is added, since a listing may go on meanwhile. The _meta becomes a copy with the declaration in it, in which
// everything else is as it was. A declaration without columns takes back what was declared under the tool's name.
//
// Errors are a [*columntypes.DeclarationError] that names tool, column and fix; then nothing is declared or changed. A
// nil tool is an error too.
func (s *Server) Declare(tool *mcp.Tool, d columntypes.Declaration) error {
	if tool == nil {
		return errors.New("mcpsdk: declared columns of a nil tool: pass the tool that is added to the server")
	}
	meta, err := encodeDeclaration(tool.Name, tool.Meta, d)
	if err != nil {
		return err
	}
	tool.Meta = meta
	s.mu.Lock()
	defer s.mu.Unlock()
	keep(&s.declared, tool.Name, d)
	return nil
}

// Middleware is for [mcp.Server.AddReceivingMiddleware]. It checks tools/call against what was declared with Declare,
// under the tool's name, whether or not the client has listed the tools. Middleware added later is outside of it: it
// sees refusals.
func (s *Server) Middleware() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method != callTool {
				return next(ctx, method, request)
			}
			call := columntypes.Call{ToolName: calledTool(request)}
			s.mu.RLock()
			d := s.declared[call.ToolName]
			s.mu.RUnlock()
			call.Columns, call.RowsAt = d.Columns, d.RowsAt
			answer, err := next(ctx, method, request)
			return check(ctx, s.Boundary, call, answer, err)
		}
	}
}
