package columntypes

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// FuzzForms holds every form of one JSON text to the same verdict, number spelling in samples aside.
func FuzzForms(f *testing.F) {
	for _, v := range loadVectors[vector](f, "field.json", 89) {
		f.Add(v.Result, "id")
	}
	f.Add(fieldCase, "logical_unit_number")
	f.Fuzz(func(t *testing.T, text, column string) {
		columns := ToolResultColumns{{Name: column, Type: Number}, {Name: "n", Type: Date, Nullable: true}}
		if text == "" || AssertResultColumns("t", columns) != nil {
			t.Skip() // an empty Text says that there is no text; empty raw JSON is not JSON
		}
		all := forms(text)
		want := Check(Enforce, Call{ToolName: "t", Columns: columns, Text: text})
		for form, call := range all {
			if form == "maps" && want.NotJudged != "" {
				continue // decoding into maps turns a null row into a nil map
			}
			call.ToolName, call.Columns = "t", columns
			got := Check(Enforce, call)
			for _, out := range []*Outcome{&want, &got} {
				for i := range out.Findings {
					if v := &out.Findings[i].Violation; v.Got == "number" {
						v.Sample = ""
					}
					out.Findings[i].Message = ""
				}
				out.Refusal = ""
			}
			if form == "text" || form == "raw" {
				assert.Equal(t, want, got, form)
				continue
			}
			assert.Equal(t, want.NotJudged, got.NotJudged, form)
			assert.Equal(t, want.Findings, got.Findings, form)
		}
	})
}

// cellTypes are the field types that FuzzTypedRows builds rows from.
var cellTypes = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[*uint8](), reflect.TypeFor[float32](), reflect.TypeFor[string](), reflect.TypeFor[bool](),
	reflect.TypeFor[[]int](), reflect.TypeFor[map[string]int](), reflect.TypeFor[time.Time](), reflect.TypeFor[json.RawMessage](),
	reflect.TypeFor[any](), reflect.TypeFor[onPointer](), reflect.TypeFor[sql.NullString](), reflect.TypeFor[*big.Int](), reflect.TypeFor[[2]byte](),
}

var cellTags = []string{"", `json:"a"`, `json:"a,omitempty"`, `json:"a,omitzero"`, `json:"a,string"`, `json:"-"`, `json:"b,omitempty,string"`}

// FuzzTypedRows holds typed rows to the verdict of their own JSON, Go types and messages aside.
func FuzzTypedRows(f *testing.F) {
	f.Add([]byte{0, 1, 3, 4, 7, 2}, int64(7), "x")
	f.Add([]byte{1, 5, 9, 3, 10, 0}, int64(0), "")
	f.Fuzz(func(t *testing.T, plan []byte, number int64, text string) {
		var fields []reflect.StructField
		for i := 0; i+1 < len(plan) && i < 16; i += 2 {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: cellTypes[int(plan[i])%len(cellTypes)],
				Tag: reflect.StructTag(cellTags[int(plan[i+1])%len(cellTags)])})
		}
		rows := reflect.MakeSlice(reflect.SliceOf(reflect.StructOf(fields)), 2, 2)
		for i := range fields {
			switch field := rows.Index(1).Field(i); {
			case field.CanInt():
				field.SetInt(number)
			case field.Kind() == reflect.String:
				field.SetString(text)
			case field.Kind() == reflect.Interface:
				field.Set(reflect.ValueOf(text))
			}
		}
		encoded, err := json.Marshal(rows.Interface())
		if err != nil {
			t.Skip()
		}
		for _, word := range ColumnTypes() {
			columns := ToolResultColumns{{Name: "a", Type: word}, {Name: "b", Type: word, Nullable: true}, {Name: "F0", Type: word}, {Name: "F2", Type: word}}
			typed := Check(Warn, Call{Columns: columns, Result: rows.Interface()})
			raw := Check(Warn, Call{Columns: columns, Text: string(encoded)})
			for i := range typed.Findings {
				typed.Findings[i].Violation.GoType, typed.Findings[i].Message = "", ""
			}
			for i := range raw.Findings {
				raw.Findings[i].Message = ""
			}
			assert.Equal(t, raw, typed, string(encoded))
		}
	})
}
