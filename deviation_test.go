package columntypes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where the verdict or its wording differs from the TypeScript original on purpose, one test each.

// V8's Date.parse rolls 30 February over to March; a day that does not exist is no date.
func TestDeviationDaysThatDoNotExist(t *testing.T) {
	assert.False(t, isDate("2024-02-30"))
}

// V8's Date.parse takes any word with a number; that would pass a label as a date.
func TestDeviationWordsWithDigits(t *testing.T) {
	assert.False(t, isDate("LUN 0"))
}

// A leap second and Go's own Time.String are dates that V8 does not read.
func TestDeviationDatesOfOtherSystems(t *testing.T) {
	assert.True(t, isDate("2016-12-31T23:59:60Z"))
	assert.True(t, isDate("2024-01-02 03:04:05 +0530 IST"))
}

// In JavaScript every object inherits toString and constructor; in Go a key is there or it is not.
func TestDeviationInheritedNames(t *testing.T) {
	out := Check(Warn, Call{Columns: ToolResultColumns{{Name: "toString", Type: String}}, Text: `[{"a":1}]`})
	require.Len(t, out.Findings, 1)
	assert.Equal(t, KindMissingColumn, out.Findings[0].Kind)
}

// A JavaScript object puts integer-like names first; the author's order is kept here.
func TestDeviationIntegerLikeNamesKeepTheirOrder(t *testing.T) {
	columns, err := ParseResultColumns("t", []byte(`{"b":"number","10":"number","2":"number"}`))
	require.NoError(t, err)
	out := Check(Warn, Call{Columns: columns, Text: `[{"b":"","10":"","2":""}]`})
	require.Len(t, out.Findings, 3)
	assert.Equal(t, "b", out.Findings[0].Violation.Column)
	assert.Equal(t, "2", out.Findings[2].Violation.Column)
}

// The original's refusal says that all offenders hold what the first one does.
func TestDeviationMixedOffendersAreNotSaidToBeAlike(t *testing.T) {
	out := Check(Enforce, Call{ToolName: "t", Columns: ToolResultColumns{{Name: "n", Type: Number}}, Text: `[{"n":""},{"n":true}]`})
	assert.Contains(t, out.Refusal, "2 of 2 rows hold something else: 1 boolean, 1 string")
}

// A line break in a sample could end the sentence that a model reads; it is escaped.
func TestDeviationSamplesAreQuotedAsGoQuotes(t *testing.T) {
	out := Check(Warn, Call{Columns: ToolResultColumns{{Name: "n", Type: Number}}, Text: `[{"n":"a\nb\u0001"}]`})
	assert.Equal(t, `"a\nb\x01"`, out.Findings[0].Violation.Sample)
}

// A container's values are never shown: only its keys or its length.
func TestDeviationContainersShowNoValues(t *testing.T) {
	out := Check(Warn, Call{Columns: ToolResultColumns{{Name: "n", Type: Number}}, Text: `[{"n":{"$date":"2024"}}]`})
	assert.Equal(t, `{"$date": …}`, out.Findings[0].Violation.Sample)
}

// JavaScript has no value like a []byte in a row; what it holds is shown, and it passes as nothing.
func TestDeviationBytes(t *testing.T) {
	out := Check(Warn, Call{Columns: ToolResultColumns{{Name: "s", Type: String}}, Result: []map[string]any{{"s": []byte("North")}}})
	require.Len(t, out.Findings, 1)
	assert.Equal(t, "bytes", out.Findings[0].Violation.Got)
	assert.Equal(t, `"North"`, out.Findings[0].Violation.Sample)
}

// Eighty is counted in runes, not in UTF-16 units: an emoji is one. The quoted form has a bound in bytes too.
func TestDeviationRunesAreCounted(t *testing.T) {
	shown := func(text string) string {
		return Check(Warn, Call{Columns: ToolResultColumns{{Name: "n", Type: Number}}, Result: []map[string]any{{"n": text}}}).Findings[0].Violation.Sample
	}
	assert.Equal(t, `"`+strings.Repeat("😀", 50)+`"`, shown(strings.Repeat("😀", 50)))
	assert.LessOrEqual(t, len(shown(strings.Repeat("😀", 80))), mostBytes)
}
