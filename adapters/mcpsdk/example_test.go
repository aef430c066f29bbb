package mcpsdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server declares what a tool returns and checks it.
func ExampleServer() {
	checks := &mcpsdk.Server{Boundary: &columntypes.Boundary{Mode: columntypes.Enforce}}
	server := mcp.NewServer(&mcp.Implementation{Name: "storage", Version: "1"}, nil)
	server.AddReceivingMiddleware(checks.Middleware())

	tool := &mcp.Tool{Name: "mappings", InputSchema: json.RawMessage(`{"type":"object"}`)}
	columns := columntypes.ToolResultColumns{{Name: "lun", Type: columntypes.Number}}
	if err := checks.Declare(tool, columntypes.Declaration{Columns: columns}); err != nil {
		log.Fatal(err)
	}
	server.AddTool(tool, mappings)

	fmt.Println(callMappings(server, mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil)))
	// Output:
	// Result rejected: mappings returned rows that disagree with the columns it declares — 'lun' is declared number and 1 of 2 rows hold string (first: ""). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
}

// A client checks what any server declares in the _meta of its tools.
func ExampleClient() {
	boundary := &columntypes.Boundary{Mode: columntypes.Enforce, Observer: columntypes.LogObserver(nil)}
	checks := &mcpsdk.Client{Boundary: boundary, Server: "storage"}
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: checks.ToolListChanged,
	})
	client.AddSendingMiddleware(checks.Middleware())

	boundary.Observer = nil // this example's log is not for its output
	server := mcp.NewServer(&mcp.Implementation{Name: "storage", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{
		Name: "mappings", InputSchema: json.RawMessage(`{"type":"object"}`),
		Meta: mcp.Meta{"agentfootprint": json.RawMessage(`{"resultColumns":{"lun":"number"}}`)},
	}, mappings)

	fmt.Println(callMappings(server, client))
	for _, row := range boundary.Report(context.Background()) {
		fmt.Printf("%s: %d of %d\n", row.Check, row.Findings, row.Checked)
	}
	// Output:
	// Result rejected: storage/mappings returned rows that disagree with the columns it declares — 'lun' is declared number and 1 of 2 rows hold string (first: ""). Fix the tool so the column holds what it declares, or change the declaration. No data was returned.
	// column-type-mismatch: 1 of 1
	// missing-column: 0 of 1
}

// mappings answers with rows in which LUN 0 has become an empty string.
func mappings(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `[{"lun":""},{"lun":3}]`}}}, nil
}

// callMappings connects both in memory, lists the tools, calls one and gives the text that a model would read.
func callMappings(server *mcp.Server, client *mcp.Client) string {
	ctx := context.Background()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}
	session, err := client.Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.ListTools(ctx, nil); err != nil {
		log.Fatal(err)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "mappings"})
	if err != nil {
		log.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

// The README's code and output are these examples'.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := strings.Split(string(readme), "```")
	checked := 0
	for i := 1; i < len(blocks); i += 2 {
		kind, lines, _ := strings.Cut(blocks[i], "\n")
		if kind != "go" && kind != "" {
			continue
		}
		checked++
		for line := range strings.Lines(lines) {
			assert.Contains(t, string(examples), strings.TrimSpace(line), "README.md says what no example does")
		}
	}
	assert.Equal(t, 4, checked)
}
