// Command hostgroup plays three failures from the field through a small tool loop, under each setting of the dial.
//
// With -columns FILE and -result FILE it judges a declaration and a tool's JSON result of your own instead.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/columntypes/columntypes"
)

// tool is what an agent runtime knows of a tool: its name, what it declares, and what it returns as JSON text.
type tool struct {
	name, about, columns, result string
}

var tools = []tool{
	{"host_group_mappings", "LUN 0 became an empty string",
		`{"logical_unit_number":"number","host_group":"string"}`,
		`[{"logical_unit_number":"","host_group":"vdi-a"},{"logical_unit_number":3,"host_group":"vdi-a"}]`},
	{"pool_capacity", "numbers came back in quotes",
		`{"pool":"string","used_gb":"number"}`,
		`[{"pool":"p1","used_gb":"1240"},{"pool":"p2","used_gb":"88"}]`},
	{"disk_sizes", "an 8 MiB disk became 0.0 GB: a number all the same, so it passes",
		`{"disk":"string","size_gb":"number"}`,
		`[{"disk":"sda","size_gb":0.0}]`},
}

func main() {
	columnsFile := flag.String("columns", "", "a `file` with a declaration")
	resultFile := flag.String("result", "", "a `file` with a tool's JSON result")
	flag.Parse()
	if err := run(os.Stdout, *columnsFile, *resultFile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, columnsFile, resultFile string) error {
	played := tools
	if columnsFile != "" || resultFile != "" {
		columns, err := os.ReadFile(columnsFile)
		if err != nil {
			return err
		}
		result, err := os.ReadFile(resultFile)
		if err != nil {
			return err
		}
		played = []tool{{"your_tool", resultFile, string(columns), string(result)}}
	}
	for _, mode := range []columntypes.Mode{columntypes.Off, columntypes.Warn, columntypes.Enforce} {
		fmt.Fprintf(out, "== the dial is %s ==\n\n", mode)
		for _, t := range played {
			if err := play(out, mode, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// play is the seam of a tool loop: the tool has answered, and the model has not read it yet.
func play(out io.Writer, mode columntypes.Mode, t tool) error {
	columns, err := columntypes.ParseResultColumns(t.name, []byte(t.columns))
	if err != nil {
		return err
	}
	outcome := columntypes.Check(mode, columntypes.Call{ToolName: t.name, ToolCallID: "call-1", Columns: columns, Text: t.result})
	fmt.Fprintf(out, "%s (%s)\n", t.name, t.about)
	fmt.Fprintf(out, "  the model reads: %v\n", outcome.Payload(t.result))
	for _, finding := range outcome.Findings {
		fmt.Fprintf(out, "  finding: %s\n", finding.Message)
	}
	if outcome.NotJudged != "" {
		fmt.Fprintf(out, "  not judged: %s %s\n", outcome.NotJudged, outcome.Detail)
	}
	fmt.Fprintln(out)
	return nil
}
