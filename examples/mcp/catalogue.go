package main

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite"
)

// schema is a storage catalogue as it came to be. SQLite's affinity lets an INTEGER column hold ”; used_gb was imported
// as text.
const schema = `
CREATE TABLE mappings (host_group TEXT, logical_unit_number INTEGER);
INSERT INTO mappings VALUES ('vdi-a', ''), ('vdi-a', 3), ('vdi-a', 7);
CREATE TABLE pools (pool TEXT, used_gb TEXT);
INSERT INTO pools VALUES ('p1', '1240'), ('p2', '88');
CREATE TABLE disks (disk TEXT, size_bytes INTEGER, added DATE);
INSERT INTO disks VALUES ('sda', 8388608, '2026-07-28'), ('sdb', 16777216, '2026-07-29');`

// report is a tool over one query. Each answers in another of the shapes that MCP has for rows.
type report struct {
	name, description string
	query             string
	declares          columntypes.Declaration
	shape             func(rows []map[string]any) (*mcp.CallToolResult, error)
}

var reports = []report{
	{"mapping_report", "LUN mappings by host group", "SELECT host_group, logical_unit_number FROM mappings",
		columntypes.Declaration{Columns: columntypes.ToolResultColumns{
			{Name: "host_group", Type: columntypes.String}, {Name: "logical_unit_number", Type: columntypes.Number},
		}}, asText},
	{"capacity_report", "used capacity by pool", "SELECT pool, used_gb FROM pools",
		columntypes.Declaration{Columns: columntypes.ToolResultColumns{
			{Name: "pool", Type: columntypes.String}, {Name: "used_gb", Type: columntypes.Number},
		}}, asStructured},
	{"disk_report", "disks and their sizes", "SELECT disk, size_bytes, added FROM disks",
		columntypes.Declaration{RowsAt: "/disks", Columns: columntypes.ToolResultColumns{
			{Name: "disk", Type: columntypes.String}, {Name: "size_bytes", Type: columntypes.Number}, {Name: "added", Type: columntypes.Date},
		}}, asWrapper},
}

func asText(rows []map[string]any) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(rows)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, err
}

func asStructured(rows []map[string]any) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{StructuredContent: rows}, nil
}

func asWrapper(rows []map[string]any) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{StructuredContent: map[string]any{"disks": rows}}, nil
}

// openCatalogue makes the database in memory.
func openCatalogue(ctx context.Context) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection to :memory: is a database of its own
	if _, err := db.ExecContext(ctx, schema); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// newServer serves the reports. It declares what they hold and leaves checking to whoever lists them.
func newServer(db *sql.DB) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "storage-catalogue", Version: "1"}, nil)
	var checks mcpsdk.Server
	server.AddReceivingMiddleware(checks.Middleware())
	for _, r := range reports {
		tool := &mcp.Tool{Name: r.name, Description: r.description, InputSchema: json.RawMessage(`{"type":"object"}`)}
		if err := checks.Declare(tool, r.declares); err != nil {
			return nil, err
		}
		server.AddTool(tool, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			rows, err := query(ctx, db, r.query)
			if err != nil {
				return nil, err
			}
			return r.shape(rows)
		})
	}
	return server, nil
}

// query gives rows as the driver gives them: what a column holds decides, not how it was created.
func query(ctx context.Context, db *sql.DB, text string) ([]map[string]any, error) {
	found, err := db.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		return nil, err
	}
	rows := []map[string]any{}
	for found.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, column := range columns {
			row[column] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows, found.Err()
}
