package columntypes

import (
	"bytes"
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/columntypes/columntypes/internal/rawrows"
)

// holding is what a cell holds once encoding/json is through with it.
type holding uint8

const (
	holdsMissing holding = iota
	holdsNull
	holdsString
	holdsNumber
	holdsBoolean
	holdsObject
	holdsArray
	holdsBytes
	holdsNaN
	holdsPositiveInfinity
	holdsNegativeInfinity
	holdsBeyond
	holdsUnencodable
	holdings
)

var holdingWords = [holdings]string{
	"missing", "null", "string", "number", "boolean", "object", "array", "bytes",
	"the number NaN", "the number +Inf", "the number -Inf", "a number beyond float64", "unencodable",
}

func (h holding) String() string { return holdingWords[h] }

// cell is one inspected cell. Its value and text alias the caller's row.
type cell struct {
	holds    holding
	empty    bool          // an empty json.Number: never what was declared
	at       bool          // a time.Time: a date in every year
	text     string        // of a string, or of a number that arrived as text
	value    any           // as it arrived, where it came from a decoded row
	source   reflect.Value // as it arrived, where it came from a typed row
	resolved reflect.Value // behind pointers and interfaces: containers and bytes
	encoded  []byte        // what a marshaler made of it
}

// satisfies is the whole of the judgement.
func (c *cell) satisfies(column *ColumnDeclaration) bool {
	switch c.holds {
	case holdsMissing, holdsNull:
		return column.Nullable
	case holdsNumber:
		return column.Type == Number
	case holdsBoolean:
		return column.Type == Boolean
	case holdsString:
		if c.empty {
			return false
		}
		return column.Type == String || column.Type == Date && (c.at || isDate(c.text))
	case holdsUnencodable:
		return c.at && column.Type == Date
	}
	return false
}

// plainlyHolds accepts the values that decoding gives most often; false only means that a full inspection decides.
// One assertion after another is faster here than a type switch.
func plainlyHolds(asked *rawrows.Column, value any) bool {
	if v, is := value.(string); is {
		return asked.Accepts.Has(rawrows.String) && (!asked.Date || isDate(v))
	}
	if v, is := value.(float64); is {
		return asked.Accepts.Has(rawrows.Number) && holdsFloat(v) == holdsNumber
	}
	if value == nil {
		return asked.Accepts.Has(rawrows.Null)
	}
	if _, is := value.(bool); is {
		return asked.Accepts.Has(rawrows.Boolean)
	}
	if v, is := value.(json.Number); is {
		_, fits := rawrows.IsNumber(string(v))
		return asked.Accepts.Has(rawrows.Number) && fits
	}
	switch value.(type) {
	case int, int64:
		return asked.Accepts.Has(rawrows.Number)
	}
	return false
}

// inspect reads a cell of a decoded row; the kinds that decoding gives come first and allocate nothing.
func inspect(value any) cell {
	switch v := value.(type) {
	case nil:
		return cell{holds: holdsNull}
	case string:
		return cell{holds: holdsString, text: v, value: value}
	case float64:
		return cell{holds: holdsFloat(v), value: value}
	case bool:
		return cell{holds: holdsBoolean, value: value}
	case int, int64, int32, int16, int8, uint, uint64, uint32, uint16, uint8:
		return cell{holds: holdsNumber, value: value}
	case json.Number:
		c := inspectNumber(string(v))
		c.value = value
		return c
	case time.Time:
		c := inspectTime(v)
		c.value = value
		return c
	}
	c := inspectValue(reflect.ValueOf(value), false)
	c.value = value
	return c
}

func holdsFloat(f float64) holding {
	switch {
	case math.Abs(f) <= math.MaxFloat64:
		return holdsNumber
	case math.IsNaN(f):
		return holdsNaN
	case math.IsInf(f, 1):
		return holdsPositiveInfinity
	}
	return holdsNegativeInfinity
}

// inspectNumber judges a number that is still text, by the grammar of JSON.
func inspectNumber(text string) cell {
	if text == "" {
		return cell{holds: holdsString, empty: true}
	}
	switch is, fits := rawrows.IsNumber(text); {
	case !is:
		return cell{holds: holdsUnencodable, text: text}
	case !fits:
		return cell{holds: holdsBeyond, text: text}
	}
	return cell{holds: holdsNumber, text: text}
}

func inspectTime(at time.Time) cell {
	_, offset := at.Zone()
	if year := at.Year(); year < 0 || year > 9999 || offset <= -86400 || offset >= 86400 {
		return cell{holds: holdsUnencodable, at: true} // encoding/json refuses it, and yet it is a date
	}
	return cell{holds: holdsString, at: true}
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	numberType        = reflect.TypeFor[json.Number]()
	timeType          = reflect.TypeFor[time.Time]()
)

// deepest is how many pointers and interfaces are followed before a value counts as one that has no end.
const deepest = 10_000

// inspectValue follows encoding/json's own order: marshalers, text marshalers, kinds. Quoted is the tag's ",string".
func inspectValue(v reflect.Value, quoted bool) cell {
	source := v
	for range deepest {
		if !v.IsValid() {
			return cell{holds: holdsNull, source: source}
		}
		t, kind := v.Type(), v.Kind()
		if (kind == reflect.Pointer || kind == reflect.Interface) && v.IsNil() {
			return cell{holds: holdsNull, source: source}
		}
		if c, ok := inspectKnown(v, quoted); ok {
			c.source = source
			return c
		}
		if !(kind == reflect.Pointer && t.Elem() == timeType) {
			if encoded, own := encodeOwn(v); own {
				c := inspectEncoded(encoded)
				c.source = source
				return c
			}
		}
		switch kind {
		case reflect.Interface:
			v, quoted = v.Elem(), false
			source = v // what it holds is the value's own type
		case reflect.Pointer:
			v = v.Elem()
		default:
			c := inspectKind(v, quoted)
			c.source, c.resolved = source, v
			return c
		}
	}
	return cell{holds: holdsUnencodable, source: source}
}

func inspectKnown(v reflect.Value, quoted bool) (cell, bool) {
	switch v.Type() {
	case timeType:
		c := inspectTime(v.Interface().(time.Time))
		c.resolved = v
		return c, true
	case numberType:
		c := inspectNumber(v.String())
		if quoted && c.holds != holdsUnencodable {
			c.holds = holdsString
		}
		return c, true
	}
	return cell{}, false
}

// encodeOwn runs the value's own marshaler, if it has one that encoding/json would run; encoded is nil where that
// failed.
func encodeOwn(v reflect.Value) (encoded []byte, own bool) {
	for _, marshaler := range [...]reflect.Type{marshalerType, textMarshalerType} {
		switch {
		case v.Type().Implements(marshaler):
			return encode(v), true
		case v.Kind() != reflect.Pointer && v.CanAddr() && reflect.PointerTo(v.Type()).Implements(marshaler):
			return encode(v.Addr()), true
		}
	}
	return nil, false
}

// encode gives nil where the value cannot be encoded, for whatever reason.
func encode(v reflect.Value) (encoded []byte) {
	defer func() {
		if recover() != nil {
			encoded = nil
		}
	}()
	encoded, err := json.Marshal(v.Interface())
	if err != nil {
		return nil
	}
	return encoded
}

// inspectEncoded judges one JSON value that encoding/json has written.
func inspectEncoded(encoded []byte) cell {
	encoded = bytes.TrimSpace(encoded)
	if len(encoded) == 0 {
		return cell{holds: holdsUnencodable}
	}
	c := cell{encoded: encoded}
	switch encoded[0] {
	case 'n':
		c.holds = holdsNull
	case 't', 'f':
		c.holds = holdsBoolean
		c.text = string(encoded)
	case '{':
		c.holds = holdsObject
	case '[':
		c.holds = holdsArray
	case '"':
		c.holds = holdsString
		if inside := encoded[1 : len(encoded)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
			c.text = string(inside)
		} else if json.Unmarshal(encoded, &c.text) != nil {
			c.holds = holdsUnencodable
		}
	default:
		number := inspectNumber(string(encoded))
		c.holds, c.text = number.holds, number.text
	}
	return c
}

func inspectKind(v reflect.Value, quoted bool) cell {
	c := cell{}
	switch v.Kind() {
	case reflect.Bool:
		c.holds = holdsBoolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		c.holds = holdsNumber
	case reflect.Float32, reflect.Float64:
		c.holds = holdsFloat(v.Float())
	case reflect.String:
		c.holds, c.text = holdsString, v.String()
		if quoted {
			encoded, _ := json.Marshal(c.text)
			c.text = string(encoded)
		}
		return c
	case reflect.Struct:
		c.holds = holdsObject
	case reflect.Map:
		c.holds = holdsMap(v)
	case reflect.Slice:
		c.holds = holdsSlice(v)
	case reflect.Array:
		c.holds = holdsArray
	default:
		c.holds = holdsUnencodable
	}
	if quoted && (c.holds == holdsNumber || c.holds == holdsBoolean) {
		c.holds, c.text = holdsString, scalarText(v)
	}
	return c
}

func holdsMap(v reflect.Value) holding {
	switch {
	case !encodableKey(v.Type().Key()):
		return holdsUnencodable
	case v.IsNil():
		return holdsNull
	}
	return holdsObject
}

// encodableKey tells the map keys that encoding/json can write.
func encodableKey(key reflect.Type) bool {
	switch key.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return key.Implements(textMarshalerType)
}

func holdsSlice(v reflect.Value) holding {
	if v.IsNil() {
		return holdsNull
	}
	if element := v.Type().Elem(); element.Kind() == reflect.Uint8 {
		pointer := reflect.PointerTo(element)
		if !pointer.Implements(marshalerType) && !pointer.Implements(textMarshalerType) {
			return holdsBytes
		}
	}
	return holdsArray
}

// goType names the value's Go type where the word for what it holds does not already say it.
func (c *cell) goType() string {
	v := c.source
	if !v.IsValid() {
		if c.value == nil {
			return ""
		}
		v = reflect.ValueOf(c.value)
	}
	t := v.Type()
	if t.PkgPath() == "" && t.Name() != "" {
		switch kind := t.Kind(); {
		case kind == reflect.String && c.holds == holdsString, kind == reflect.Bool && c.holds == holdsBoolean,
			kind >= reflect.Int && kind <= reflect.Float64 && c.holds != holdsString:
			return ""
		}
	}
	switch {
	case t == reflect.TypeFor[map[string]any](), t == reflect.TypeFor[[]any](),
		t == numberType && (c.holds == holdsNumber || c.holds == holdsBeyond):
		return ""
	}
	return typeName(t)
}

// typeName is the name of a type; the fields of a struct without one are left out, because they are keys of the rows.
func typeName(t reflect.Type) string {
	name := t.String()
	if start := strings.Index(name, "struct { "); start >= 0 {
		name = name[:start] + "struct {…}"
	}
	return clip(name)
}
