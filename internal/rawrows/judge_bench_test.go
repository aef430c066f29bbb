package rawrows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func gen(n int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":"map-%06d","logical_unit_number":%d,"host_group":"vdi-%d","created_at":"2024-%02d-%02dT10:%02d:00Z","comment":%s,"capacity":%d.%d,"online":true,"site":"Frankfurt am Main"}`,
			i, i%256, i%17, i%12+1, i%28+1, i%60, []string{"null", `"moved by operator"`}[i%2], i*7, i%10)
	}
	b.WriteString("]")
	return b.String()
}

func take(columns []Column) *Work {
	work := Take(len(columns))
	copy(work.Columns, columns)
	return work
}

func date[T Text](t T) bool { return len(t) >= 10 && t[4] == '-' }

func BenchmarkJudge(b *testing.B) {
	text := gen(2094)
	columns := []Column{{"logical_unit_number", Accept(Number), false}, {"host_group", Accept(String), false},
		{"created_at", Accept(String), true}, {"comment", Accept(String) | Accept(Null) | Accept(Missing), false}}
	raw := []byte(text)
	var ind bytes.Buffer
	json.Indent(&ind, raw, "", "  ")
	b.Run("valid", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			json.Valid(raw)
		}
	})
	b.Run("string", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			work := take(columns)
			if a := Judge(text, nil, date[string], work); a.State != Judged || a.Rows != 2094 || work.Tallies[0].Offenders > 0 {
				b.Fatal(a, work.Tallies)
			}
			work.Give()
		}
	})
	b.Run("bytes", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			work := take(columns)
			Judge(raw, nil, date[[]byte], work)
			work.Give()
		}
	})
	b.Run("indented-valid", func(b *testing.B) {
		b.SetBytes(int64(ind.Len()))
		for b.Loop() {
			json.Valid(ind.Bytes())
		}
	})
	b.Run("indented", func(b *testing.B) {
		b.SetBytes(int64(ind.Len()))
		for b.Loop() {
			work := take(columns)
			Judge(ind.Bytes(), nil, date[[]byte], work)
			work.Give()
		}
	})
}
