package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestContendersAgreeOnEveryVariant(t *testing.T) {
	for _, s := range shapes[:2] {
		var sets []*set
		for _, v := range variants {
			sets = append(sets, makeSet(s, v))
		}
		contenders := goContenders()
		if _, err := exec.LookPath("node"); err == nil {
			node, err := startNode(sets)
			require.NoError(t, err)
			defer func() { assert.NoError(t, node.stop()) }()
			peers, err := node.contenders()
			require.NoError(t, err)
			contenders = append(contenders, peers...)
		}
		for _, c := range contenders {
			for _, made := range sets {
				measure, err := c.prepare(made)
				require.NoError(t, err, c.name)
				if measure == nil {
					continue
				}
				m, err := measure(1)
				require.NoError(t, err, c.name)
				assert.NoError(t, c.agrees(made, m.verdict), "%s on %s, %s", c.name, s.name, made.variant)
			}
		}
	}
}

// The sets spoil numbers only; this holds what the README says of dates.
func TestGoogleAndNodeAloneTakeABadDate(t *testing.T) {
	made := &set{shape: shapes[0], variant: bad, offenders: 1,
		text: []byte(`[{"host_group":"vdi-a","capacity_gb":1240,"created_at":"2023-02-29T00:00:00Z","comment":null}]`)}
	contenders := goContenders()
	if _, err := exec.LookPath("node"); err == nil {
		node, err := startNode([]*set{made})
		require.NoError(t, err)
		defer func() { assert.NoError(t, node.stop()) }()
		peers, err := node.contenders()
		require.NoError(t, err)
		contenders = append(contenders, peers...)
	}
	for _, c := range contenders {
		measure, err := c.prepare(made)
		require.NoError(t, err, c.name)
		if measure == nil || c.bound {
			continue
		}
		m, err := measure(1)
		require.NoError(t, err, c.name)
		takesAny := c.name == nameGoogle || c.name == nameGoogleRows || c.name == nameNode
		assert.Equal(t, takesAny, m.verdict.pass, c.name)
	}
}

func TestWrongVerdictsAreDisagreements(t *testing.T) {
	spoilt, good := &set{offenders: 3}, &set{}
	for _, c := range []struct {
		reason string
		set    *set
		bound  bool
		said   verdict
		want   string
	}{
		{"the right count", spoilt, false, counted(3), ""},
		{"a wrong count", spoilt, false, counted(2), "counts 2 offenders where 3 are"},
		{"nothing found", spoilt, false, counted(0), "says pass of a set with 3 offenders"},
		{"the right verdict without a count", spoilt, false, uncounted(false), ""},
		{"the wrong verdict without a count", spoilt, false, uncounted(true), "says pass of a set with 3 offenders"},
		{"a false accusation", good, false, counted(1), "says fail of a set with 0 offenders"},
		{"a validator does not judge", spoilt, true, uncounted(true), ""},
		{"a validator that takes it for no JSON", good, true, uncounted(false), "says that the text is not JSON"},
	} {
		err := (&contender{bound: c.bound}).agrees(c.set, c.said)
		if c.want == "" {
			assert.NoError(t, err, c.reason)
		} else {
			assert.EqualError(t, err, c.want, c.reason)
		}
	}
}

func TestRatiosAreMediansOfRounds(t *testing.T) {
	a, b := place{contender: "a"}, place{contender: "b"}
	r := results{a: {times: []float64{30, 100, 20, 999}}, b: {times: []float64{10, 10, 10}}}
	ratio, ok := r.times(a, b)
	assert.True(t, ok)
	assert.Equal(t, 3.0, ratio, "the fourth round measured only one of the two")
	_, ok = r.times(a, place{contender: "c"})
	assert.False(t, ok)
	assert.Equal(t, 0.5, (&result{times: []float64{10, 20, 30, 999, 20, 10, 30}}).spread(), "one slow round does not make it wide")
	assert.Equal(t, 15.0, median([]float64{20, 10}))
}

func TestTargets(t *testing.T) {
	at := func(contender string, ns float64, allocs uint64) result {
		return result{times: []float64{ns}, memory: &memory{allocs, 5_000}}
	}
	ours, valid, loop := at(nameOurs, 100, 0), at(nameValid, 300, 0), at(nameLoop, 100, 0)
	santhosh, google, decoded := at(nameSanthosh, 3_000, 9), at(nameGoogle, 1_990, 9), at(nameOursDecoded, 116, 1)
	r := results{
		{nameOurs, "M", clean}: &ours, {nameValid, "M", clean}: &valid,
		{nameSanthosh, "M", clean}: &santhosh, {nameGoogle, "M", clean}: &google,
		{nameLoop, "M", clean}: &loop, {nameOursDecoded, "M", clean}: &decoded,
		{nameOurs, "L", clean}: &ours,
	}
	var lines []string
	for _, target := range targets() {
		lines = append(lines, target.judge(r).String())
	}
	for reason, line := range map[string]string{
		"at the bound":                       "raw M vs json.Valid >= 3x: 3.00x ok",
		"the faster of two counts":           "raw M vs the faster of santhosh and google >= 20x: 19.90x missed",
		"a time is held to at most":          "decoded M time vs the tight loop <= 1.15x: 1.16x missed",
		"one allocation is one too many":     "decoded M <= 0 allocations: 1 allocations missed",
		"memory":                             "raw L memory <= 4096 B: 5000 B missed",
		"what was left out is not a success": "raw L vs json.Valid >= 3x: not measured",
	} {
		assert.Contains(t, lines, line, reason)
	}
	encoded, err := json.Marshal(targets()[0].judge(r))
	require.NoError(t, err)
	assert.JSONEq(t, `{"target":"raw M vs json.Valid","sense":">=","bound":3,"unit":"x","value":3,"met":true}`, string(encoded))
}

func TestReports(t *testing.T) {
	b := &bench{rounds: 1, only: "jsontext,columntypes", results: results{}, progress: io.Discard}
	require.NoError(t, b.measureShape(shapes[0]))
	assert.Empty(t, b.disagreements)
	r := newReport(environment{Go: "go", Node: "left out: for the test"}, shapes[:1], b)

	var text bytes.Buffer
	require.NoError(t, r.writeText(&text))
	for _, want := range []string{"| json.Valid (validates only) | 1.00x, ", "| jsontext tokens | ", "| columntypes, decoded rows | ",
		"target: raw S vs json.Valid >= 2.2x: ", "target: raw M vs Node >= 8x: not measured", "node left out: for the test"} {
		assert.Contains(t, text.String(), want)
	}
	assert.NotContains(t, text.String(), "| sonic", "it was not asked for")

	var machine bytes.Buffer
	require.NoError(t, r.writeJSON(&machine))
	var decoded struct {
		Results []struct {
			Contender, Set, Variant string
			NsByRound               []float64
			TimesBaseline           float64
		}
	}
	require.NoError(t, json.Unmarshal(machine.Bytes(), &decoded))
	assert.Len(t, decoded.Results, len(b.results))
	for _, row := range decoded.Results {
		assert.Len(t, row.NsByRound, 1, row.Contender)
		assert.Positive(t, row.TimesBaseline, row.Contender)
	}
}

func TestDisagreementsAreReported(t *testing.T) {
	b := &bench{rounds: 1, results: results{}, progress: io.Discard}
	optimist := contender{name: "optimist", prepare: func(*set) (measure, error) {
		return func(runs int) (measurement, error) {
			return measurement{elapsed: time.Duration(runs) * measureFor, verdict: counted(0)}, nil
		}, nil
	}}
	require.NoError(t, b.measureGroup([]contender{optimist}, []*set{makeSet(shapes[0], clean), makeSet(shapes[0], bad)}))
	require.Len(t, b.disagreements, 1)
	assert.EqualError(t, b.disagreements[0], "optimist on S, bad: says pass of a set with 1 offenders")
}

func TestRunRefusesWhatItDoesNotKnow(t *testing.T) {
	for reason, arguments := range map[string][]string{
		"no such set": {"-sets", "XL"}, "no rounds": {"-rounds", "0"}, "no such flag": {"-fast"}, "an argument": {"S"},
	} {
		assert.Error(t, run(arguments, io.Discard, io.Discard), reason)
	}
}
