package fieldtests

import (
	"database/sql"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"testing"
	"time"

	"github.com/columntypes/columntypes"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// held is a habit with the row that shows it, where no server is needed to make one.
type held struct {
	habit
	rows any
}

func holds(column string, rows any, intended columntypes.ColumnType, fix string) held {
	return held{habit{column: column, intended: intended, fix: fix}, rows}
}

func observeHeld(t *testing.T, all []held) (observations []observation) {
	t.Helper()
	for _, one := range all {
		observations = append(observations, observe(t, one.habit, one.rows))
	}
	return observations
}

// scanned fills a value as a driver would.
func scanned[T any, P interface {
	*T
	sql.Scanner
}](t *testing.T, source any) T {
	t.Helper()
	var value T
	require.NoError(t, P(&value).Scan(source))
	return value
}

func TestValues(t *testing.T) {
	id := uuid.MustParse("0f1e2d3c-4b5a-4968-8776-655443322110")
	price := decimal.RequireFromString("87.65")
	half := 1.5
	var noHalf *float64
	at := time.Date(2024, 1, 31, 10, 0, 0, 0, time.UTC)
	const pointer = "use a pointer, or the type of `pgtype`"
	holdPage(t, "values", observeHeld(t, []held{
		holds("google/uuid", mapOf(id), text, ""),
		holds("google/uuid, converted", mapOf([16]byte(id)), text, "keep the type `uuid.UUID`, whose marshaler writes text"),
		holds("google/uuid", rowOf(uuid.NullUUID{UUID: id, Valid: true}), text, ""),
		holds("google/uuid, null", rowOf(uuid.NullUUID{}), text, nullable),
		holds("shopspring/decimal", mapOf(price), number, "declare `string`, or `InexactFloat64()`, or `json.Number(d.String())`"),
		holds("shopspring/decimal, json.Number(d.String())", mapOf(json.Number(price.String())), number, ""),
		holds("shopspring/decimal", rowOf(&price), number, "declare `string`, or `InexactFloat64()`, or `json.Number(d.String())`"),
		holds("shopspring/decimal", rowOf(decimal.NewNullDecimal(price)), number, "declare `string`, or `InexactFloat64()`, or `json.Number(d.String())`"),
		holds("shopspring/decimal, null", rowOf(decimal.NullDecimal{}), number, nullable),
		holds("pgtype", mapOf(scanned[pgtype.Numeric](t, "72.35")), number, ""),
		holds("pgtype, NaN", mapOf(scanned[pgtype.Numeric](t, "NaN")), number, "no number in JSON: make it null and "+nullable),
		holds("pgtype, null", mapOf(pgtype.Numeric{}), number, nullable),
		holds("pgtype", mapOf(scanned[pgtype.Int8](t, int64(math.MaxInt64))), number, ""),
		holds("pgtype, NaN", mapOf(pgtype.Float4{Float32: float32(math.NaN()), Valid: true}), number, "its marshaler fails: make it null and "+nullable),
		holds("pgtype", mapOf(scanned[pgtype.Date](t, "2024-01-31")), date, ""),
		holds("pgtype, infinity", mapOf(pgtype.Date{InfinityModifier: pgtype.Infinity, Valid: true}), date, "no day: make it null and "+nullable),
		holds("pgtype, infinity", mapOf(pgtype.Infinity), date, "no day: make it null and "+nullable),
		holds("pgtype", mapOf(pgtype.Interval{Months: 1, Valid: true}), "", undeclared+", or select its parts"),
		holds("database/sql", mapOf(sql.NullString{String: "Field Guide", Valid: true}), text, pointer),
		holds("database/sql, null", mapOf(sql.NullString{}), text, pointer),
		holds("database/sql", mapOf(sql.NullFloat64{Float64: 1.5, Valid: true}), number, pointer),
		holds("database/sql", mapOf(sql.NullTime{Time: at, Valid: true}), date, pointer),
		holds("database/sql", mapOf(sql.Null[bool]{V: true, Valid: true}), boolean, pointer),
		holds("database/sql, plain bytes", mapOf(sql.RawBytes("12.50")), number, "scan into a number; `RawBytes` is also overwritten by the next row"),
		holds("pointer", rowOf(&half), number, ""),
		holds("pointer, null", rowOf(noHalf), number, nullable),
		holds("float64, NaN", mapOf(math.NaN()), number, "encoding/json refuses the whole result: make it null and "+nullable),
		holds("float64, infinity", mapOf(math.Inf(-1)), number, "encoding/json refuses the whole result: make it null and "+nullable),
		holds("json.Number", mapOf(json.Number("12.50")), number, ""),
		holds("json.Number, in a text column", mapOf(json.Number("02139")), text, "no JSON number: keep it a `string`"),
		holds("json.Number, empty", mapOf(json.Number("")), number, "encoding/json writes it as 0, which nobody stored: make it null and "+nullable),
		holds("json.Number, beyond float64", mapOf(json.Number("1e400")), number, "declare `string` and hand over text"),
		holds("math/big", mapOf(big.NewInt(12)), number, ""),
		holds("math/big", mapOf(big.NewFloat(1.5)), number, "`f.Float64()`, or declare `string`"),
		holds("math/big (BigQuery's NUMERIC)", mapOf(big.NewRat(25, 2)), number, "`r.Float64()`, or `json.Number(r.FloatString(2))`"),
		holds("time", mapOf(at), date, ""),
		holds("time, year 10000", mapOf(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), date, "passes; encoding/json refuses the whole result"),
		holds("time", mapOf(90*time.Second), number, "passes as nanoseconds: `d.Seconds()` for seconds, `d.String()` for text"),
	}))
}

// decimal has a switch that its documentation calls global: it changes the verdict with the JSON.
func TestDecimalWithoutQuotes(t *testing.T) {
	decimal.MarshalJSONWithoutQuotes = true
	defer func() { decimal.MarshalJSONWithoutQuotes = false }()
	h := habit{column: "decimal without quotes", intended: number}
	assert.Equal(t, "87.65", observe(t, h, mapOf(decimal.RequireFromString("87.65"))).json)
}

// goVector is a line of field_go.json.
type goVector struct {
	ID, What string
	Columns  []struct {
		Name     string
		Type     columntypes.ColumnType
		Nullable bool
	}
	Expect struct {
		Disposition columntypes.Disposition
		Findings    []struct {
			Kind         columntypes.Kind
			Column       string
			Rows, OfRows int
		}
	}
}

// thirdPartyRows are the lines of field_go.json that the root module cannot express.
func thirdPartyRows(t *testing.T) map[string]any {
	return map[string]any{
		"F008": []map[string]any{{"acct": "a", "balance": scanned[pgtype.Numeric](t, "72.35")}},
		"F010": []map[string]any{{"id": [16]byte(uuid.MustParse("0f1e2d3c-4b5a-4968-8776-655443322110")), "label": "x"}},
		"F024": []map[string]any{
			{"token": "a", "expires": time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)},
			{"token": "b", "expires": pgtype.Infinity},
		},
		"F030": []map[string]any{{"rate": decimal.RequireFromString("87.65")}},
	}
}

func TestVectorsWithThirdPartyTypes(t *testing.T) {
	content, err := os.ReadFile("../testdata/vectors/field_go.json")
	require.NoError(t, err)
	var vectors []goVector
	require.NoError(t, json.Unmarshal(content, &vectors))
	rows := thirdPartyRows(t)
	for _, v := range vectors {
		result, here := rows[v.ID]
		if !here {
			continue // the root module runs it
		}
		delete(rows, v.ID)
		var columns columntypes.ToolResultColumns
		for _, c := range v.Columns {
			columns = append(columns, columntypes.ColumnDeclaration(c))
		}
		outcome := columntypes.Check(columntypes.Warn, columntypes.Call{ToolName: "t", Columns: columns, Result: result})
		assert.Equal(t, v.Expect.Disposition, outcome.Disposition(columntypes.KindColumnTypeMismatch), "%s %s", v.ID, v.What)
		require.Len(t, outcome.Findings, len(v.Expect.Findings), "%s %s", v.ID, v.What)
		for i, want := range v.Expect.Findings {
			got := outcome.Findings[i]
			assert.Equal(t, want.Kind, got.Kind, v.ID)
			assert.Equal(t, want.Column, got.Violation.Column, v.ID)
			assert.Equal(t, want.Rows, got.Violation.Rows, v.ID)
			assert.Equal(t, want.OfRows, got.Violation.OfRows, v.ID)
		}
		encoded, err := json.Marshal(result)
		require.NoError(t, err)
		ofJSON := columntypes.Check(columntypes.Warn, columntypes.Call{ToolName: "t", Columns: columns, Text: string(encoded)})
		assert.Equal(t, ofJSON.Dispositions, outcome.Dispositions, "%s: the rows and their JSON are judged apart", v.ID)
	}
	assert.Empty(t, rows, "lines that the corpus no longer has")
}
