package mcpsdk_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/columntypes/columntypes/columntypestest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hundredRows are about 4 KB.
var hundredRows = "[" + strings.TrimSuffix(strings.Repeat(`{"lun":17,"host_group":"vdi-a","note":""},`, 100), ",") + "]"

// costs are the ways in which a call may be checked, or not.
var costs = []struct {
	name     string
	boundary *columntypes.Boundary
	declared columntypes.Declaration
}{
	{"without", nil, lunIsNumber},
	{"off", &columntypes.Boundary{}, lunIsNumber},
	{"undeclared", &columntypes.Boundary{Mode: columntypes.Enforce}, columntypes.Declaration{}},
	{"clean", &columntypes.Boundary{Mode: columntypes.Enforce}, lunIsNumber},
	{"refused", &columntypes.Boundary{Mode: columntypes.Enforce}, lunIsString},
}

// BenchmarkMiddleware is the middleware alone, around a handler that has its result ready.
func BenchmarkMiddleware(b *testing.B) {
	result := &mcp.CallToolResult{StructuredContent: json.RawMessage(hundredRows)}
	for _, cost := range costs {
		for where, middleware := range middlewares(b, cost.boundary, cost.declared) {
			handle := handleWith(middleware, result, nil)
			request := callOf("mappings")
			b.Run(cost.name+"/"+where, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = handle(context.Background(), "tools/call", request)
				}
			})
		}
	}
}

func middlewares(tb testing.TB, boundary *columntypes.Boundary, d columntypes.Declaration) map[string]mcp.Middleware {
	if boundary == nil {
		return map[string]mcp.Middleware{"none": func(next mcp.MethodHandler) mcp.MethodHandler { return next }}
	}
	server, client := mcpsdk.Server{Boundary: boundary}, mcpsdk.Client{Boundary: boundary}
	require.NoError(tb, server.Declare(&mcp.Tool{Name: "mappings"}, d))
	require.NoError(tb, client.Declare("mappings", d))
	return map[string]mcp.Middleware{"server": server.Middleware(), "client": client.Middleware()}
}

// BenchmarkCall is a whole call of a client to a server in memory, checked at the server.
func BenchmarkCall(b *testing.B) {
	for _, cost := range costs {
		b.Run(cost.name, func(b *testing.B) {
			host := hosting{server: newServer(b, cost.boundary, columntypestest.Catalogue{Tools: []columntypestest.Tool{
				{Name: "mappings", Declaration: cost.declared, Result: columntypestest.Result{Structured: json.RawMessage(hundredRows)}},
			}})}
			session := connectInMemory(b, host, nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "mappings"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestCleanAndNotJudgedAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	result := &mcp.CallToolResult{StructuredContent: json.RawMessage(hundredRows)}
	request := callOf("mappings")
	ctx := t.Context()
	for _, cost := range costs[1:4] {
		for where, middleware := range middlewares(t, cost.boundary, cost.declared) {
			handle := handleWith(middleware, result, nil)
			allocated := testing.AllocsPerRun(100, func() { _, _ = handle(ctx, "tools/call", request) })
			assert.Zero(t, allocated, "%s at the %s", cost.name, where)
		}
	}
}
