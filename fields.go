package columntypes

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/columntypes/columntypes/internal/rawrows"
)

// structField is one JSON field of a struct type, as encoding/json sees it.
type structField struct {
	name      string
	index     []int // the way to it, through embedded structs
	tagged    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool
	plain     reflect.Kind // of a type that, or behind whose pointer, is encoded by its kind alone; Invalid of all others
	field     reflect.StructField
}

// structFields are a struct type's JSON fields, in order and by name.
type structFields struct {
	ordered []structField
	byName  map[string]int
}

const mostCachedTypes = 4096

var (
	fieldsMutex sync.RWMutex
	fieldsCache = map[reflect.Type]*structFields{}
)

// fieldsOf reads a struct type once; the cache is bounded, since types can be made at run time.
func fieldsOf(t reflect.Type) *structFields {
	fieldsMutex.RLock()
	known := fieldsCache[t]
	fieldsMutex.RUnlock()
	if known != nil {
		return known
	}
	read := readFields(t)
	fieldsMutex.Lock()
	defer fieldsMutex.Unlock()
	if len(fieldsCache) >= mostCachedTypes {
		clear(fieldsCache)
	}
	fieldsCache[t] = read
	return read
}

// embedded is a struct type still to be read, with the way to it.
type embedded struct {
	t     reflect.Type
	index []int
}

// readFields goes level by level, because encoding/json lets a shallower name win over a deeper one.
func readFields(t reflect.Type) *structFields {
	var found []structField
	visited := map[reflect.Type]bool{}
	for level := []embedded{{t: t}}; len(level) > 0; {
		times := map[reflect.Type]int{}
		var next []embedded
		for _, one := range level {
			times[one.t]++
		}
		done := map[reflect.Type]bool{}
		for _, one := range level {
			if visited[one.t] || done[one.t] {
				continue
			}
			done[one.t] = true
			fields, deeper := readLevel(one)
			found = append(found, fields...)
			if times[one.t] > 1 { // the same struct twice on one level: its names cancel each other out
				found = append(found, fields...)
			}
			for _, d := range deeper {
				next = append(next, d)
				if times[one.t] > 1 {
					next = append(next, d)
				}
			}
		}
		for seen := range done {
			visited[seen] = true
		}
		level = next
	}
	return settle(found)
}

func readLevel(one embedded) (fields []structField, deeper []embedded) {
	for i := range one.t.NumField() {
		sf := one.t.Field(i)
		behind := sf.Type
		if behind.Name() == "" && behind.Kind() == reflect.Pointer {
			behind = behind.Elem()
		}
		if sf.Anonymous && !sf.IsExported() && behind.Kind() != reflect.Struct || !sf.Anonymous && !sf.IsExported() {
			continue
		}
		tag := sf.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !validFieldName(name) {
			name = ""
		}
		index := append(slices.Clone(one.index), i)
		if name == "" && sf.Anonymous && behind.Kind() == reflect.Struct {
			deeper = append(deeper, embedded{behind, index})
			continue
		}
		field := structField{name: name, index: index, tagged: name != "", field: sf}
		if name == "" {
			field.name = sf.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				field.omitEmpty = true
			case "omitzero":
				field.omitZero = true
			case "string":
				kind := behind.Kind()
				field.quoted = kind >= reflect.Bool && kind <= reflect.Float64 || kind == reflect.String
			}
		}
		if !field.quoted && behind != numberType && behind.Kind() != reflect.Pointer && !marshals(sf.Type, marshalerType) && !marshals(sf.Type, textMarshalerType) {
			field.plain = sf.Type.Kind()
		}
		fields = append(fields, field)
	}
	return fields, deeper
}

func validFieldName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// settle keeps one field a name: the shallowest, then the tagged one; two equals annihilate each other.
func settle(found []structField) *structFields {
	byName := map[string][]structField{}
	for _, field := range found {
		byName[field.name] = append(byName[field.name], field)
	}
	settled := &structFields{byName: map[string]int{}}
	for _, candidates := range byName {
		slices.SortStableFunc(candidates, func(a, b structField) int {
			if len(a.index) != len(b.index) {
				return len(a.index) - len(b.index)
			}
			if a.tagged != b.tagged && a.tagged {
				return -1
			} else if a.tagged != b.tagged {
				return 1
			}
			return 0
		})
		best := candidates[0]
		if len(candidates) > 1 && len(candidates[1].index) == len(best.index) && candidates[1].tagged == best.tagged {
			continue
		}
		settled.ordered = append(settled.ordered, best)
	}
	slices.SortFunc(settled.ordered, func(a, b structField) int { return slices.Compare(a.index, b.index) })
	for i, field := range settled.ordered {
		settled.byName[field.name] = i
	}
	return settled
}

// value finds the field in a struct; false where encoding/json would leave its key out.
func (f *structField) value(v reflect.Value) (reflect.Value, bool) {
	for i, index := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(index)
	}
	if f.omitEmpty && isEmpty(v) || f.omitZero && isZero(v) {
		return reflect.Value{}, false
	}
	return v, true
}

// plainlyHolds accepts what the field's type alone promises; false only means that a full inspection decides.
func (f *structField) plainlyHolds(asked *rawrows.Column, value reflect.Value) bool {
	kind := f.plain
	if kind == reflect.Pointer {
		if value.IsNil() {
			return asked.Accepts.Has(rawrows.Null)
		}
		value = value.Elem()
		kind = value.Kind()
	}
	switch {
	case kind == reflect.Invalid:
		return asked.Date && f.field.Type == timeType
	case kind == reflect.Bool:
		return asked.Accepts.Has(rawrows.Boolean)
	case kind == reflect.String:
		return asked.Accepts.Has(rawrows.String) && (!asked.Date || isDate(value.String()))
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		return asked.Accepts.Has(rawrows.Number)
	case kind == reflect.Float32 || kind == reflect.Float64:
		return asked.Accepts.Has(rawrows.Number) && holdsFloat(value.Float()) == holdsNumber
	}
	return false
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128:
		return false
	}
	return v.IsZero()
}

// isZero asks the value's own IsZero method first, as the omitzero option does.
func isZero(v reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return true
	}
	if own, ok := v.Interface().(zeroer); ok {
		return own.IsZero()
	}
	if v.CanAddr() {
		if own, ok := v.Addr().Interface().(zeroer); ok {
			return own.IsZero()
		}
	}
	return v.IsZero()
}
