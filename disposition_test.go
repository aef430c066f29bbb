package columntypes

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The three rows that the source document shows, as a run's report has them.
func TestTheExampleRows(t *testing.T) {
	const clean = `[{"logical_unit_number":0,"host_group":"vdi-a"}]`
	tests := []struct {
		reason string
		mode   Mode
		call   Call
		want   string
	}{
		{"the dial is off", Off, Call{Columns: lun, Text: fieldCase},
			`{"check":"column-type-mismatch","seam":"write","checked":0,"findings":0,"notApplicable":1,"unreachable":0}`},
		{"nothing is declared", Warn, Call{Text: fieldCase},
			`{"check":"column-type-mismatch","seam":"write","checked":0,"findings":0,"notApplicable":1,"unreachable":0}`},
		{"clean rows", Warn, Call{Columns: lun, Text: clean},
			`{"check":"column-type-mismatch","seam":"write","checked":1,"findings":0,"notApplicable":0,"unreachable":0}`},
		{"the field case", Warn, Call{Columns: lun, Text: fieldCase},
			`{"check":"column-type-mismatch","seam":"write","checked":1,"findings":1,"notApplicable":0,"unreachable":0,"lastFiredAt":946684800000}`},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) { // whose clock starts with the year 2000
			var ledger Ledger
			ledger.File(Check(test.mode, test.call))
			wire, err := json.Marshal(ledger.Report()[0])
			require.NoError(t, err)
			assert.Equal(t, test.want, string(wire), test.reason)
		})
	}
}

func TestReportJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ledger Ledger
		ledger.File(Check(Warn, Call{Columns: lun, Text: fieldCase}))
		time.Sleep(1500 * time.Millisecond)
		ledger.File(Check(Warn, Call{Columns: lun, Text: `[{"logical_unit_number":1}]`}))
		time.Sleep(time.Hour)
		ledger.File(Check(Warn, Call{Columns: lun, Text: `[{"logical_unit_number":1,"host_group":""}]`}))
		ledger.File(Check(Enforce, Call{Columns: lun, Text: "no rows"}))
		ledger.File(Check(Mode(9), Call{}))
		ledger.File(Check(Off, Call{}))
		report := ledger.Report()
		holdToGolden(t, "report.json", indented(t, report))

		wire, err := json.Marshal(report)
		require.NoError(t, err)
		var read []DispositionRow
		require.NoError(t, json.Unmarshal(wire, &read))
		assert.Equal(t, report, read, "a report survives its JSON")
	})
}

func TestDispositionRowJSON(t *testing.T) {
	epoch := time.UnixMilli(0)
	rows := []DispositionRow{
		{},
		{Check: KindMissingColumn, Checked: 3, Findings: 2, NotApplicable: 1, Unreachable: 4, LastFiredAt: epoch},
		{Check: KindColumnTypeMismatch, Checked: 1, Findings: 1, LastFiredAt: epoch.Add(-1500 * time.Millisecond)},
	}
	holdToGolden(t, "disposition.json", indented(t, rows))
	wire, err := json.Marshal(rows)
	require.NoError(t, err)
	var read []DispositionRow
	require.NoError(t, json.Unmarshal(wire, &read))
	assert.Equal(t, rows, read)
}

func TestDispositionRowUnmarshalJSON(t *testing.T) {
	before := DispositionRow{Check: "before", Checked: 7, LastFiredAt: time.UnixMilli(7)}
	tests := []struct {
		reason, wire string
		want         DispositionRow
		err          string
	}{
		{"null does nothing", `null`, before, ""},
		{"absent members are zero, and the row is replaced", `{}`, DispositionRow{}, ""},
		{"unknown members are ignored", `{"checked":1,"more":{"checked":2}}`, DispositionRow{Checked: 1}, ""},
		{"another seam is ignored", `{"seam":"read","checked":1}`, DispositionRow{Checked: 1}, ""},
		{"a seam that is no string is ignored", `{"seam":{},"checked":1}`, DispositionRow{Checked: 1}, ""},
		{"an unknown check is kept", `{"check":"empty-lookup"}`, DispositionRow{Check: "empty-lookup"}, ""},
		{"lastFiredAt 0 is the epoch, not never", `{"lastFiredAt":0}`, DispositionRow{LastFiredAt: time.UnixMilli(0)}, ""},
		{"before the epoch", `{"lastFiredAt":-1}`, DispositionRow{LastFiredAt: time.UnixMilli(-1)}, ""},
		{"a date is no epoch", `{"lastFiredAt":"2024-01-01"}`, before, `"lastFiredAt" holds a JSON string`},
		{"an epoch in quotes", `{"lastFiredAt":"0"}`, before, `"lastFiredAt" holds a JSON string`},
		{"half a millisecond", `{"lastFiredAt":0.5}`, before, `"lastFiredAt" holds a JSON number 0.5`},
		{"a count in quotes", `{"checked":"1"}`, before, `"checked" holds a JSON string`},
		{"half a call", `{"findings":1.5}`, before, `"findings" holds a JSON number 1.5`},
		{"negative checked", `{"check":"c","checked":-1}`, before, `of check "c": a count is negative`},
		{"negative findings", `{"findings":-1}`, before, `a count is negative`},
		{"negative notApplicable", `{"notApplicable":-1}`, before, `a count is negative`},
		{"negative unreachable", `{"unreachable":-1}`, before, `a count is negative`},
		{"too large for any int", `{"checked":` + strings.Repeat("9", 1<<16) + `}`, before, `9…`},
		{"a list", `[]`, before, `holds a JSON array`},
	}
	for _, test := range tests {
		got := before
		err := json.Unmarshal([]byte(test.wire), &got)
		assert.Equal(t, test.want, got, test.reason)
		if test.err == "" {
			assert.NoError(t, err, test.reason)
			continue
		}
		if assert.ErrorContains(t, err, test.err, test.reason) {
			assert.Less(t, len(err.Error()), 1<<10, test.reason)
		}
	}
}

func TestAdd(t *testing.T) {
	early, late := time.UnixMilli(0), time.UnixMilli(1)
	tests := []struct {
		reason     string
		a, b, want DispositionRow
	}{
		{"counts add up", DispositionRow{"c", 1, 2, 3, 4, time.Time{}}, DispositionRow{"c", 10, 20, 30, 40, time.Time{}}, DispositionRow{"c", 11, 22, 33, 44, time.Time{}}},
		{"the later firing is kept", DispositionRow{LastFiredAt: early}, DispositionRow{LastFiredAt: late}, DispositionRow{LastFiredAt: late}},
		{"in either order", DispositionRow{LastFiredAt: late}, DispositionRow{LastFiredAt: early}, DispositionRow{LastFiredAt: late}},
		{"the epoch is later than never", DispositionRow{}, DispositionRow{LastFiredAt: early}, DispositionRow{LastFiredAt: early}},
		{"the receiver's check is kept", DispositionRow{Check: "a"}, DispositionRow{Check: "b"}, DispositionRow{Check: "a"}},
		{"a receiver without a check takes the argument's", DispositionRow{}, DispositionRow{Check: "b"}, DispositionRow{Check: "b"}},
		{"a sum stops at the largest int", DispositionRow{Checked: math.MaxInt}, DispositionRow{Checked: math.MaxInt, Findings: math.MaxInt}, DispositionRow{Checked: math.MaxInt, Findings: math.MaxInt}},
		{"the largest int itself is reached", DispositionRow{Checked: math.MaxInt - 1}, DispositionRow{Checked: 1}, DispositionRow{Checked: math.MaxInt}},
		{"a negative count takes nothing away", DispositionRow{Checked: 2, Findings: -1}, DispositionRow{Checked: math.MinInt, Findings: 1}, DispositionRow{Checked: 2, Findings: 1}},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, test.a.Add(test.b), test.reason)
	}
}

func found(kind Kind, tool, column string) Outcome {
	return Outcome{Findings: []Finding{{Kind: kind, ToolName: tool, Violation: ColumnViolation{Column: column}}}}
}

func TestLedgerFilesAnIdentityOnce(t *testing.T) {
	var ledger Ledger
	call := Call{ToolName: "t", Columns: lun, Text: fieldCase}
	assert.Len(t, ledger.File(Check(Warn, call)), 1)
	assert.Nil(t, ledger.File(Check(Warn, call)), "the same defect")
	call.ToolCallID, call.Text = "call-2", `[{"logical_unit_number":true,"host_group":""}]`
	assert.Nil(t, ledger.File(Check(Enforce, call)), "another call, another value, another mode")
	call.Text = `[{"host_group":""}]`
	assert.Len(t, ledger.File(Check(Warn, call)), 1, "another kind")
	call.ToolName = "u"
	assert.Len(t, ledger.File(Check(Warn, call)), 1, "another tool")
	call.Text = `[{"logical_unit_number":"","host_group":1}]`
	both := ledger.File(Check(Warn, call))
	require.Len(t, both, 2, "two columns")
	assert.Equal(t, "logical_unit_number", both[0].Violation.Column, "in declaration order")
	assert.Equal(t, 4, ledger.Report()[0].Findings, "repeats count, and a call counts once")
	assert.Equal(t, 2, ledger.Report()[1].Findings)
	assert.Equal(t, 6, ledger.Report()[0].Checked)
	assert.Len(t, new(Ledger).File(Check(Warn, call)), 2, "another ledger knows nothing of this one")

	assert.Len(t, ledger.File(found("k", "a", "b|c")), 1)
	assert.Len(t, ledger.File(found("k", "a|b", "c")), 1, "no two names run into one")
}

func TestLedgerIsBounded(t *testing.T) {
	var ledger Ledger
	long := func(i int) string { return strings.Repeat("x", 1<<10) + strconv.Itoa(i) }
	for i := range mostIdentities - 2 {
		require.Len(t, ledger.File(found(KindMissingColumn, long(i), long(i))), 1, "names that differ in their last byte only")
	}
	require.Len(t, ledger.File(found("k", remembered(long(0)), "c")), 1)
	require.Len(t, ledger.File(found("k", long(0), "c")), 1, "a name that looks like the digest of another")
	for id := range ledger.filed {
		require.LessOrEqual(t, len(id.kind)+len(id.tool)+len(id.column), 3*len(remembered(long(0))))
	}
	for range 3 {
		assert.Len(t, ledger.File(found("k", "one", "too many")), 1, "beyond the bound nothing is dropped")
		assert.Nil(t, ledger.File(found(KindMissingColumn, long(7), long(7))), "and nothing forgotten")
	}
	assert.Len(t, ledger.filed, mostIdentities)
	for _, length := range []int{longestRemembered, longestRemembered + 1} {
		var ledger Ledger
		edge := strings.Repeat("x", length)
		assert.Len(t, ledger.File(found("k", edge, "c")), 1)
		assert.Nil(t, ledger.File(found("k", edge, "c")), "%d bytes", length)
		assert.Len(t, ledger.File(found("k", edge[1:]+"y", "c")), 1, "%d bytes", length)
	}
}

func TestReportIsNeverAbsent(t *testing.T) {
	empty := []DispositionRow{{Check: KindColumnTypeMismatch, NotApplicable: 1}, {Check: KindMissingColumn, NotApplicable: 1}}
	var ledger Ledger
	assert.Equal(t, empty, ledger.Report(), "nothing was filed")
	assert.Equal(t, empty, ledger.Report(), "and reporting does not count")
	ledger.File(Outcome{})
	assert.Equal(t, empty, ledger.Report(), "a zero Outcome is no outcome")
	ledger.Merge([]DispositionRow{{Check: "empty-lookup", Checked: 5}, {Checked: 5}})
	assert.Equal(t, empty, ledger.Report(), "rows of other checks are ignored")
	ledger.Report()[0].Checked = 99
	assert.Equal(t, empty, ledger.Report(), "the slice is the caller's own")

	ledger.Merge([]DispositionRow{{Check: KindMissingColumn, Checked: 2}})
	assert.Equal(t, []DispositionRow{empty[0], {Check: KindMissingColumn, Checked: 2}}, ledger.Report(), "one check counted, the other still a row")
}

func TestMergeAddsUpRuns(t *testing.T) {
	var process Ledger
	var latest time.Time
	for range 3 {
		var run Ledger
		run.File(Check(Warn, Call{Columns: lun, Text: fieldCase}))
		run.File(Check(Warn, Call{}))
		report := run.Report()
		latest = report[0].LastFiredAt
		process.Merge(report)
	}
	process.Merge(new(Ledger).Report())
	assert.Equal(t, []DispositionRow{
		{Check: KindColumnTypeMismatch, Checked: 3, Findings: 3, NotApplicable: 4, LastFiredAt: latest},
		{Check: KindMissingColumn, Checked: 3, NotApplicable: 4},
	}, process.Report(), "the report of an empty ledger counts as what it says")
	assert.Len(t, process.File(Check(Warn, Call{Columns: lun, Text: fieldCase})), 1, "rows bring no identities")
}

func TestFileLeavesTheOutcomeAlone(t *testing.T) {
	outcome := Check(Enforce, Call{ToolName: "t", Columns: lun, Text: fieldCase})
	same := Check(Enforce, Call{ToolName: "t", Columns: lun, Text: fieldCase})
	var ledger Ledger
	before := time.Now()
	filed := ledger.File(outcome)
	assert.Equal(t, same, outcome, "LastFiredAt is stamped in the ledger only")
	filed[0].Message = "changed"
	assert.Equal(t, same, outcome, "the findings are copies")
	at := ledger.Report()[0].LastFiredAt
	assert.False(t, at.Before(before.Round(0)))
	assert.NotContains(t, fmt.Sprint(at), "m=", "a monotonic reading would not survive JSON")
	assert.Zero(t, ledger.Report()[1].LastFiredAt, "the check that did not fire")
}

func TestNilLedger(t *testing.T) {
	var none *Ledger
	outcome := Check(Warn, Call{Columns: lun, Text: fieldCase})
	for range 2 {
		assert.Equal(t, outcome.Findings, none.File(outcome), "every finding is new to it")
	}
	none.Merge(none.Report())
	assert.Equal(t, new(Ledger).Report(), none.Report())
}
