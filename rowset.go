package columntypes

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/columntypes/columntypes/internal/rawrows"
)

// RowsetReading is a result that was read as rows. It aliases its input and is safe for concurrent use as long as
// nobody writes to that input. The zero value holds no rows.
type RowsetReading struct {
	length int
	raw    json.RawMessage // or one of these
	maps   []map[string]any
	list   []any
	typed  reflect.Value // a slice or array of structs, or of pointers to them that are not nil
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
	reading, reason, _ := readResult(result)
	if reason == "" && reading.raw != nil {
		work := rawrows.Take(0)
		answer := rawrows.Judge([]byte(reading.raw), nil, nil, work)
		if work.Give(); answer.State != rawrows.Judged {
			return RowsetReading{}, false
		}
		reading.length = answer.Rows
	}
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
	case r.maps != nil || r.list != nil:
		return rowValue{decoded: r.decoded(i)}
	case r.typed.IsValid():
		return newRow(reflect.Indirect(r.typed.Index(i)))
	}
	return r.rows[i]
}

// decoded gives one row, of decoded rows.
func (r *RowsetReading) decoded(i int) map[string]any {
	if r.maps != nil {
		return r.maps[i]
	}
	return r.list[i].(map[string]any)
}

// plainRows says how many decoded rows, from the first on, have every column and plainly what was asked in it.
func (r *RowsetReading) plainRows(asked []rawrows.Column) int {
	if r.maps == nil && r.list == nil {
		return 0
	}
	for i := range r.length {
		row := r.decoded(i)
		for c := range asked {
			if value, there := row[asked[c].Name]; !there || !plainlyHolds(&asked[c], value) {
				return i
			}
		}
	}
	return r.length
}

// judge counts every cell of the declared columns in the rows from one on.
func (r *RowsetReading) judge(columns ToolResultColumns, asked []rawrows.Column, tallies []tally, from int) {
	switch {
	case r.maps != nil || r.list != nil:
		r.judgeDecoded(columns, asked, tallies, from)
	case r.typed.IsValid():
		judgeStructs(columns, asked, tallies, r.typed)
	default:
		for i := range r.length {
			row := r.row(i)
			for c := range columns {
				found := row.cell(columns[c].Name)
				tallies[c].count(&columns[c], i, &found)
			}
		}
	}
}

func (r *RowsetReading) judgeDecoded(columns ToolResultColumns, asked []rawrows.Column, tallies []tally, from int) {
	for i := from; i < r.length; i++ {
		row := r.decoded(i)
		for c := range asked {
			value, there := row[asked[c].Name]
			if there && plainlyHolds(&asked[c], value) {
				continue
			}
			found := cell{}
			if there {
				found = inspect(value)
			}
			tallies[c].count(&columns[c], i, &found)
		}
	}
}

// judgeStructs finds each column's field once for all rows.
func judgeStructs(columns ToolResultColumns, asked []rawrows.Column, tallies []tally, rows reflect.Value) {
	element := rows.Type().Elem()
	if element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	fields := fieldsOf(element)
	var few [fewColumns]*structField
	plan := few[:0]
	for c := range columns {
		var field *structField
		if f, known := fields.byName[columns[c].Name]; known {
			field = &fields.ordered[f]
		}
		plan = append(plan, field)
	}
	for i := range rows.Len() {
		row := reflect.Indirect(rows.Index(i))
		for c, field := range plan {
			found := cell{}
			if field != nil {
				value, there := field.value(row)
				if there && field.plainlyHolds(&asked[c], value) {
					continue
				}
				if there {
					found = inspectValue(value, field.quoted)
				}
			}
			tallies[c].count(&columns[c], i, &found)
		}
	}
}

// keys gives the keys of one row after another.
func (r *RowsetReading) keys(yield func([]string) bool) {
	for i := range r.length {
		row := r.row(i)
		if !yield(row.keys()) {
			return
		}
	}
}

// keysOfText gives the keys of one row after another, of rows that have been read already.
func keysOfText[T rawrows.Text](text T, start int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		decoder := json.NewDecoder(&textReader[T]{text[start:]})
		for _, err := decoder.Token(); err == nil && decoder.More(); {
			var row map[string]json.RawMessage
			if err = decoder.Decode(&row); err != nil || !yield(slices.Collect(maps.Keys(row))) {
				return
			}
		}
	}
}

type textReader[T rawrows.Text] struct{ rest T }

func (r *textReader[T]) Read(into []byte) (int, error) {
	n := copy(into, r.rest)
	if r.rest = r.rest[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
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

// decode reads JSON text that came from a marshaler.
func decode(encoded []byte) (decoded any) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	_ = decoder.Decode(&decoded)
	return decoded
}

const zeroRows = "an array with zero rows"

func syntaxDetail[T rawrows.Text](text T, at int, redact bool) string {
	switch {
	case at >= len(text):
		return fmt.Sprintf("the text is not JSON: it ends at byte %d, before its value does", len(text))
	case redact:
		return fmt.Sprintf("the text is not JSON from byte %d on", at)
	}
	return fmt.Sprintf("the text is not JSON: %s stands at byte %d", quote(string(text[at:at+1])), at)
}

// otherThanRows says what stands where an array of objects was looked for.
func otherThanRows(answer rawrows.Answer) string {
	if answer.Item < 0 {
		return alone(heldByText[answer.Kind])
	}
	return fmt.Sprintf("an array whose item %d is %s", answer.Item, describe(heldByText[answer.Kind]))
}

// readResult reads a Go value as rows. Of raw JSON it only says that it is some: a reading without a length.
func readResult(result any) (RowsetReading, Reason, string) {
	switch rows := result.(type) {
	case nil:
		return RowsetReading{}, ReasonNotRowset, "null"
	case string, []byte:
		return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("a Go %T is prose: if it is JSON, pass it as Call.Text or json.RawMessage", result)
	case json.RawMessage:
		return RowsetReading{raw: rows}, "", ""
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
	return readTyped(reflect.ValueOf(result))
}

func allDecoded(rows []any) bool {
	for _, row := range rows {
		if decoded, ok := row.(map[string]any); !ok || decoded == nil {
			return false
		}
	}
	return true
}

func describe(holds holding) string {
	switch holds {
	case holdsNull, holdsBytes:
		return holds.String()
	case holdsObject, holdsArray:
		return "an " + holds.String()
	case holdsUnencodable:
		return "an unencodable value"
	case holdsString, holdsNumber, holdsBoolean:
		return "a " + holds.String()
	}
	return holds.String()
}

// alone describes a whole result that is no array.
func alone(holds holding) string {
	if holds == holdsObject {
		return "an object; if the rows are inside it, say where with RowsAt"
	}
	return describe(holds)
}

// readTyped reads a slice or array of any type.
func readTyped(v reflect.Value) (RowsetReading, Reason, string) {
	settled, encoded, ok := settleRow(v)
	switch {
	case !ok:
		return RowsetReading{}, ReasonFailed, fmt.Sprintf("the result's own marshaler failed (Go %s)", typeName(v.Type()))
	case encoded != nil:
		return RowsetReading{raw: encoded}, "", ""
	case !settled.IsValid():
		return RowsetReading{}, ReasonNotRowset, "null"
	}
	if holds := inspectKind(settled, false).holds; holds != holdsArray {
		return RowsetReading{}, ReasonNotRowset, fmt.Sprintf("%s (Go %s)", alone(holds), typeName(v.Type()))
	}
	v = settled
	if v.Len() == 0 {
		return RowsetReading{}, ReasonEmpty, zeroRows
	}
	if areStructs(v) {
		return RowsetReading{length: v.Len(), typed: v}, "", ""
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

// areStructs tells whether all elements are structs by their static type, with no marshaler to run, so that they can
// be read where they are.
func areStructs(v reflect.Value) bool {
	element := v.Type().Elem()
	pointers := element.Kind() == reflect.Pointer
	if pointers {
		element = element.Elem()
	}
	if element.Kind() != reflect.Struct || marshals(element, marshalerType) || marshals(element, textMarshalerType) {
		return false
	}
	for i := 0; pointers && i < v.Len(); i++ {
		if v.Index(i).IsNil() {
			return false
		}
	}
	return true
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
		row, isObject := decode(encoded).(map[string]any)
		if !isObject {
			return rowValue{}, ReasonNotRowset, describe(inspectEncoded(encoded).holds) + " once its own marshaler has written it"
		}
		return rowValue{decoded: row}, "", ""
	case !settled.IsValid():
		return rowValue{}, ReasonNotRowset, "null"
	}
	c := inspectKind(settled, false)
	if c.holds != holdsObject {
		return rowValue{}, ReasonNotRowset, fmt.Sprintf("%s (Go %s)", describe(c.holds), typeName(settled.Type()))
	}
	if decoded, ok := settled.Interface().(map[string]any); ok {
		return rowValue{decoded: decoded}, "", ""
	}
	return newRow(settled), "", ""
}

// resolve walks a JSON Pointer (RFC 6901) through Go values. At raw JSON, and at a value with a marshaler of its own, it
// stops and gives the JSON with the tokens that are left. Where it leads nowhere, rest begins with the token that failed.
func resolve(result any, pointer []string) (found any, rest []string, ok bool) {
	v := reflect.ValueOf(result)
	for i, token := range pointer {
		settled, encoded, ok := settleRow(v)
		if !ok || !settled.IsValid() {
			return nil, pointer[i:], false
		}
		if settled.Type() == rawMessageType {
			return settled.Interface(), pointer[i:], true
		}
		if encoded != nil {
			return json.RawMessage(encoded), pointer[i:], true
		}
		if v, ok = step(settled, token); !ok {
			return nil, pointer[i:], false
		}
	}
	for range deepest { // interfaces may hold raw JSON; all else is left as it is
		if v.Kind() != reflect.Interface || v.IsNil() {
			break
		}
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, nil, true
	}
	return v.Interface(), nil, true
}

var rawMessageType = reflect.TypeFor[json.RawMessage]()

// step goes to a member or item of a value that settleRow has followed.
func step(v reflect.Value, token string) (reflect.Value, bool) {
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

// pointerTokens takes a JSON Pointer apart; "" has no tokens.
func pointerTokens(pointer string) (tokens []string, wellFormed bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	tokens = strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		if rest := strings.NewReplacer("~0", "", "~1", "").Replace(token); strings.Contains(rest, "~") {
			return nil, false
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens, true
}

func malformedPointer(pointer string) string {
	return fmt.Sprintf("RowsAt %s is not a JSON Pointer: it starts with / and escapes as ~0 and ~1", quote(pointer))
}

func leadsNowhere(pointer, token string) string {
	return fmt.Sprintf("RowsAt %s leads nowhere: the result has no %s there", quote(pointer), quote(token))
}
