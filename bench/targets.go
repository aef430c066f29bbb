package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// target is one bound that a run is held to.
type target struct {
	name  string
	least bool // the value is at least the bound, else at most
	bound float64
	unit  string
	value func(results) (float64, bool)
}

// outcome is a target and what a run came to.
type outcome struct {
	target
	value    float64
	measured bool
}

func (t target) judge(r results) outcome {
	value, measured := t.value(r)
	return outcome{t, value, measured}
}

func (o outcome) met() bool {
	if o.least {
		return o.value >= o.bound
	}
	return o.value <= o.bound
}

func (o outcome) sign() string {
	if o.least {
		return ">="
	}
	return "<="
}

func (o outcome) String() string {
	bound := fmt.Sprintf("%s %s %g%s: ", o.name, o.sign(), o.bound, o.unit)
	switch {
	case !o.measured:
		return bound + "not measured"
	case o.met():
		return bound + o.number() + " ok"
	}
	return bound + o.number() + " missed"
}

func (o outcome) number() string {
	if o.unit == "x" {
		return fmt.Sprintf("%.2fx", o.value)
	}
	return fmt.Sprintf("%.0f%s", o.value, o.unit)
}

func (o outcome) MarshalJSON() ([]byte, error) {
	out := map[string]any{"target": o.name, "bound": o.bound, "sense": o.sign(), "unit": strings.TrimSpace(o.unit)}
	if o.measured {
		out["value"], out["met"] = o.value, o.met()
	}
	return json.Marshal(out)
}

// targets are the bounds that must hold, in the order of the project's table.
func targets() []target {
	var all []target
	faster := func(name, ours string, bound float64, at place, peers ...string) {
		all = append(all, target{name, true, bound, "x", func(r results) (float64, bool) {
			return fastestOf(r, place{ours, at.set, at.variant}, at, peers)
		}})
	}
	raw := func(set string, bound float64, peer, called string) {
		faster(fmt.Sprintf("raw %s vs %s", set, called), nameOurs, bound, place{"", set, clean}, peer)
	}
	raw("M", 3, nameValid, "json.Valid")
	raw("L", 3, nameValid, "json.Valid")
	faster("raw indented M vs json.Valid", nameOurs, 4, place{"", "M", indented}, nameValid)
	raw("W", 2.8, nameValid, "json.Valid")
	raw("S", 2.2, nameValid, "json.Valid")
	raw("M", 1.5, nameGjson, "gjson.ValidBytes")
	raw("L", 1.5, nameGjson, "gjson.ValidBytes")
	for _, at := range []struct {
		set            string
		schemas, nodes float64
	}{{"M", 20, 8}, {"L", 20, 8}, {"W", 12, 5}, {"S", 20, 6}} {
		faster("raw "+at.set+" vs the faster of santhosh and google", nameOurs, at.schemas, place{"", at.set, clean}, nameSanthosh, nameGoogle)
		raw(at.set, at.nodes, nameNode, "Node")
	}
	slower := func(name string, bound float64, a, b place) {
		all = append(all, target{name, false, bound, "x", func(r results) (float64, bool) { return r.times(a, b) }})
	}
	for _, set := range []string{"M", "L", "W"} {
		slower("raw "+set+" time, 10% bad vs clean", 1.3, place{nameOurs, set, bad}, place{nameOurs, set, clean})
		slower("raw "+set+" time, shuffled keys vs same order", 2.5, place{nameOurs, set, shuffled}, place{nameOurs, set, clean})
	}
	allocations := func(name string, bound float64, at place) {
		all = append(all, target{name, false, bound, " allocations", func(r results) (float64, bool) {
			return measured(r[at], func(found *result) float64 { return float64(found.memory.allocs) })
		}})
	}
	allocations("raw L", 0, place{nameOurs, "L", clean})
	for _, set := range []string{"L", million.name} {
		all = append(all, target{"raw " + set + " memory", false, 4096, " B", func(r results) (float64, bool) {
			return measured(r[place{nameOurs, set, clean}], func(found *result) float64 { return float64(found.memory.bytes) })
		}})
	}
	allocations("raw S clean", 0, place{nameOurs, "S", clean})
	allocations("raw S with one offender", 12, place{nameOurs, "S", bad})
	for _, set := range []string{"S", "M", "L", "W"} {
		slower("decoded "+set+" time vs the tight loop", 1.15, place{nameOursDecoded, set, clean}, place{nameLoop, set, clean})
		allocations("decoded "+set, 0, place{nameOursDecoded, set, clean})
	}
	for _, set := range []string{"S", "M", "L"} {
		faster("decoded "+set+" vs santhosh", nameOursDecoded, 15, place{"", set, clean}, nameSanthoshRows)
	}
	all = append(all, target{"raw time of a row, 1e6 rows vs 1e3", false, 1.2, "x", func(r results) (float64, bool) {
		ratio, ok := r.times(place{nameOurs, million.name, clean}, place{nameOurs, thousand.name, clean})
		return ratio * float64(thousand.rows) / float64(million.rows), ok
	}})
	off := place{nameOff, "M", clean}
	allocations("off", 0, off)
	return append(all, target{"off time", false, 25, " ns", func(r results) (float64, bool) {
		return measured(r[off], func(found *result) float64 { return median(found.times) })
	}})
}

// fastestOf compares with whichever of the peers is the fastest; it takes all of them to have been measured.
func fastestOf(r results, ours, at place, peers []string) (least float64, ok bool) {
	for i, peer := range peers {
		ratio, measured := r.times(place{peer, at.set, at.variant}, ours)
		if !measured {
			return 0, false
		}
		if i == 0 || ratio < least {
			least = ratio
		}
	}
	return least, true
}

func measured(found *result, value func(*result) float64) (float64, bool) {
	if found == nil {
		return 0, false
	}
	return value(found), true
}
