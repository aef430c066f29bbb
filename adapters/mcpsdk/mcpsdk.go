// Package mcpsdk checks the results of MCP tools where github.com/modelcontextprotocol/go-sdk hands them over: in a
// server, behind the tools' handlers ([Server]), and in a client, before a host has the result ([Client]).
//
// A declaration travels in the _meta of a listed tool, so a client checks what a server declares without either knowing
// of the other. Rows are read from the result's structured content, or from its one text block where there is none.
// Under [columntypes.Enforce] a refusal replaces the whole result: one text block, marked as an error, no structured
// content, with the result's _meta. Otherwise results go through as they are.
//
// Every tools/call is counted: a result that is an error or asks for input, and a call that gave none, as not
// applicable.
package mcpsdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/columntypes/columntypes"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	callTool  = "tools/call"
	listTools = "tools/list"
)

type callIDKey struct{}

// WithCallID gives the calls made with a context the id that findings name, such as the id by which a model asked for
// the call. MCP has no such id of its own: without it findings name none.
func WithCallID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, callIDKey{}, id)
}

// encodeDeclaration gives a copy of the _meta with the declaration in it, or an error that names the tool.
func encodeDeclaration(tool string, meta map[string]any, d columntypes.Declaration) (map[string]any, error) {
	filled, err := columntypes.EncodeMeta(meta, d)
	if refused := (*columntypes.DeclarationError)(nil); errors.As(err, &refused) {
		return nil, &columntypes.DeclarationError{Tool: tool, Column: refused.Column, Err: refused.Err}
	}
	return filled, err
}

// keep files a copy of a declaration under a tool's name; one without columns takes out what is there.
func keep(declared *map[string]columntypes.Declaration, tool string, d columntypes.Declaration) {
	if d.Columns == nil {
		delete(*declared, tool)
		return
	}
	if *declared == nil {
		*declared = map[string]columntypes.Declaration{}
	}
	d.Columns = slices.Clone(d.Columns)
	(*declared)[tool] = d
}

func calledTool(request mcp.Request) string {
	switch params := request.GetParams().(type) {
	case *mcp.CallToolParams: // as a client sends it
		if params != nil {
			return params.Name
		}
	case *mcp.CallToolParamsRaw: // as a server receives it
		if params != nil {
			return params.Name
		}
	}
	return ""
}

func isOff(boundary *columntypes.Boundary) bool {
	return boundary == nil || boundary.Mode == columntypes.Off
}

// check puts what a call gave through the boundary and gives what goes on instead.
func check(ctx context.Context, boundary *columntypes.Boundary, call columntypes.Call, answer mcp.Result, err error) (mcp.Result, error) {
	if isOff(boundary) {
		boundary.Check(ctx, columntypes.Call{})
		return answer, err
	}
	result, _ := answer.(*mcp.CallToolResult)
	call.ToolCallID, _ = ctx.Value(callIDKey{}).(string)
	readRows(&call, result, err)
	outcome := boundary.Check(ctx, call)
	if outcome.Refusal == "" {
		return answer, err
	}
	return &mcp.CallToolResult{
		Meta:    result.Meta,
		Content: []mcp.Content{&mcp.TextContent{Text: outcome.Refusal}},
		IsError: true,
	}, nil
}

// What stands in the place of rows where there are none to judge. The type's name is in the outcome's detail.
type (
	noResult     string
	errorResult  string
	inputNeeded  string
	severalTexts []string
)

// readRows finds what to judge in a result.
func readRows(call *columntypes.Call, result *mcp.CallToolResult, err error) {
	switch {
	case err != nil || result == nil:
		call.Result, call.RowsAt = noResult(""), ""
	case result.IsError:
		call.Result, call.RowsAt = errorResult(""), ""
	case result.NeedsInput() || result.InputRequests != nil:
		call.Result, call.RowsAt = inputNeeded(""), ""
	case !isNull(result.StructuredContent):
		call.Result = result.StructuredContent
	default:
		readText(call, result.Content)
	}
}

// isNull tells structured content that is not there for a reader: of these, the text counts.
func isNull(content any) bool {
	if raw, isRaw := content.(json.RawMessage); isRaw {
		return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
	}
	v := reflect.ValueOf(content)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// readText takes the only text block. Of several none is the answer, so they are judged as the list that they are.
func readText(call *columntypes.Call, content []mcp.Content) {
	var first *mcp.TextContent
	texts := 0
	for _, block := range content {
		if text, isText := block.(*mcp.TextContent); isText && text != nil {
			if texts++; texts == 1 {
				first = text
			}
		}
	}
	switch texts {
	case 0:
	case 1:
		call.Text = first.Text
	default:
		call.Result, call.RowsAt = make(severalTexts, texts), ""
	}
}
