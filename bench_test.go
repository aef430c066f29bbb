package columntypes

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkCheck judges clean rows in every form that they can arrive in.
func BenchmarkCheck(b *testing.B) {
	type mapping struct {
		Lun  int    `json:"logical_unit_number"`
		Host string `json:"host_group"`
	}
	for _, size := range []int{3, 2_094, 200_000} {
		maps, list, typed := make([]map[string]any, size), make([]any, size), make([]mapping, size)
		for i := range size {
			maps[i] = map[string]any{"logical_unit_number": float64(i), "host_group": "vdi-a"}
			list[i], typed[i] = maps[i], mapping{i, "vdi-a"}
		}
		text, err := json.Marshal(typed)
		if err != nil {
			b.Fatal(err)
		}
		for _, form := range []struct {
			name string
			call Call
		}{
			{"text", Call{Text: string(text)}}, {"raw", Call{Result: json.RawMessage(text)}},
			{"maps", Call{Result: maps}}, {"decoded", Call{Result: list}}, {"typed", Call{Result: typed}},
		} {
			form.call.Columns = lun
			for _, mode := range []Mode{Off, Warn} {
				b.Run(fmt.Sprintf("%s/%s/%d", form.name, mode, size), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						Check(mode, form.call)
					}
				})
			}
		}
	}
}

func BenchmarkTenThousandColumns(b *testing.B) {
	columns := make(ToolResultColumns, 10_000)
	for i := range columns {
		columns[i] = ColumnDeclaration{Name: fmt.Sprint("c", i), Type: Number}
	}
	for b.Loop() {
		Check(Warn, Call{Columns: columns, Text: `[{"a":1,"b":2}]`})
	}
}
