package columntypes

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func init() {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "renew the golden files")
	}
}

// holdToGolden compares bytes with a file of testdata/golden, or renews the file under -update.
func holdToGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", file)
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "renew the golden files with -update")
	assert.Equal(t, string(want), string(got), "%s: read the diff, then renew it with -update", file)
}

// indented keeps the order and the spelling of JSON and makes it readable.
func indented(t *testing.T, value any) []byte {
	t.Helper()
	wire, err := json.Marshal(value)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, wire, "", "  "))
	return append(out.Bytes(), '\n')
}

// variousFindings are one of each form that a finding's JSON can take.
func variousFindings(t *testing.T) []Finding {
	t.Helper()
	note := ToolResultColumns{{Name: "note", Type: String, Nullable: true}}
	calls := []struct {
		reason string
		mode   Mode
		call   Call
	}{
		{"the field case", Warn, Call{ToolName: "host_group_mappings", ToolCallID: "call-1", Epoch: 3, Columns: lun, Text: fieldCase}},
		{"nullable, a Go type, no call id, enforced", Enforce, Call{ToolName: "t", Columns: note, Result: []map[string]any{{"note": nil}, {"note": []byte("x")}}}},
		{"a missing column with a near miss", Warn, Call{ToolName: "t", ToolCallID: "call-2", Columns: note, Text: `[{"Note":"x"}]`}},
		{"a key absent from the first row", Warn, Call{ToolName: "t", ToolCallID: "call-3", Columns: lun[:1], Text: `[{},{"logical_unit_number":1}]`}},
		{"names from a stranger", Warn, Call{ToolName: "t<'\u202e", ToolCallID: "a'\\'\n\u200b", Columns: ToolResultColumns{{Name: "n'\n", Type: Date}}, Text: `[{"n'\n":{"k":1}}]`}},
	}
	var findings []Finding
	for _, c := range calls {
		outcome := Check(c.mode, c.call)
		require.Len(t, outcome.Findings, 1, c.reason)
		findings = append(findings, outcome.Findings...)
	}
	return findings
}

func TestFindingJSON(t *testing.T) {
	findings := variousFindings(t)
	holdToGolden(t, "finding.json", indented(t, findings))

	wire, err := json.Marshal(findings)
	require.NoError(t, err)
	var read []Finding
	require.NoError(t, json.Unmarshal(wire, &read))
	assert.Equal(t, findings, read, "nothing is lost on the way")
	again, err := json.Marshal(&read[0])
	require.NoError(t, err, "a pointer marshals as the value does")
	assert.True(t, bytes.HasPrefix(wire[1:], again))
}

func TestFindingJSONKeepsWhatIsZero(t *testing.T) {
	wire, err := json.Marshal(Finding{})
	require.NoError(t, err)
	for _, member := range []string{`"epoch":0`, `"firstRow":0`, `"rows":0`, `"ofRows":0`, `"seam":"write"`} {
		assert.Contains(t, string(wire), member, "0 is a meaning")
	}
	for _, member := range []string{"nullable", "goType", "sample", "held", "nearMiss"} {
		assert.NotContains(t, string(wire), `"`+member+`"`, "an empty member is left out")
	}
}

func TestFindingUnmarshalJSON(t *testing.T) {
	before := Finding{Kind: "before", ToolCallID: "before"}
	tests := []struct {
		reason, wire string
		want         Finding
		err          string
	}{
		{"null does nothing", `null`, before, ""},
		{"the whole finding is replaced", `{"seam":7,"more":[]}`, Finding{}, ""},
		{"a provenance that names no call", `{"witnesses":[{},{"provenance":"returned by tool 'call'"}]}`, Finding{}, ""},
		{"a provenance that is not quoted as ours", `{"witnesses":[{},{"provenance":"returned by call 'a\\q'"}]}`, Finding{ToolCallID: `a\q`}, ""},
		{"the error names the member", `{"violation":{"rows":"2"}}`, before, `finding: "violation.rows" holds a JSON string`},
		{"what the error quotes is clipped", `{"epoch":` + strings.Repeat("9", 1<<16) + `}`, before, `9…`},
		{"an array is no finding", `[]`, before, `holds a JSON array`},
		{"not JSON, for who calls the method", `{`, before, `columntypes: finding: `},
	}
	for _, test := range tests {
		got := before
		err := got.UnmarshalJSON([]byte(test.wire))
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

func TestFindingWithALongCallID(t *testing.T) {
	long := strings.Repeat("i", 1<<20)
	wire, err := json.Marshal(Finding{ToolCallID: long})
	require.NoError(t, err)
	assert.Less(t, len(wire), 2<<10, "a stranger's id does not swell what a host passes on")
	var read Finding
	require.NoError(t, json.Unmarshal(wire, &read))
	assert.Equal(t, strings.Repeat("i", 79)+"…", read.ToolCallID, "clipped, and seen to be")
}
