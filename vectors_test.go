package columntypes

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type vectorColumn struct {
	Name     string
	Type     ColumnType
	Nullable bool
}

type vector struct {
	ID      string
	What    string
	Columns []vectorColumn
	Result  string
	Expect  struct {
		Disposition Disposition
		Findings    []struct {
			Kind         Kind
			Column       string
			Declared     ColumnType
			Rows, OfRows int
			FirstRow     *int
			Got, Sample  string
			Held         map[string]int
		}
	}
}

func (v vector) declared() (columns ToolResultColumns) {
	for _, c := range v.Columns {
		columns = append(columns, ColumnDeclaration(c))
	}
	return columns
}

// loadVectors reads a corpus into lines of any shape; one that is missing or smaller than it was fails the test.
func loadVectors[Line any](t testing.TB, file string, atLeast int) (lines []Line) {
	data, err := os.ReadFile("testdata/vectors/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &lines))
	require.GreaterOrEqual(t, len(lines), atLeast, "the corpus is smaller than it was")
	return lines
}

// forms gives one JSON text in every form that it can reach Check in.
func forms(text string) map[string]Call {
	all := map[string]Call{"text": {Text: text}, "raw": {Result: json.RawMessage(text)}}
	var decoded any
	if json.Unmarshal([]byte(text), &decoded) == nil {
		all["decoded"] = Call{Result: decoded}
	}
	var rows []map[string]any
	if json.Unmarshal([]byte(text), &rows) == nil && strings.HasPrefix(text, "[") {
		all["maps"] = Call{Result: rows}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var numbers any
	if json.Valid([]byte(text)) && decoder.Decode(&numbers) == nil {
		all["numbers"] = Call{Result: numbers}
	}
	return all
}

func TestVectors(t *testing.T) {
	for file, atLeast := range map[string]int{"verdicts.json": 286, "field.json": 89} {
		for _, v := range loadVectors[vector](t, file, atLeast) {
			for form, call := range forms(v.Result) {
				t.Run(file+"/"+v.ID+"/"+form, func(t *testing.T) {
					call.ToolName, call.Columns = "t", v.declared()
					holdToVector(t, v, form, Check(Warn, call))
				})
			}
		}
	}
}

func holdToVector(t *testing.T, v vector, form string, out Outcome) {
	want := v.Expect
	require.Len(t, out.Findings, len(want.Findings), v.What)
	overall := out.Disposition(KindColumnTypeMismatch)
	if out.Disposition(KindMissingColumn) == CheckedFail {
		overall = CheckedFail
	}
	assert.Equal(t, want.Disposition, overall, "%s: %s", v.What, out.Detail)
	for i, f := range want.Findings {
		got := out.Findings[i]
		assert.Equal(t, f.Kind, got.Kind)
		assert.Equal(t, f.Column, got.Violation.Column)
		assert.Equal(t, f.Declared, got.Violation.Declared)
		assert.Equal(t, f.OfRows, got.Violation.OfRows)
		assert.Contains(t, got.Message, ColumnTypeCeiling)
		if f.Kind == KindMissingColumn {
			continue
		}
		assert.Equal(t, f.Rows, got.Violation.Rows)
		if f.FirstRow != nil {
			assert.Equal(t, *f.FirstRow, got.Violation.FirstRow)
		}
		if f.Got != "" {
			assert.Equal(t, f.Got, got.Violation.Got)
		}
		if f.Held != nil {
			assert.Equal(t, f.Held, got.Violation.Held)
		}
		spelled := f.Got == "number" && (form == "decoded" || form == "maps") // float64 forgets the spelling
		if f.Sample != "" && !spelled {
			assert.Equal(t, f.Sample, got.Violation.Sample)
		}
	}
}
