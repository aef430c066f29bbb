package columntypes

import (
	"database/sql"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type godrorNumber string

type balance struct {
	Acct   string `json:"acct"`
	Amount int    `json:"amount,omitempty"`
}

type promoted struct {
	time.Time `json:"at"`
	Value     int `json:"value"`
}

type untagged struct {
	time.Time
	Value int `json:"value"`
}

type quotedNumber struct {
	N int64 `json:"n,string"`
}

type (
	celsius float64
	state   string
	okay    bool
)

// goRows are the lines of field_go.json that the standard library can express.
func goRows() map[string]any {
	half := 1.5
	at := time.Date(2024, 1, 31, 10, 0, 0, 0, time.UTC)
	return map[string]any{
		"F002": []map[string]any{{"id": []byte("1"), "name": []byte("North")}, {"id": []byte("2"), "name": []byte("South")}},
		"F006": []map[string]any{{"sku": "A-1", "price": []byte("19.990000")}, {"sku": "A-2", "price": nil}},
		"F014": []map[string]any{{"qty": godrorNumber("2233445566778899001")}},
		"F016": []map[string]any{{"id": 1, "title": sql.NullString{String: "Field Guide", Valid: true}}, {"id": 2, "title": sql.NullString{}}},
		"F018": []map[string]any{{"v": &half}, {"v": (*float64)(nil)}},
		"F020": []map[string]any{{"id": int64(1), "enabled": int64(1)}, {"id": int64(2), "enabled": int64(0)}},
		"F026": []map[string]any{{"at": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		"F028": []map[string]any{{"zip": json.Number("2139")}},
		"F032": []map[string]any{{"i": big.NewInt(12), "f": big.NewFloat(1.5)}},
		"F034": []map[string]any{{"asset": "n1", "cost": 1.25, "overhead": math.NaN()}, {"asset": "n2", "cost": 0.0, "overhead": math.Inf(1)}},
		"F036": []balance{{Acct: "a"}, {Acct: "b"}},
		"F038": []map[string]any{{"timeout": 90 * time.Second}},
		"F040": []promoted{{at, 7}, {at, 8}},
		"F042": []any{map[any]any{"k": "v"}},
		"F044": []quotedNumber{{N: 42}},
		"F046": []map[string]any(nil),
		"F048": []any{map[string]any{"temp": celsius(21.5), "state": state("up"), "ok": okay(true), "n": uint8(7)}},
	}
}

func TestGoVectors(t *testing.T) {
	rows := goRows()
	for _, v := range loadVectors[vector](t, "field_go.json", 21) {
		result, here := rows[v.ID]
		if !here {
			continue // needs a third-party type
		}
		out := Check(Warn, Call{ToolName: "t", Columns: v.declared(), Result: result})
		require.Len(t, out.Findings, len(v.Expect.Findings), "%s %s", v.ID, v.What)
		for i, want := range v.Expect.Findings {
			assert.Equal(t, want.Kind, out.Findings[i].Kind, v.ID)
			assert.Equal(t, want.Column, out.Findings[i].Violation.Column, v.ID)
			assert.Equal(t, want.OfRows, out.Findings[i].Violation.OfRows, v.ID)
			if want.Kind == KindColumnTypeMismatch {
				assert.Equal(t, want.Rows, out.Findings[i].Violation.Rows, v.ID)
			}
		}
		if len(v.Expect.Findings) == 0 {
			assert.Equal(t, v.Expect.Disposition, out.Disposition(KindColumnTypeMismatch), "%s %s", v.ID, out.Detail)
		}
	}
}

func TestGoTypesAreNamedWhereTheWordIsNotPlain(t *testing.T) {
	message := func(id, column string) string {
		out := Check(Warn, Call{ToolName: "t", Columns: ToolResultColumns{{Name: column, Type: Boolean}}, Result: goRows()[id]})
		return out.Findings[0].Message
	}
	assert.Contains(t, message("F002", "id"), `the first is "1" (bytes, Go []uint8)`)
	assert.Contains(t, message("F014", "qty"), `(string, Go columntypes.godrorNumber)`)
	assert.Contains(t, message("F028", "zip"), `the first is 2139 (number).`)
	assert.Contains(t, message("F020", "id"), `the first is 1 (number).`)
	assert.Contains(t, message("F044", "n"), `the first is "42" (string, Go int64)`)
	out := Check(Warn, Call{ToolName: "t", Columns: ToolResultColumns{{Name: "d", Type: String}}, Result: []map[string]any{{"d": time.Second}}})
	assert.Equal(t, "time.Duration", out.Findings[0].Violation.GoType, "a number whose Go type has a name of its own")
}

func TestEmbeddedMarshalerMakesTheRowAString(t *testing.T) {
	_, ok := ReadRowset([]untagged{{Value: 1}})
	assert.False(t, ok)
}

func TestFieldRules(t *testing.T) {
	type deep struct{ A, B, C int }
	type left struct {
		deep
		A int
		D int
	}
	type right struct {
		D int
		E int `json:"B"`
	}
	type row struct {
		left
		*right
		C int `json:"C"`
	}
	rows := []row{{}, {right: &right{}}}
	encoded, err := json.Marshal(rows)
	require.NoError(t, err)
	columns := ToolResultColumns{{Name: "A", Type: Number}, {Name: "B", Type: Number}, {Name: "C", Type: Number}, {Name: "D", Type: Number}, {Name: "E", Type: Number}}
	typed := Check(Warn, Call{Columns: columns, Result: rows})
	raw := Check(Warn, Call{Columns: columns, Text: string(encoded)})
	assert.Equal(t, raw, typed, "typed rows are judged as their own JSON: %s", strings.TrimSpace(string(encoded)))
}

type (
	ownOnPointer int
	pointerToOwn *ownOnPointer
	pointerToNum *json.Number
)

func (*ownOnPointer) MarshalJSON() ([]byte, error) { return []byte(`"a string"`), nil }

func TestPointersAreJudgedByWhatTheyEncode(t *testing.T) {
	type row struct {
		Text   *string
		Number *float64
		Flag   *bool
		Twice  **string
		Digits *json.Number
		Named  pointerToNum
		Own    *ownOnPointer
		Other  pointerToOwn
		Empty  *string
		Quoted *int `json:",string"`
		Date   *string
		Time   *time.Time
	}
	text, number, flag, digits, own, day, at, whole := "a", 1.5, true, json.Number("7"), ownOnPointer(1), "2024-02-30", time.Now(), 4
	twice := &text
	rows := []row{{&text, &number, &flag, &twice, &digits, &digits, &own, &own, nil, &whole, &day, &at}, {}}
	encoded, err := json.Marshal(rows)
	require.NoError(t, err)
	for _, declared := range []ColumnType{Number, String, Boolean, Date} {
		for _, nullable := range []bool{false, true} {
			for _, name := range reflect.VisibleFields(reflect.TypeFor[row]()) {
				columns := ToolResultColumns{{Name: name.Name, Type: declared, Nullable: nullable}}
				typed, raw := Check(Warn, Call{Columns: columns, Result: rows}), Check(Warn, Call{Columns: columns, Text: string(encoded)})
				assert.Equal(t, raw.Dispositions, typed.Dispositions, "%s as %s, nullable %t", name.Name, declared, nullable)
				if len(raw.Findings) == 1 && assert.Len(t, typed.Findings, 1) {
					assert.Equal(t, raw.Findings[0].Violation.Held, typed.Findings[0].Violation.Held, "%s as %s, nullable %t", name.Name, declared, nullable)
				}
			}
		}
	}
}

func TestRowsThatLookLikeOthers(t *testing.T) {
	type row struct {
		At time.Time `json:"at,omitzero"`
		N  int       `json:"n,omitzero"`
	}
	out := Check(Warn, Call{Columns: ToolResultColumns{{Name: "at", Type: Date}, {Name: "n", Type: Number}}, Result: []row{{}}})
	require.Len(t, out.Findings, 2, "omitzero leaves both keys out")
	assert.Equal(t, KindMissingColumn, out.Findings[1].Kind)

	out = Check(Warn, Call{Columns: lun, Result: []any{map[string]any{"logical_unit_number": 1}, map[string]any(nil)}})
	assert.Equal(t, ReasonNotRowset, out.NotJudged, "a nil map in a list is null: %s", out.Detail)

	out = Check(Warn, Call{Columns: lun, Text: `[{"logical_unit_number":"\u2800\ufe0f\u034fé","host_group":""}]`})
	assert.Equal(t, `"\u2800\ufe0f\u034fé"`, out.Findings[0].Violation.Sample, "what cannot be seen is escaped, letters stay")
}
