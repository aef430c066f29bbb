package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/columntypes/columntypes"
	"github.com/columntypes/columntypes/adapters/mcpsdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// turn is one question to the scripted model: the tool that it calls, and what it makes of the rows that it reads.
type turn struct {
	question, tool string
	answer         func(rows []map[string]any) string
}

// script is a model that does what models do with such rows.
var script = []turn{
	{"Which LUNs does vdi-a use?", "mapping_report", func(rows []map[string]any) string {
		var luns []string
		for _, row := range rows {
			if lun := row["logical_unit_number"]; lun != "" {
				luns = append(luns, fmt.Sprint(lun))
			}
		}
		return "vdi-a uses the LUNs " + strings.Join(luns, " and ") + "."
	}},
	{"How much is used in all?", "capacity_report", func(rows []map[string]any) string {
		var used float64
		for _, row := range rows {
			number, _ := row["used_gb"].(float64)
			used += number
		}
		return fmt.Sprintf("%g GB are used in all.", used)
	}},
	{"Which is the largest disk?", "disk_report", func(rows []map[string]any) string {
		largest, size := "", 0.0
		for _, row := range rows {
			if bytes, _ := row["size_bytes"].(float64); bytes > size {
				largest, size = fmt.Sprint(row["disk"]), bytes
			}
		}
		return fmt.Sprintf("The largest disk is %s, with %g MiB.", largest, size/(1<<20))
	}},
}

// converse connects a client, lists the tools and plays the script. The host writes no more for the checks than the
// four lines at the top.
func converse(ctx context.Context, out io.Writer, mode columntypes.Mode, transport mcp.Transport) error {
	boundary := &columntypes.Boundary{Mode: mode, Observer: printer{out}}
	checks := &mcpsdk.Client{Boundary: boundary, Server: "storage"}
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{ToolListChangedHandler: checks.ToolListChanged})
	client.AddSendingMiddleware(checks.Middleware())

	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "listed %s: %s\n", tool.Name, tool.Description)
	}
	for i, t := range script {
		fmt.Fprintf(out, "\n%s\n", t.question)
		asked := mcpsdk.WithCallID(ctx, fmt.Sprint("call-", i+1))
		result, err := session.CallTool(asked, &mcp.CallToolParams{Name: t.tool})
		if err != nil {
			return err
		}
		read, err := reads(result)
		if err != nil {
			return err
		}
		paragraph(out, "the model reads", read)
		paragraph(out, "the model says", t.say(read, result.IsError))
	}
	fmt.Fprintln(out)
	boundary.Report(ctx)
	return nil
}

// reads gives what the model is shown of a result.
func reads(result *mcp.CallToolResult) (string, error) {
	if result.StructuredContent != nil {
		read, err := json.Marshal(result.StructuredContent)
		return string(read), err
	}
	var texts []string
	for _, block := range result.Content {
		if text, isText := block.(*mcp.TextContent); isText {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n"), nil
}

func (t turn) say(read string, isError bool) string {
	if isError {
		return "I cannot say: the report was rejected, and somebody has to look at " + t.tool + "."
	}
	var rows []map[string]any
	var wrapped struct{ Disks []map[string]any }
	if json.Unmarshal([]byte(read), &rows) != nil && json.Unmarshal([]byte(read), &wrapped) == nil {
		rows = wrapped.Disks
	}
	return t.answer(rows)
}

// printer is what the host does with the record.
type printer struct{ out io.Writer }

func (p printer) Checked(_ context.Context, _ columntypes.Call, outcome columntypes.Outcome) {
	if outcome.NotJudged != "" {
		paragraph(p.out, "not judged", fmt.Sprintf("%s: %s", outcome.NotJudged, outcome.Detail))
	}
}

func (p printer) ContextError(_ context.Context, finding columntypes.Finding) {
	paragraph(p.out, "filed", finding.Message)
}

func (p printer) Disposition(_ context.Context, rows []columntypes.DispositionRow) {
	fmt.Fprintln(p.out, "the report:")
	for _, row := range rows {
		fmt.Fprintf(p.out, "  %-20s  checked %d, with findings %d, not applicable %d, unreachable %d\n",
			row.Check, row.Checked, row.Findings, row.NotApplicable, row.Unreachable)
	}
}

// paragraph wraps a text under its title.
func paragraph(out io.Writer, title, text string) {
	const width = 100
	line := "  " + title + ":"
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) >= width {
			fmt.Fprintln(out, line)
			line = "   "
		}
		line += " " + word
	}
	fmt.Fprintln(out, line)
}
