package columntypes

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var sentinels = map[string]error{"unknown-type": ErrUnknownType, "nullable-not-boolean": ErrNullableNotBoolean, "no-columns": ErrNoColumns,
	"blank-name": ErrBlankName, "duplicate-name": ErrDuplicateName, "not-a-map": ErrNotColumns}

func TestDeclarations(t *testing.T) {
	type line struct {
		ID, Wire, Error, Column, Canonical string
		OK                                 bool
		Columns                            []vectorColumn
	}
	for _, line := range loadVectors[line](t, "declarations.json", 36) {
		columns, err := ParseResultColumns("a_tool", []byte(line.Wire))
		if !line.OK {
			require.ErrorIs(t, err, sentinels[line.Error], line.ID)
			assert.ErrorContains(t, err, "a_tool", line.ID)
			var refused *DeclarationError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, strings.TrimSpace(line.Column), strings.TrimSpace(refused.Column), line.ID)
			continue
		}
		require.NoError(t, err, line.ID)
		assert.Equal(t, vector{Columns: line.Columns}.declared(), columns, line.ID)
		canonical := line.Canonical
		if canonical == "" {
			canonical = line.Wire
		}
		encoded, err := json.Marshal(columns)
		require.NoError(t, err)
		assert.Equal(t, canonical, string(encoded), line.ID)
	}
}

func TestLargeDeclarations(t *testing.T) {
	columns := make(ToolResultColumns, 10_000)
	for i := range columns {
		columns[i] = ColumnDeclaration{Name: fmt.Sprint("c", i), Type: Number}
	}
	assert.NoError(t, AssertResultColumns("t", columns), "a local declaration has no bound")
	columns[9_999].Name = "c0"
	assert.ErrorIs(t, AssertResultColumns("t", columns), ErrDuplicateName)
	wire, err := json.Marshal(columns[:1001])
	require.NoError(t, err)
	_, err = ParseResultColumns("t", wire)
	assert.ErrorIs(t, err, ErrTooLarge)
	_, err = ParseResultColumns("t", []byte(`{"`+strings.Repeat("x", 257)+`":"number"}`))
	assert.ErrorIs(t, err, ErrTooLarge)
}

func TestUnknownTypeTeaches(t *testing.T) {
	err := AssertResultColumns("t", ToolResultColumns{{Name: "lun", Type: "unknown"}})
	for _, word := range []string{"lun", "number, string, boolean or date", "no `unknown`"} {
		assert.ErrorContains(t, err, word)
	}
	columns := ToolResultColumns{{Name: "a", Type: Number}}
	require.NoError(t, columns.UnmarshalJSON([]byte("null")))
	assert.Len(t, columns, 1, "null does nothing")
}

func FuzzParseResultColumns(f *testing.F) {
	f.Add(`{"lun":"number","note":{"type":"string","nullable":true}}`)
	f.Fuzz(func(t *testing.T, wire string) {
		columns, err := ParseResultColumns("t", []byte(wire))
		if err != nil {
			return
		}
		encoded, err := json.Marshal(columns)
		require.NoError(t, err)
		again, err := ParseResultColumns("t", encoded)
		require.NoError(t, err)
		assert.Equal(t, columns, again)
	})
}

func TestUnknownKeysOfADeclarationAreIgnored(t *testing.T) {
	for _, unknown := range []string{`1e400`, `-0`, `{"type":"unknown"}`, `[[]]`, `null`} {
		columns, err := ParseResultColumns("t", []byte(`{"lun":{"type":"number","unit":`+unknown+`,"nullable":true}}`))
		require.NoError(t, err, unknown)
		assert.Equal(t, ToolResultColumns{{Name: "lun", Type: Number, Nullable: true}}, columns, unknown)
	}
	_, err := ParseResultColumns("t", []byte(`{"lun":1e400}`))
	assert.ErrorIs(t, err, ErrUnknownType, "a number is no type, however large")
}

func TestWordsAboutDeclarations(t *testing.T) {
	type uncomparable struct{ error }
	assert.Contains(t, AssertResultColumns("t", ToolResultColumns{{Type: Number}}).Error(), `column "": blank column name`)
	assert.NotPanics(t, func() { _ = (&DeclarationError{Err: errors.Join(uncomparable{})}).Error() })
	encoded, err := ToolResultColumns{{Name: "a<b>&\"c\"", Type: Number, Nullable: true}}.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"a<b>&\"c\"":{"type":"number","nullable":true}}`, string(encoded))
}
