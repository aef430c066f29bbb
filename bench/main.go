// Command bench measures columntypes and its peers side by side on the same rows: from raw JSON to a verdict, and from
// decoded rows to a verdict. It holds every verdict against what the generator put into the rows, and exits with 1
// where one is wrong. Run it with `go run -C bench .`; README.md says what the numbers mean.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// measureFor is how long one measurement should take; on L and W a single run takes longer.
const measureFor = 20 * time.Millisecond

// huge sets are those on which heavy contenders are measured less often.
func (s shape) huge() bool { return s.rows*len(s.columns) > 100_000 }

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(1)
	}
}

func run(arguments []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	names := flags.String("sets", "S,M,L,W", "which sets to measure, separated by commas; all four also measure 1e3 against 1e6 rows")
	rounds := flags.Int("rounds", 7, "how many rounds of measurements")
	only := flags.String("only", "", "measure only contenders with one of these words in their names, separated by commas; json.Valid and the tight loop always stay")
	machine := flags.Bool("json", false, "print JSON")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	chosen, err := chooseShapes(*names)
	if err != nil {
		return err
	}
	if *rounds < 1 || flags.NArg() > 0 {
		return errors.New("-rounds is at least 1, and there are no arguments")
	}
	environment, err := describeEnvironment()
	if err != nil {
		return err
	}
	b := &bench{rounds: *rounds, only: *only, node: strings.HasPrefix(environment.Node, "v"), results: results{}, progress: progress}
	for _, s := range chosen {
		if err := b.measureShape(s); err != nil {
			return err
		}
	}
	if len(chosen) == len(shapes) {
		if err := b.measureScaling(); err != nil {
			return err
		}
	}
	report := newReport(environment, chosen, b)
	if *machine {
		err = report.writeJSON(out)
	} else {
		err = report.writeText(out)
	}
	return errors.Join(append(b.disagreements, err)...)
}

func chooseShapes(names string) ([]shape, error) {
	var chosen []shape
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(shapes, func(s shape) bool { return s.name == name })
		if at < 0 {
			return nil, fmt.Errorf("no set %q: the sets are S, M, L and W", name)
		}
		chosen = append(chosen, shapes[at])
	}
	return chosen, nil
}

// bench measures and keeps what it measured.
type bench struct {
	rounds        int
	only          string
	node          bool
	results       results
	order         []contender // every contender that was measured, in the order of the tables
	disagreements []error
	progress      io.Writer
}

// entry is one contender on one set.
type entry struct {
	contender *contender
	set       *set
	measure   measure
	runs      int // of one measurement
	rounds    int
	result    *result
}

// measureShape interleaves all variants of a set, first from text, then from decoded rows.
func (b *bench) measureShape(s shape) (err error) {
	var sets []*set
	for _, v := range variants {
		sets = append(sets, makeSet(s, v))
	}
	raw, decoded := splitContenders(goContenders())
	if b.node {
		node, err := startNode(sets)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, node.stop()) }()
		peers, err := node.contenders()
		if err != nil {
			return err
		}
		raw = append(raw, peers...)
	}
	if err := b.measureGroup(raw, sets); err != nil {
		return err
	}
	decodedSets := sets[:2] // clean and bad: white space and order are gone once decoded
	if s.huge() {
		decodedSets = sets[:1] // the rows of two such sets would mostly measure the collector
	}
	return b.measureGroup(decoded, decodedSets)
}

func splitContenders(all []contender) (raw, decoded []contender) {
	for _, c := range all {
		if c.decoded {
			decoded = append(decoded, c)
		} else {
			raw = append(raw, c)
		}
	}
	return raw, decoded
}

// measureScaling asks whether a row costs the same among a million as among a thousand.
func (b *bench) measureScaling() error {
	raw, _ := splitContenders(goContenders())
	ours := slices.DeleteFunc(raw, func(c contender) bool { return !c.subject })
	return b.measureGroup(ours, []*set{makeSet(thousand, clean), makeSet(million, clean)})
}

func (b *bench) measureGroup(contenders []contender, sets []*set) error {
	fmt.Fprintf(b.progress, "measuring %s, %s\n", sets[0].name, forms[contenders[0].decoded])
	var entries []*entry
	for i := range contenders {
		c := &contenders[i]
		baseline := c.name == nameValid || c.name == nameLoop
		if b.only != "" && !baseline && !c.matches(b.only) {
			continue
		}
		b.enlist(c)
		for _, s := range sets {
			e, err := b.prepare(c, s)
			if err != nil {
				return fmt.Errorf("%s on %s, %s: %w", c.name, s.name, s.variant, err)
			}
			if e != nil && e.rounds > 0 {
				entries = append(entries, e)
			}
		}
	}
	for round := range b.rounds {
		for _, e := range entries {
			if round >= e.rounds {
				continue
			}
			m, err := e.measure(e.runs)
			if err != nil {
				return err
			}
			e.result.add(m, e.runs)
		}
	}
	return nil
}

func (b *bench) enlist(c *contender) {
	if !slices.ContainsFunc(b.order, func(known contender) bool { return known.name == c.name }) {
		b.order = append(b.order, *c)
	}
}

// prepare runs a contender once for its verdict and then finds out how many runs make a measurement.
func (b *bench) prepare(c *contender, s *set) (*entry, error) {
	e := &entry{contender: c, set: s, rounds: b.rounds}
	if c.heavy && s.huge() {
		switch s.variant {
		case clean:
			e.rounds = min(b.rounds, 3)
		case bad:
			e.rounds = 0 // only for the verdict
		default:
			return nil, nil
		}
	}
	var err error
	if e.measure, err = c.prepare(s); err != nil || e.measure == nil {
		return nil, err
	}
	first, err := e.measure(1)
	if err != nil {
		return nil, err
	}
	if err := c.agrees(s, first.verdict); err != nil {
		b.disagreements = append(b.disagreements, fmt.Errorf("%s on %s, %s: %w", c.name, s.name, s.variant, err))
	}
	if e.rounds == 0 {
		return e, nil
	}
	e.result = b.results.place(c, s)
	if c.heavy && s.huge() {
		e.runs = 1
		e.result.remember(first, 1)
		return e, nil
	}
	return e, e.calibrate()
}

// calibrate starts with more than one run, so that every contender's steady allocations are seen.
func (e *entry) calibrate() error {
	e.runs = 2
	for {
		m, err := e.measure(e.runs)
		if err != nil {
			return err
		}
		e.result.remember(m, e.runs)
		one := max(m.elapsed/time.Duration(e.runs), 1)
		fit := max(int(measureFor/one), 1)
		if m.elapsed >= measureFor/2 {
			e.runs = fit
			return nil
		}
		e.runs = min(fit, e.runs*50) + 1
	}
}
