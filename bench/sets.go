package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/columntypes/columntypes"
)

// declared are the four columns that every set declares; its other columns are nobody's business.
var declared = columntypes.ToolResultColumns{
	{Name: "host_group", Type: columntypes.String},
	{Name: "capacity_gb", Type: columntypes.Number},
	{Name: "created_at", Type: columntypes.Date},
	{Name: "comment", Type: columntypes.String, Nullable: true},
}

// shape is how large a set is and which columns its rows have, in order.
type shape struct {
	name    string
	rows    int
	columns []string
}

var (
	narrow = []string{"host_group", "capacity_gb", "created_at", "comment"}
	mapped = []string{"mapping_id", "logical_unit_number", "host_group", "capacity_gb", "array_serial", "created_at", "online", "comment"}
	shapes = []shape{
		{"S", 3, narrow},
		{"M", 2_094, mapped},
		{"L", 200_000, mapped},
		{"W", 5_000, wideColumns()},
	}
	// The scaling target compares these two with each other.
	thousand = shape{"1e3", 1_000, mapped}
	million  = shape{"1e6", 1_000_000, mapped}
)

// wideColumns puts the declared columns among 56 others, a good third of which are nested.
func wideColumns() []string {
	kinds := []string{"metric", "paths", "label", "enabled", "tags", "reserved", "policy"}
	var columns []string
	for i := range 60 {
		if i%15 == 7 {
			columns = append(columns, declared[i/15].Name)
		} else {
			columns = append(columns, fmt.Sprintf("%s_%02d", kinds[i%len(kinds)], i))
		}
	}
	return columns
}

// variant is one way to write a set's rows.
type variant string

const (
	clean    variant = "clean"
	bad      variant = "bad"      // 10% of the declared numbers are quoted or empty
	indented variant = "indented" // the clean rows with two spaces a level
	shuffled variant = "shuffled" // the clean rows with their keys in another order in every row
)

var variants = []variant{clean, bad, indented, shuffled}

// set is one JSON text to be judged, with the number of offending cells that the generator put into it.
type set struct {
	shape
	variant   variant
	text      []byte
	offenders int
}

// makeSet writes the same bytes on every machine: each stream of random numbers has its own fixed seed, so that the
// variants of a set hold the same values.
func makeSet(s shape, v variant) *set {
	values, faults, order := stream(s, 1), stream(s, 2), stream(s, 3)
	made := &set{shape: s, variant: v}
	positions := make([]int, len(s.columns))
	for i := range positions {
		positions[i] = i
	}
	cells := make([][]byte, len(s.columns))
	out := append(make([]byte, 0, s.rows*len(s.columns)*32), '[')
	for row := range s.rows {
		for i, column := range s.columns {
			cells[i] = appendCell(cells[i][:0], values, column, row)
			if v == bad && column == "capacity_gb" && (faults.IntN(10) == 0 && s.rows > 10 || row == 1) {
				cells[i] = spoil(cells[i], faults)
				made.offenders++
			}
		}
		if v == shuffled {
			order.Shuffle(len(positions), func(i, j int) { positions[i], positions[j] = positions[j], positions[i] })
		}
		separator := byte('{')
		if row > 0 {
			out = append(out, ',')
		}
		for _, i := range positions {
			out = append(append(append(out, separator, '"'), s.columns[i]...), '"', ':')
			out = append(out, cells[i]...)
			separator = ','
		}
		out = append(out, '}')
	}
	out = append(out, ']')
	if v == indented {
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, out, "", "  "); err != nil {
			panic(err) // the generator wrote something that is not JSON
		}
		out = spaced.Bytes()
	}
	made.text = out
	return made
}

func stream(s shape, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(s.rows)*100+uint64(len(s.columns)), purpose))
}

// spoil does to a number what tools do to numbers: puts it in quotes, or loses it to a falsy check.
func spoil(number []byte, faults *rand.Rand) []byte {
	if faults.IntN(2) == 0 {
		return append(number[:0], `""`...)
	}
	return append(append([]byte{'"'}, number...), '"')
}

var (
	hostGroups = []string{`"vdi-a"`, `"vdi-b"`, `"sql-prod-01"`, `"sql-prod-02"`, `"k8s-workers"`, `"backup"`, `"Zürich-esx"`, `"大阪-esx-3"`}
	comments   = []string{`"migrated from the old array"`, `"grown on request of the database team"`, `"snapshot source, do not unmap"`,
		`""`, `"path \\\\filer\\vol7, see \"Storage handbook\""`, `"first line\nsecond line"`, `"Größe geprüft"`,
		`"decommissioned hosts are still mapped; the owner asked to keep the volume until the end of the quarter"`}
	tiers = []string{`"gold"`, `"silver"`, `"bronze"`}
	epoch = time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)
)

// appendCell writes one value of a storage catalogue; the column's name up to the underscore says which kind.
func appendCell(out []byte, r *rand.Rand, column string, row int) []byte {
	switch column {
	case "mapping_id":
		return fmt.Appendf(out, `"map-%07d"`, row)
	case "logical_unit_number":
		return strconv.AppendInt(out, r.Int64N(256), 10)
	case "host_group":
		return append(out, pick(r, hostGroups)...)
	case "capacity_gb":
		return appendCapacity(out, r)
	case "array_serial":
		return fmt.Appendf(out, `"CKM%011d"`, r.IntN(40)*7_919)
	case "created_at":
		return appendTime(out, r)
	case "online":
		return strconv.AppendBool(out, r.IntN(20) > 0)
	case "comment":
		if r.IntN(10) < 3 {
			return append(out, "null"...)
		}
		return append(out, pick(r, comments)...)
	}
	switch column[:3] {
	case "met":
		return strconv.AppendFloat(out, r.Float64()*100, 'f', 3, 64)
	case "pat":
		return fmt.Appendf(out, `[{"port":"%dA","state":"active"},{"port":"%dB","state":"standby"}]`, r.IntN(8), r.IntN(8))
	case "lab":
		return fmt.Appendf(out, `"rack-%02d"`, r.IntN(40))
	case "ena":
		return strconv.AppendBool(out, r.IntN(2) == 0)
	case "tag":
		return fmt.Appendf(out, `["prod","t%d",{"owner":[%d,null]}]`, r.IntN(9), r.IntN(1000))
	case "res":
		return append(out, "null"...)
	default:
		return fmt.Appendf(out, `{"tier":%s,"iops":%d,"window":{"from":%d,"to":%d}}`, pick(r, tiers), r.IntN(50_000), r.IntN(12), 12+r.IntN(12))
	}
}

// appendCapacity writes whole gigabytes, fractions of them and, rarely, an exponent.
func appendCapacity(out []byte, r *rand.Rand) []byte {
	switch n := r.IntN(100); {
	case n < 60:
		return strconv.AppendInt(out, 1<<r.Int64N(15), 10)
	case n < 80:
		return strconv.AppendInt(out, r.Int64N(100_000), 10)
	case n < 98:
		return strconv.AppendFloat(out, float64(r.IntN(1<<20))/1024, 'f', -1, 64)
	default:
		return strconv.AppendFloat(out, float64(1+r.IntN(1000))/1024, 'e', -1, 64)
	}
}

func appendTime(out []byte, r *rand.Rand) []byte {
	at := epoch.Add(time.Duration(r.Int64N(6*365*24*3600)) * time.Second)
	layout := `"2006-01-02T15:04:05Z"`
	switch r.IntN(10) {
	case 0:
		layout = `"2006-01-02T15:04:05.000Z"`
	case 1:
		layout = `"2006-01-02T15:04:05+09:00"`
	}
	return at.AppendFormat(out, layout)
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }
