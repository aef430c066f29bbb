package columntypes

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzForms holds every form of one JSON text to the same verdict, number spelling in samples aside.
func FuzzForms(f *testing.F) {
	for _, v := range loadVectors(f, "field.json", 89) {
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
