// Command hostgroup plays three failures from the field through a small tool loop, under each setting of the dial: what
// the model reads, what is filed, and what the ledger says at the end of the run.
//
// With -columns FILE and -result FILE it judges a declaration and a tool's JSON result of your own instead, the rows at
// the JSON Pointer -rows-at if they are inside a wrapper.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/columntypes/columntypes"
)

// tool is what an agent runtime knows of a tool: its name, what it declares, and what it returns as JSON text.
type tool struct {
	name, story     string
	columns, rowsAt string
	result          string
}

var fieldFailures = []tool{
	{name: "host_group_mappings", story: "LUN 0 became an empty string",
		columns: `{"logical_unit_number":"number","host_group":"string"}`,
		result:  `[{"logical_unit_number":"","host_group":"vdi-a"},{"logical_unit_number":3,"host_group":"vdi-a"}]`},
	{name: "pool_capacity", story: "numbers came back in quotes",
		columns: `{"pool":"string","used_gb":"number"}`,
		result:  `[{"pool":"p1","used_gb":"1240"},{"pool":"p2","used_gb":"88"}]`},
	{name: "disk_sizes", story: "an 8 MiB disk became 0.0 GB: a number all the same, so it passes",
		columns: `{"disk":"string","size_gb":"number"}`,
		result:  `[{"disk":"sda","size_gb":0.0}]`},
}

func main() {
	columns := flag.String("columns", "", "judge a declaration from this `file` …")
	result := flag.String("result", "", "… against a tool's JSON result from this `file`")
	rowsAt := flag.String("rows-at", "", "JSON `pointer` to the rows inside the result")
	flag.Parse()
	tools, err := fieldFailures, error(nil)
	if *columns != "" || *result != "" {
		tools, err = yours(*columns, *result, *rowsAt)
	}
	for _, mode := range []columntypes.Mode{columntypes.Off, columntypes.Warn, columntypes.Enforce} {
		if err == nil {
			err = run(os.Stdout, mode, tools)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func yours(columnsFile, resultFile, rowsAt string) ([]tool, error) {
	columns, missing := os.ReadFile(columnsFile)
	result, missingToo := os.ReadFile(resultFile)
	return []tool{{name: "your_tool", story: resultFile, columns: string(columns), rowsAt: rowsAt, result: string(result)}},
		errors.Join(missing, missingToo)
}

// run is a tool loop: each tool answers, the boundary looks, and the model reads what the boundary lets it read.
func run(out io.Writer, mode columntypes.Mode, tools []tool) error {
	fmt.Fprintf(out, "======== the dial is %s ========\n\n", mode)
	ctx := context.Background()
	boundary := &columntypes.Boundary{Mode: mode, Observer: printer{out}}
	for i, t := range tools {
		columns, err := columntypes.ParseResultColumns(t.name, []byte(t.columns))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", t.name, t.story)
		outcome := boundary.Check(ctx, columntypes.Call{
			ToolName: t.name, ToolCallID: fmt.Sprint("call-", i+1),
			Columns: columns, RowsAt: t.rowsAt, Text: t.result,
		})
		if payload := outcome.Payload(t.result); outcome.Status() == columntypes.StatusInvalid {
			paragraph(out, "the model reads", fmt.Sprint(payload))
		} else {
			fmt.Fprintf(out, "  the model reads: %v\n", payload)
		}
		fmt.Fprintln(out)
	}
	boundary.Report(ctx)
	return nil
}

// printer is what a host does with the record; columntypes.LogObserver writes it to log/slog instead.
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
	fmt.Fprintln(p.out, "the ledger at the end of the run:")
	for _, row := range rows {
		fmt.Fprintf(p.out, "  %-20s  checked %d, with findings %d, not applicable %d, unreachable %d\n",
			row.Check, row.Checked, row.Findings, row.NotApplicable, row.Unreachable)
	}
	fmt.Fprintln(p.out)
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
