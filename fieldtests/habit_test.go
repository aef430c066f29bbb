package fieldtests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/columntypes/columntypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// habit is one type of column, and what to do about what its driver hands over.
type habit struct {
	column   string                 // the type, and what it holds where that matters
	query    string                 // an expression that gives it
	intended columntypes.ColumnType // what its author would declare; "" where no word fits
	cast     string                 // an expression in its place that holds what was intended
	fix      string                 // what to do, for a person; an empty one where there is nothing to do
}

// typed is a row whose column is scanned into a field of type T.
type typed[T any] struct {
	Value T `db:"value" json:"value"`
}

// rowOf makes the row that a struct scan would.
func rowOf[T any](value T) []typed[T] { return []typed[T]{{value}} }

// mapOf makes the row that a map scan would.
func mapOf(value any) []map[string]any { return []map[string]any{{"value": value}} }

// observation is what came of one habit.
type observation struct {
	habit
	goType string
	json   string
	says   string // how a message calls it: the word, and the Go type where the word does not say it
	passes map[columntypes.ColumnType]bool
}

// observe judges one row as it came and as its JSON, holds the two to each other, and the habit to both.
func observe(t *testing.T, h habit, rows any) observation {
	t.Helper()
	raw, isRaw := rows.(json.RawMessage)
	if isRaw {
		rows = decoded(t, raw)
	}
	value, goType := cellOf(t, rows)
	o := observation{habit: h, goType: goType, passes: map[columntypes.ColumnType]bool{}}
	encoded, encodeErr := json.Marshal(rows)
	o.json = cellJSON(t, encoded, encodeErr)
	if isRaw {
		o.goType, o.json = arrivesAsJSON, cellJSON(t, raw, nil)
	}
	excepted := exception(value)
	for _, word := range columntypes.ColumnTypes() {
		finding := judge(t, h, word, columntypes.Call{Result: rows})
		o.passes[word] = finding == nil
		if finding != nil {
			o.says = says(t, finding)
		}
		switch {
		case excepted != "":
			holdToException(t, excepted, word, finding, encoded, encodeErr)
		case encodeErr != nil:
			require.NotNil(t, finding, "%s is not encodable and passes as %s", h.column, word)
			assert.Equal(t, "unencodable", finding.Violation.Got, "%s: %v", h.column, encodeErr)
		default:
			ofJSON := judge(t, h, word, columntypes.Call{Text: string(encoded)})
			assert.Equal(t, withoutGoType(ofJSON), withoutGoType(finding),
				"%s as %s: the Go %T and its JSON %s are judged apart", h.column, word, value, o.json)
			if isRaw {
				asItCame := judge(t, h, word, columntypes.Call{Result: raw})
				assert.Equal(t, ofJSON, asItCame, "%s as %s: raw JSON %s and its decoded form", h.column, word, raw)
			}
		}
	}
	holdToHabit(t, &o, rows)
	return o
}

// arrivesAsJSON stands for the Go type of what never was a Go value.
const arrivesAsJSON = "JSON"

func decoded(t *testing.T, raw json.RawMessage) (rows []map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&rows))
	return rows
}

// cellOf takes the only cell out of the only row, with the type that a reader of the page is told.
func cellOf(t *testing.T, rows any) (value any, goType string) {
	t.Helper()
	v := reflect.ValueOf(rows)
	require.Equal(t, reflect.Slice, v.Kind(), "rows are a slice, not %T", rows)
	require.Equal(t, 1, v.Len())
	row := v.Index(0)
	if row.Kind() == reflect.Map {
		cell := row.MapIndex(reflect.ValueOf("value"))
		require.True(t, cell.IsValid(), "no value in %v", row)
		value = cell.Interface()
		if value == nil {
			return nil, "nil"
		}
		return value, fmt.Sprintf("%T", value)
	}
	field := row.FieldByName("Value")
	return field.Interface(), field.Type().String()
}

func cellJSON(t *testing.T, encoded []byte, err error) string {
	t.Helper()
	if err != nil {
		return ""
	}
	var rows []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(encoded, &rows))
	return string(rows[0]["value"])
}

func judge(t *testing.T, h habit, word columntypes.ColumnType, call columntypes.Call) *columntypes.Finding {
	t.Helper()
	return judgeAs(t, h, columntypes.ColumnDeclaration{Name: "value", Type: word}, call)
}

func judgeAs(t *testing.T, h habit, column columntypes.ColumnDeclaration, call columntypes.Call) *columntypes.Finding {
	t.Helper()
	call.ToolName, call.Columns = "t", columntypes.ToolResultColumns{column}
	outcome := columntypes.Check(columntypes.Warn, call)
	require.Empty(t, outcome.NotJudged, "%s: %s", h.column, outcome.Detail)
	require.LessOrEqual(t, len(outcome.Findings), 1)
	if len(outcome.Findings) == 0 {
		assert.Equal(t, columntypes.CheckedPass, outcome.Disposition(columntypes.KindColumnTypeMismatch))
		return nil
	}
	return &outcome.Findings[0]
}

// withoutGoType is what a verdict on a Go value and one on its JSON have in common.
func withoutGoType(f *columntypes.Finding) *columntypes.ColumnViolation {
	if f == nil {
		return nil
	}
	violation := f.Violation
	violation.GoType = ""
	return &violation
}

// says gives a message's name for what it found, and holds the message to it.
func says(t *testing.T, f *columntypes.Finding) string {
	t.Helper()
	words := f.Violation.Got
	if f.Violation.GoType != "" {
		words += ", Go " + f.Violation.GoType
	}
	assert.Contains(t, f.Message, "("+words+")")
	return words
}

// The four exceptions to the rule that a Go value is judged as its JSON.
const (
	notFinite   = "NaN and the infinities are findings, not errors"
	anyYear     = "a time.Time is a date in every year"
	plainBytes  = "plain bytes pass as nothing"
	emptyNumber = "an empty json.Number is a finding"
)

func exception(value any) string {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() == reflect.Pointer {
		return ""
	}
	_, marshals := v.Interface().(json.Marshaler)
	switch at, isTime := v.Interface().(time.Time); {
	case isTime && (at.Year() < 0 || at.Year() > 9999):
		return anyYear
	case isTime || marshals:
		return ""
	case v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return notFinite
	case v.Type() == reflect.TypeFor[json.Number]() && v.Len() == 0:
		return emptyNumber
	case v.Kind() == reflect.Slice && !v.IsNil() && v.Type().Elem() == reflect.TypeFor[byte]():
		return plainBytes
	}
	return ""
}

// holdToException asserts the whole of what is documented: the verdict, and why JSON could not have given it.
func holdToException(t *testing.T, excepted string, word columntypes.ColumnType, finding *columntypes.Finding, encoded []byte, err error) {
	t.Helper()
	if excepted == anyYear {
		require.Error(t, err)
		assert.Equal(t, word != columntypes.Date, finding != nil, "%s, here as %s", excepted, word)
		return
	}
	require.NotNil(t, finding, "%s, here as %s", excepted, word)
	got := finding.Violation.Got
	switch excepted {
	case notFinite:
		require.Error(t, err)
		assert.Contains(t, []string{"the number NaN", "the number +Inf", "the number -Inf"}, got)
	case plainBytes:
		require.NoError(t, err)
		assert.Contains(t, string(encoded), `"value":"`)
		assert.Equal(t, "bytes", got)
	case emptyNumber:
		require.NoError(t, err)
		assert.Equal(t, `[{"value":0}]`, string(encoded))
	}
}

// holdToHabit asserts that the page tells the truth about what is intended and what needs mending.
func holdToHabit(t *testing.T, o *observation, rows any) {
	t.Helper()
	passes := o.passes[o.intended]
	assert.False(t, !passes && strings.HasPrefix(o.fix, "passes"), "%s does not pass as %s", o.column, o.intended)
	assert.False(t, !passes && o.fix == "", "%s (%s) is not %q and no fix is given", o.column, o.says, o.intended)
	assert.False(t, passes && o.cast != "", "%s passes as %s and needs no cast", o.column, o.intended)
	if o.fix == nullable && o.intended != "" {
		assert.False(t, passes, "%s passes without it", o.column)
		holdMended(t, o.habit, rows)
	}
}

// holdMended asserts that what was intended is there once the fix was followed.
func holdMended(t *testing.T, h habit, rows any) {
	t.Helper()
	column := columntypes.ColumnDeclaration{Name: "value", Type: h.intended, Nullable: strings.HasSuffix(h.fix, nullable)}
	if finding := judgeAs(t, h, column, columntypes.Call{Result: rows}); finding != nil {
		assert.Fail(t, "the fix does not mend it", "%s: %s %s: %s", h.column, h.cast, h.fix, finding.Message)
	}
}
