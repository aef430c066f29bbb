package columntypes

import (
	"encoding/json"
	"fmt"
	"testing"
)

func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{3, 2_094, 200_000} {
		rows := make([]map[string]any, size)
		for i := range rows {
			rows[i] = map[string]any{"logical_unit_number": float64(i), "host_group": "vdi-a"}
		}
		text, err := json.Marshal(rows)
		if err != nil {
			b.Fatal(err)
		}
		for form, call := range map[string]Call{"decoded": {Result: rows}, "text": {Text: string(text)}} {
			call.Columns = lun
			for _, mode := range []Mode{Off, Warn} {
				b.Run(fmt.Sprintf("%s/%s/%d", form, mode, size), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						Check(mode, call)
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
