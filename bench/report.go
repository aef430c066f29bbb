package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/bytedance/sonic"
)

// environment is what the numbers depend on besides the code.
type environment struct {
	Go         string            `json:"go"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	GOAMD64    string            `json:"goamd64,omitempty"`
	CPU        string            `json:"cpu"`
	Peers      map[string]string `json:"peers"`
	Node       string            `json:"node"`
	Ajv        string            `json:"ajv"`
}

// peerModules are the modules whose versions a report names.
var peerModules = []string{
	"github.com/bytedance/sonic", "github.com/go-json-experiment/json", "github.com/google/jsonschema-go",
	"github.com/kaptinlin/jsonschema", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/tidwall/gjson",
}

// describeEnvironment refuses an experimental encoding/json: json.Valid is the yardstick.
func describeEnvironment() (environment, error) {
	if strings.Contains(runtime.Version(), "jsonv2") {
		return environment{}, fmt.Errorf("%s: unset GOEXPERIMENT, for with jsonv2 json.Valid is another yardstick", runtime.Version())
	}
	e := environment{Go: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0), CPU: cpuModel(), Peers: map[string]string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e, fmt.Errorf("the binary has no build information")
	}
	for _, setting := range info.Settings {
		if setting.Key == "GOAMD64" {
			e.GOAMD64 = setting.Value
		}
	}
	for _, module := range info.Deps {
		if slices.Contains(peerModules, module.Path) {
			e.Peers[module.Path] = module.Version
		}
	}
	if sonic.APIKind != sonic.UseSonicJSON {
		e.Peers["github.com/bytedance/sonic"] += " (falls back to encoding/json here)"
	}
	e.Node, e.Ajv = nodeVersions(true)
	return e, nil
}

func cpuModel() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown (" + runtime.GOARCH + ")"
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, model, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown (" + runtime.GOARCH + ")"
}

// place names one cell of the tables.
type place struct {
	contender, set string
	variant        variant
}

// result is what one contender came to on one set.
type result struct {
	rows, size, cells int
	times             []float64 // nanoseconds a run, by round
	memory            *memory
}

// memory is what a run allocates: the least that was seen, for the runtime allocates beside it.
type memory struct {
	allocs, bytes uint64
}

type results map[place]*result

func (r results) place(c *contender, s *set) *result {
	made := &result{rows: s.rows, size: len(s.text), cells: s.rows * len(declared)}
	r[place{c.name, s.name, s.variant}] = made
	return made
}

func (r *result) add(m measurement, runs int) {
	r.times = append(r.times, float64(m.elapsed.Nanoseconds())/float64(runs))
	r.remember(m, runs)
}

func (r *result) remember(m measurement, runs int) {
	if !m.counted {
		return
	}
	seen := memory{m.allocs / uint64(runs), m.bytes / uint64(runs)}
	if r.memory == nil {
		r.memory = &seen
	}
	r.memory.allocs = min(r.memory.allocs, seen.allocs)
	r.memory.bytes = min(r.memory.bytes, seen.bytes)
}

// spread is how far the median round is from the median, as a part of it.
func (r *result) spread() float64 {
	middle := median(r.times)
	distances := make([]float64, len(r.times))
	for i, time := range r.times {
		distances[i] = math.Abs(time - middle)
	}
	return median(distances) / middle
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// times is how often b's time goes into a's: the median of the rounds that measured both.
func (r results) times(a, b place) (float64, bool) {
	if r[a] == nil || r[b] == nil {
		return 0, false
	}
	var ratios []float64
	for round := range min(len(r[a].times), len(r[b].times)) {
		ratios = append(ratios, r[a].times[round]/r[b].times[round])
	}
	return median(ratios), true
}

type report struct {
	environment environment
	shapes      []shape
	contenders  []contender
	results     results
	targets     []outcome
}

func newReport(e environment, chosen []shape, b *bench) *report {
	r := &report{environment: e, shapes: chosen, contenders: b.order, results: b.results}
	for _, t := range targets() {
		r.targets = append(r.targets, t.judge(b.results))
	}
	return r
}

func (r *report) writeText(out io.Writer) error {
	w := bufio.NewWriter(out)
	e := r.environment
	fmt.Fprintf(w, "%s, GOMAXPROCS=%d, GOAMD64=%s, %s\n", e.Go, e.GOMAXPROCS, cmp.Or(e.GOAMD64, "none"), e.CPU)
	for _, module := range peerModules {
		fmt.Fprintf(w, "%s %s\n", module, e.Peers[module])
	}
	fmt.Fprintf(w, "node %s\najv %s\n", e.Node, e.Ajv)
	for _, v := range variants {
		title := fmt.Sprintf("From raw JSON to a verdict, %s: times the speed of json.Valid, time of a run, MB/s", v)
		r.writeTable(w, title, false, v, func(at place, found *result) string {
			ratio, _ := r.results.times(place{nameValid, at.set, v}, at)
			return fmt.Sprintf("%.2fx, %s, %.0f MB/s", ratio, found.timing(), float64(found.size)/median(found.times)*1e3)
		})
	}
	for _, v := range variants[:2] {
		title := fmt.Sprintf("From decoded rows to a verdict, %s: times the speed of the tight loop, time of a run, ns a cell", v)
		r.writeTable(w, title, true, v, func(at place, found *result) string {
			ratio, _ := r.results.times(place{nameLoop, at.set, v}, at)
			return fmt.Sprintf("%.2fx, %s, %.0f ns", ratio, found.timing(), median(found.times)/float64(found.cells))
		})
	}
	for _, decoded := range []bool{false, true} {
		r.writeTable(w, fmt.Sprintf("Memory of one run, clean, from %s", forms[decoded]), decoded, clean, func(_ place, found *result) string {
			if found.memory == nil {
				return "not counted"
			}
			return fmt.Sprintf("%d allocations, %s", found.memory.allocs, megabytes(int(found.memory.bytes)))
		})
	}
	fmt.Fprintln(w, "\n## Targets")
	fmt.Fprintln(w)
	for _, t := range r.targets {
		fmt.Fprintf(w, "target: %s\n", t)
	}
	return w.Flush()
}

var forms = map[bool]string{false: "raw JSON", true: "decoded rows"}

// writeTable leaves out what was not measured.
func (r *report) writeTable(w io.Writer, title string, decoded bool, v variant, cell func(place, *result) string) {
	fmt.Fprintf(w, "\n## %s\n\n|", title)
	line := "\n|---"
	for _, s := range r.shapes {
		size := ""
		for at, found := range r.results {
			if at.set == s.name && at.variant == v {
				size = fmt.Sprintf(", %s", megabytes(found.size))
			}
		}
		fmt.Fprintf(w, " | %s: %d x %d%s", s.name, s.rows, len(s.columns), size)
		line += "|---"
	}
	fmt.Fprintf(w, " |%s|\n", line)
	for _, c := range r.contenders {
		if c.decoded != decoded || c.name == nameOff {
			continue
		}
		line, measured := "| "+c.name, false
		for _, s := range r.shapes {
			at := place{c.name, s.name, v}
			if found := r.results[at]; found != nil {
				line += " | " + cell(at, found)
				measured = true
			} else {
				line += " | "
			}
		}
		if measured {
			fmt.Fprintln(w, line+" |")
		}
	}
}

func (r *result) timing() string {
	return fmt.Sprintf("%s ±%.0f%%", duration(median(r.times)), r.spread()*100)
}

func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
	return fmt.Sprintf("%.2f s", ns/1e9)
}

func megabytes(bytes int) string {
	if bytes < 10_000 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.2f MB", float64(bytes)/1e6)
}

func (r *report) writeJSON(out io.Writer) error {
	type row struct {
		Contender  string    `json:"contender"`
		Set        string    `json:"set"`
		Variant    variant   `json:"variant"`
		Rows       int       `json:"rows"`
		TextBytes  int       `json:"textBytes"`
		RoundTimes []float64 `json:"nsByRound"`
		Median     float64   `json:"nsMedian"`
		Spread     float64   `json:"spread"`
		MBs        float64   `json:"mbPerSecond,omitempty"`
		Ratio      float64   `json:"timesBaseline,omitempty"`
		Allocs     *uint64   `json:"allocations,omitempty"`
		Bytes      *uint64   `json:"allocatedBytes,omitempty"`
	}
	var rows []row
	for at, found := range r.results {
		made := row{Contender: at.contender, Set: at.set, Variant: at.variant, Rows: found.rows, TextBytes: found.size,
			RoundTimes: found.times, Median: median(found.times), Spread: found.spread()}
		if found.memory != nil {
			made.Allocs, made.Bytes = &found.memory.allocs, &found.memory.bytes
		}
		baseline := place{nameValid, at.set, at.variant}
		if slices.ContainsFunc(r.contenders, func(c contender) bool { return c.name == at.contender && c.decoded }) {
			baseline.contender = nameLoop
		} else {
			made.MBs = float64(found.size) / made.Median * 1e3
		}
		made.Ratio, _ = r.results.times(baseline, at)
		rows = append(rows, made)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Contender, b.Contender))
	})
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"environment": r.environment, "results": rows, "targets": r.targets})
}
