package columntypes

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// RowsetReading is a result that was read as rows. It aliases its input and is safe for concurrent use as long as
// nobody writes to that input. The zero value holds no rows.
type RowsetReading struct {
	length int
	maps   []map[string]any
	list   []any
	rows   []rowValue
}

// Len gives the number of rows.
func (r RowsetReading) Len() int { return r.length }

// ReadRowset reads a result as a non-empty array of objects: []map[string]any, []any, json.RawMessage, and any slice
// or array whose elements encode as objects. False says that it is none. A Go string or plain []byte is prose.
func ReadRowset(result any) (reading RowsetReading, ok bool) {
	defer func() {
		if recover() != nil {
			reading, ok = RowsetReading{}, false
		}
	}()
	reading, reason, _ := readResult(result, false)
	return reading, reason == ""
}

// rowValue is one row: a decoded map, a Go map of another type, or a struct.
type rowValue struct {
	decoded map[string]any
	value   reflect.Value
	fields  *structFields
}

// newRow takes a struct or a map of any type.
func newRow(v reflect.Value) rowValue {
	row := rowValue{value: v}
	if v.Kind() == reflect.Struct {
		row.fields = fieldsOf(v.Type())
	}
	return row
}

func (r *RowsetReading) row(i int) rowValue {
	switch {
	case r.maps != nil:
		return rowValue{decoded: r.maps[i]}
	case r.list != nil:
		return rowValue{decoded: r.list[i].(map[string]any)}
	}
	return r.rows[i]
}

func (r *rowValue) cell(name string) cell {
	if r.decoded != nil {
		value, ok := r.decoded[name]
		if !ok {
			return cell{}
		}
		return inspect(value)
	}
	if value, quoted, ok := r.lookup(name); ok {
		return inspectValue(value, quoted)
	}
	return cell{}
}

func (r *rowValue) lookup(name string) (value reflect.Value, quoted, ok bool) {
	if r.fields != nil {
		i, known := r.fields.byName[name]
		if !known {
			return reflect.Value{}, false, false
		}
		field := &r.fields.ordered[i]
		value, ok = field.value(r.value)
		return value, field.quoted, ok
	}
	key := r.value.Type().Key()
	if key.Kind() == reflect.String {
		value = r.value.MapIndex(reflect.ValueOf(name).Convert(key))
		return value, false, value.IsValid()
	}
	for entries := r.value.MapRange(); entries.Next(); {
		if keyText(entries.Key()) == name {
			return entries.Value(), false, true
		}
	}
	return reflect.Value{}, false, false
}

// keys gives the row's keys as JSON would have them, in no order.
func (r *rowValue) keys() []string {
	if r.decoded != nil {
		return slices.Collect(maps.Keys(r.decoded))
	}
	return keysOf(r.value)
}

// keysOf gives the keys of a map or struct as JSON would have them.
func keysOf(v reflect.Value) (keys []string) {
	if v.Kind() == reflect.Map {
		for entries := v.MapRange(); entries.Next(); {
			keys = append(keys, keyText(entries.Key()))
		}
		return keys
	}
	for _, field := range fieldsOf(v.Type()).ordered {
		if _, ok := field.value(v); ok {
			keys = append(keys, field.name)
		}
	}
	return keys
}

// keyText writes a map key as encoding/json does.
func keyText(key reflect.Value) (text string) {
	if key.Kind() == reflect.String {
		return key.String()
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	if marshaler, ok := key.Interface().(encoding.TextMarshaler); ok {
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return ""
		}
		written, _ := marshaler.MarshalText()
		return string(written)
	}
	return scalarText(key)
}

// readCall reads a call's rows, or says why there are none.
func readCall(call Call) (RowsetReading, Reason, string) {
	if reading, ok := call.Result.(RowsetReading); ok {
		if call.RowsAt != "" {
			return RowsetReading{}, ReasonNoRowsAt, "a RowsetReading is rows already: leave RowsAt empty"
		}
		if reading.length == 0 {
			return RowsetReading{}, ReasonNotRowset, "an empty RowsetReading"
		}
		return reading, "", ""
	}
	result := call.Result
	if result == nil {
		if call.Text == "" {
			return RowsetReading{}, ReasonNotRowset, "nothing: Result is nil and Text is empty"
		}
		result = json.RawMessage(call.Text)
	}
	if call.RowsAt != "" {
		if raw, ok := result.(json.RawMessage); ok { // text that is not JSON is told apart from a pointer that fails
			decoded, detail := decode(raw, call.RedactSamples)
			if detail != "" {
				return RowsetReading{}, ReasonNotJSON, detail
			}
			result = decoded
		}
		at, detail := resolve(result, call.RowsAt)
		if detail != "" {
			return RowsetReading{}, ReasonNoRowsAt, detail
		}
		result = at
	}
	return readResult(result, call.RedactSamples)
}

// decode reads JSON text; the detail says what stands at which byte where it is not JSON.
func decode(raw []byte, redact bool) (any, string) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var decoded any
	err := decoder.Decode(&decoded)
	if err == nil {
		if _, err = decoder.Token(); err == io.EOF {
			return decoded, ""
		}
	}
	// Only Unmarshal tells the offset in the whole text; a text that is JSON does not pay for it.
	var shell json.RawMessage
	if whole := json.Unmarshal(raw, &shell); whole != nil {
		err = whole
	}
	return nil, syntaxDetail(raw, err, redact)
}

func syntaxDetail(raw []byte, err error, redact bool) string {
	at := len(raw)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) && syntax.Offset > 0 && int(syntax.Offset) <= len(raw) {
		at = int(syntax.Offset) - 1
	}
	switch {
	case len(raw) == 0 || strings.Contains(err.Error(), "unexpected end"):
		return fmt.Sprintf("the text is not JSON: it ends at byte %d, before its value does", len(raw))
	case redact:
		return fmt.Sprintf("the text is not JSON from byte %d on", at)
	}
	return fmt.Sprintf("the text is not JSON: %s stands at byte %d", quote(string(raw[at:at+1])), at)
}

// readResult reads a Go value as rows.
func readResult(result any, redact bool) (RowsetReading, Reason, string) {
	switch rows := result.(type) {
	case nil:
		return RowsetReading{}, ReasonNotRowset, "null"
	case string, []byte:
		return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("a Go %T is prose: if it is JSON, pass it as Call.Text or json.RawMessage", result)
	case json.RawMessage:
		decoded, detail := decode(rows, redact)
		if detail != "" {
			return RowsetReading{}, ReasonNotJSON, detail
		}
		return readDecoded(decoded)
	case []map[string]any:
		for i, row := range rows {
			if row == nil {
				return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("an array whose item %d is null", i)
			}
		}
		if len(rows) > 0 {
			return RowsetReading{length: len(rows), maps: rows}, "", ""
		}
	case []any:
		if len(rows) > 0 && allDecoded(rows) {
			return RowsetReading{length: len(rows), list: rows}, "", ""
		}
	}
	return readTyped(reflect.ValueOf(result), redact)
}

func allDecoded(rows []any) bool {
	for _, row := range rows {
		if decoded, ok := row.(map[string]any); !ok || decoded == nil {
			return false
		}
	}
	return true
}

// readDecoded reads what decoding gave, in which no Go type can surprise.
func readDecoded(decoded any) (RowsetReading, Reason, string) {
	rows, ok := decoded.([]any)
	if !ok {
		return RowsetReading{}, ReasonNotRowset, describe(decoded)
	}
	if len(rows) == 0 {
		return RowsetReading{}, ReasonEmpty, "an array with zero rows"
	}
	for i, row := range rows {
		if _, ok := row.(map[string]any); !ok {
			return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("an array whose item %d is %s", i, describe(row))
		}
	}
	return RowsetReading{length: len(rows), list: rows}, "", ""
}

func describe(value any) string {
	c := inspect(value)
	switch c.holds {
	case holdsNull:
		return "null"
	case holdsObject, holdsArray, holdsUnencodable:
		return "an " + strings.Replace(c.holds.String(), "unencodable", "unencodable value", 1)
	}
	return "a " + c.holds.String()
}

// readTyped reads a slice or array of any type.
func readTyped(v reflect.Value, redact bool) (RowsetReading, Reason, string) {
	settled, encoded, ok := settleRow(v)
	switch {
	case !ok:
		return RowsetReading{}, ReasonFailed, fmt.Sprintf("the result's own marshaler failed (Go %s)", clip(v.Type().String()))
	case encoded != nil:
		return readResult(json.RawMessage(encoded), redact)
	case !settled.IsValid():
		return RowsetReading{}, ReasonNotRowset, "null"
	}
	v = settled
	if kind := v.Kind(); kind != reflect.Slice && kind != reflect.Array {
		return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("%s (Go %s)", describe(v.Interface()), clip(v.Type().String()))
	}
	if holds := inspectValue(v, false).holds; holds != holdsArray {
		return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("%s (Go %s)", holds, clip(v.Type().String()))
	}
	if v.Len() == 0 {
		return RowsetReading{}, ReasonEmpty, "an array with zero rows"
	}
	reading := RowsetReading{length: v.Len(), rows: make([]rowValue, v.Len())}
	for i := range reading.rows {
		row, reason, detail := readRow(v.Index(i))
		if reason != "" {
			return RowsetReading{}, reason, fmt.Sprintf("an array whose item %d is %s", i, detail)
		}
		reading.rows[i] = row
	}
	return reading, "", ""
}

// settleRow follows pointers and interfaces to the value itself, or encodes it once where it has a marshaler of its
// own. An invalid value is null.
func settleRow(v reflect.Value) (settled reflect.Value, encoded []byte, ok bool) {
	for range deepest {
		if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
			return reflect.Value{}, nil, true
		}
		if encoded, own := encodeOwn(v); own {
			return v, encoded, encoded != nil
		}
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			return v, nil, true
		}
		v = v.Elem()
	}
	return reflect.Value{}, nil, true
}

func readRow(v reflect.Value) (rowValue, Reason, string) {
	settled, encoded, ok := settleRow(v)
	switch {
	case !ok:
		return rowValue{}, ReasonFailed, "unencodable: its own marshaler failed"
	case encoded != nil:
		decoded, detail := decode(encoded, true)
		row, isObject := decoded.(map[string]any)
		if detail != "" || !isObject {
			return rowValue{}, ReasonNotRowset, describe(decoded) + " once its own marshaler has written it"
		}
		return rowValue{decoded: row}, "", ""
	case !settled.IsValid():
		return rowValue{}, ReasonNotRowset, "null"
	}
	c := inspectKind(settled, false)
	if c.holds != holdsObject {
		return rowValue{}, ReasonNotRowset, fmt.Sprintf("%s (Go %s)", c.holds, clip(settled.Type().String()))
	}
	if decoded, ok := settled.Interface().(map[string]any); ok {
		return rowValue{decoded: decoded}, "", ""
	}
	return newRow(settled), "", ""
}

// resolve walks a JSON Pointer (RFC 6901) through decoded and typed values, and through raw JSON inside them.
func resolve(result any, pointer string) (any, string) {
	tokens, ok := pointerTokens(pointer)
	if !ok {
		return nil, fmt.Sprintf("RowsAt %s is not a JSON Pointer: it starts with / and escapes as ~0 and ~1", quote(pointer))
	}
	v := reflect.ValueOf(result)
	for _, token := range tokens {
		next, found := step(v, token)
		if !found {
			return nil, fmt.Sprintf("RowsAt %s leads nowhere: the result has no %s there", quote(pointer), quote(token))
		}
		v = next
	}
	if !v.IsValid() {
		return nil, ""
	}
	return v.Interface(), ""
}

func pointerTokens(pointer string) ([]string, bool) {
	if pointer[0] != '/' {
		return nil, false
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		if rest := strings.NewReplacer("~0", "", "~1", "").Replace(token); strings.Contains(rest, "~") {
			return nil, false
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens, true
}

func step(v reflect.Value, token string) (reflect.Value, bool) {
	v, encoded, ok := settleRow(v)
	if !ok || !v.IsValid() {
		return reflect.Value{}, false
	}
	if encoded != nil {
		decoded, detail := decode(encoded, true)
		if detail != "" || decoded == nil {
			return reflect.Value{}, false
		}
		v = reflect.ValueOf(decoded)
	}
	switch inspectKind(v, false).holds {
	case holdsObject:
		row := newRow(v)
		found, _, ok := row.lookup(token)
		return found, ok
	case holdsArray:
		index, err := strconv.Atoi(token)
		if err != nil || strconv.Itoa(index) != token || index < 0 || index >= v.Len() {
			return reflect.Value{}, false
		}
		return v.Index(index), true
	}
	return reflect.Value{}, false
}
