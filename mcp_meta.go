package columntypes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
)

// Declaration is what a tool says of its results: the columns, and where in the result the rows are. The zero value
// declares nothing.
type Declaration struct {
	Columns ToolResultColumns
	RowsAt  string // JSON Pointer (RFC 6901) to the rows; "" is the result itself
}

// MetaKey is the member of an MCP _meta object under which a tool's declarations travel: the bag.
const MetaKey = "agentfootprint"

// The bag's fields that this package knows.
const (
	columnsField = "resultColumns"
	rowsAtField  = "resultRowsAt"
)

// longestPointer bounds a JSON Pointer from outside, in bytes: every check takes it apart again.
const longestPointer = 4096

// errNotPointer is behind a DeclarationError about a resultRowsAt that cannot be followed.
var errNotPointer = errors.New("not a JSON Pointer: start it with / and write ~ as ~0 and / as ~1, or leave it out where the result itself is the rows")

// EncodeMeta puts a declaration into a copy of an MCP _meta object, in which every other key and every other field of
// the bag is as it was. Neither meta nor its bag is modified, and the declaration's columns are copied; the values
// under other keys and fields are shared. A nil meta gives a new map.
//
// The columns are there as [ToolResultColumns], so that json.Marshal keeps their order. A bag that is a map[string]any
// stays one; any other whose JSON is an object becomes json.RawMessage with its fields in their order. A declaration
// without columns declares nothing: both fields are taken out, and a bag that is empty then, too. RowsAt is left out
// where it is "".
//
// Errors are a [*DeclarationError]: a declaration that AssertResultColumns or the bounds of ParseResultColumns refuse
// (whoever reads the bag would refuse it), a RowsAt that is no JSON Pointer, and a bag that is there and is no object.
func EncodeMeta(meta map[string]any, d Declaration) (map[string]any, error) {
	err := assertForeign("", d.Columns)
	if err == nil {
		err = assertPointer("", d.RowsAt)
	}
	if err != nil {
		return nil, err
	}
	bag, err := fillBag(meta[MetaKey], d)
	if err != nil {
		return nil, err
	}
	filled := maps.Clone(meta)
	if filled == nil {
		filled = map[string]any{}
	}
	if bag == nil {
		delete(filled, MetaKey)
	} else {
		filled[MetaKey] = bag
	}
	return filled, nil
}

// fields are what a declaration puts into the bag; nil is for one to be taken out.
func (d Declaration) fields() [2]any {
	switch {
	case d.Columns == nil:
		return [2]any{}
	case d.RowsAt == "":
		return [2]any{slices.Clone(d.Columns), nil}
	}
	return [2]any{slices.Clone(d.Columns), d.RowsAt}
}

var fieldNames = [2]string{columnsField, rowsAtField}

// fillBag gives a copy of the bag with the declaration in it, or nil where nothing is left to be said.
func fillBag(bag any, d Declaration) (any, error) {
	fields, isMap := bag.(map[string]any)
	if bag != nil && !isMap {
		return fillEncodedBag(bag, d)
	}
	filled := maps.Clone(fields)
	if filled == nil {
		filled = map[string]any{}
	}
	for i, value := range d.fields() {
		if value == nil {
			delete(filled, fieldNames[i])
		} else {
			filled[fieldNames[i]] = value
		}
	}
	if len(filled) == 0 {
		return nil, nil
	}
	return filled, nil
}

// fillEncodedBag does the same with a bag's JSON, and keeps the order of its fields.
func fillEncodedBag(bag any, d Declaration) (any, error) {
	written := encodeOnce(bag)
	if string(bytes.TrimSpace(written)) == "null" {
		return fillBag(nil, d)
	}
	members, err := readMembers(written)
	if err != nil {
		return nil, &DeclarationError{Err: fmt.Errorf("%w: what the _meta has under %q is no object at all: make it one, or take it out", ErrNotColumns, MetaKey)}
	}
	for i, value := range d.fields() {
		var field json.RawMessage
		if value != nil {
			if field, err = json.Marshal(value); err != nil {
				return nil, &DeclarationError{Err: err}
			}
		}
		members = setMember(members, fieldNames[i], field)
	}
	if len(members) == 0 {
		return nil, nil
	}
	return writeMembers(members), nil
}

// member is one member of a JSON object, its name also as it is written.
type member struct {
	name           string
	written, value json.RawMessage
}

var errNotObject = errors.New("not a JSON object")

// readMembers takes a JSON object apart in its order, without looking into the values.
func readMembers(object []byte) (members []member, err error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, _ := decoder.Token(); open != json.Delim('{') || !json.Valid(object) {
		return nil, errNotObject
	}
	for decoder.More() {
		before := decoder.InputOffset()
		name, err := decoder.Token()
		if err != nil {
			return nil, errNotObject
		}
		one := member{name: name.(string), written: bytes.TrimLeft(object[before:decoder.InputOffset()], ", \t\r\n")}
		if err := decoder.Decode(&one.value); err != nil {
			return nil, errNotObject
		}
		members = append(members, one)
	}
	return members, nil
}

// setMember puts a value where the name stands first, else at the end, and takes out every repetition; nil takes out
// all.
func setMember(members []member, name string, value json.RawMessage) []member {
	set := members[:0]
	for _, one := range members {
		if one.name != name {
			set = append(set, one)
		} else if value != nil {
			one.value, value = value, nil
			set = append(set, one)
		}
	}
	if value != nil {
		set = append(set, member{name, json.RawMessage(`"` + name + `"`), value})
	}
	return set
}

func writeMembers(members []member) json.RawMessage {
	written := json.RawMessage{'{'}
	for i, one := range members {
		if i > 0 {
			written = append(written, ',')
		}
		written = append(append(append(written, one.written...), ':'), one.value...)
	}
	return append(written, '}')
}

// DecodeMeta reads a tool's declaration from an MCP _meta object. Where there is no bag, or what stands there is no
// object, nothing is declared: the zero Declaration and no error. Unknown fields are ignored.
//
// The bag and its fields may be anything whose JSON is right, decoded or not. Columns that are [ToolResultColumns]
// (of which the declaration gets a copy) or raw JSON keep their order; a Go map has lost it, so its columns are sorted
// by name.
//
// A field that cannot be honoured is an error, and the Declaration holds the other one all the same. Errors are a
// [*DeclarationError], or two of them joined: everything that ParseResultColumns refuses, and a resultRowsAt that is no
// string, no JSON Pointer or over 4,096 bytes. The tool's name is only for their message.
func DecodeMeta(tool string, meta map[string]any) (Declaration, error) {
	d, refused := readBag(tool, meta[MetaKey])
	return d, joined(refused)
}

// DecodeMetaJSON reads a tool's declaration from the JSON of an MCP _meta object as DecodeMeta does, and keeps the
// order of the columns. Empty or null meta, or one that is no object, declares nothing. Text that is not JSON is a
// [*DeclarationError] with [ErrNotColumns].
func DecodeMetaJSON(tool string, meta []byte) (Declaration, error) {
	if len(bytes.TrimSpace(meta)) == 0 {
		return Declaration{}, nil
	}
	if !json.Valid(meta) {
		return Declaration{}, &DeclarationError{Tool: tool, Err: fmt.Errorf("%w: the _meta is no JSON at all: pass the object as it came", ErrNotColumns)}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(meta, &members) != nil || members[MetaKey] == nil {
		return Declaration{}, nil
	}
	d, refused := readBag(tool, members[MetaKey])
	return d, joined(refused)
}

// refusedField is a field of the bag that cannot be honoured, and why.
type refusedField struct {
	name string
	err  error
}

func joined(refused []refusedField) error {
	switch len(refused) {
	case 0:
		return nil
	case 1:
		return refused[0].err
	}
	return errors.Join(refused[0].err, refused[1].err)
}

// readBag reads what it can of the bag.
func readBag(tool string, bag any) (d Declaration, refused []refusedField) {
	fields := openBag(bag)
	var err error
	if value, has := fields[columnsField]; has {
		if d.Columns, err = readColumns(tool, value); err != nil {
			refused = append(refused, refusedField{columnsField, err})
		}
	}
	if value, has := fields[rowsAtField]; has {
		if d.RowsAt, err = readRowsAt(tool, value); err != nil {
			refused = append(refused, refusedField{rowsAtField, err})
		}
	}
	return d, refused
}

// openBag gives the known fields of a bag, none where its JSON is no object.
func openBag(bag any) map[string]any {
	if fields, isMap := bag.(map[string]any); isMap || bag == nil {
		return fields
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(encodeOnce(bag), &members) != nil {
		return nil
	}
	fields := make(map[string]any, len(fieldNames))
	for _, name := range fieldNames {
		if value, has := members[name]; has {
			fields[name] = value
		}
	}
	return fields
}

func readColumns(tool string, value any) (ToolResultColumns, error) {
	if columns, typed := value.(ToolResultColumns); typed {
		if err := assertForeign(tool, columns); err != nil {
			return nil, err
		}
		return slices.Clone(columns), nil
	}
	return ParseResultColumns(tool, encodeOnce(value))
}

func readRowsAt(tool string, value any) (string, error) {
	pointer, isString := value.(string)
	if !isString {
		var decoded any
		_ = json.Unmarshal(encodeOnce(value), &decoded)
		if pointer, isString = decoded.(string); !isString {
			return "", &DeclarationError{Tool: tool, Err: fmt.Errorf("%s is no string, so it is %w", rowsAtField, errNotPointer)}
		}
	}
	if err := assertPointer(tool, pointer); err != nil {
		return "", err
	}
	return pointer, nil
}

// encodeOnce gives a value's JSON; nil where it has none, or where its own marshaler fails.
func encodeOnce(value any) json.RawMessage {
	if raw, isRaw := value.(json.RawMessage); isRaw {
		return raw
	}
	return encode(reflect.ValueOf(value))
}

// assertForeign holds a declaration that comes from elsewhere, or goes there, to the bounds as well.
func assertForeign(tool string, columns ToolResultColumns) error {
	if len(columns) > mostForeignColumns {
		return &DeclarationError{Tool: tool, Err: ErrTooLarge}
	}
	for _, column := range columns {
		if len(column.Name) > longestForeignName {
			return &DeclarationError{tool, column.Name, ErrTooLarge}
		}
	}
	return AssertResultColumns(tool, columns)
}

func assertPointer(tool, pointer string) error {
	if len(pointer) > longestPointer {
		return &DeclarationError{Tool: tool, Err: fmt.Errorf("%s: %w: use a JSON Pointer of at most %d bytes", rowsAtField, ErrTooLarge, longestPointer)}
	}
	if _, wellFormed := pointerTokens(pointer); !wellFormed {
		return &DeclarationError{Tool: tool, Err: fmt.Errorf("%s %s is %w", rowsAtField, quote(pointer), errNotPointer)}
	}
	return nil
}

// MetaReader reads the bags of servers that this process does not control. A field that cannot be honoured is warned
// about once per server, tool and field, and dropped; the other field stays, and so does the tool. The zero value is
// ready for use. A MetaReader is safe for concurrent use and must not be copied after its first use.
type MetaReader struct {
	Logger *slog.Logger // nil: slog.Default(). Set it before the first use.

	mu     sync.Mutex
	warned map[warning]struct{}
}

// warning is what makes two warnings the same.
type warning struct{ server, tool, field string }

// mostWarnings bounds what a MetaReader remembers; the names come from a stranger.
const mostWarnings = 4096

// Read gives what DecodeMeta gives, and logs at Warn what DecodeMeta would give an error for, with the attributes
// server, tool, field, column (where it is about one) and rule. It remembers 4,096 warnings; those beyond are logged
// each time. A log handler that panics loses its record, not the declaration.
func (r *MetaReader) Read(server, tool string, meta map[string]any) Declaration {
	d, refused := readBag(tool, meta[MetaKey])
	for _, field := range refused {
		if r.isNew(warning{remembered(server), remembered(tool), field.name}) {
			r.warn(server, tool, field)
		}
	}
	return d
}

func (r *MetaReader) isNew(w warning) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.warned[w]; known {
		return false
	}
	if len(r.warned) < mostWarnings {
		if r.warned == nil {
			r.warned = map[warning]struct{}{}
		}
		r.warned[w] = struct{}{}
	}
	return true
}

func (r *MetaReader) warn(server, tool string, field refusedField) {
	defer func() { _ = recover() }()
	logger := r.Logger
	if logger == nil {
		logger = slog.Default()
	}
	about := []slog.Attr{slog.String("server", clip(server)), slog.String("tool", clip(tool)), slog.String("field", field.name)}
	var refused *DeclarationError
	if errors.As(field.err, &refused) && refused.Column != "" {
		about = append(about, slog.String("column", clip(refused.Column)))
	}
	about = append(about, slog.String("rule", field.err.Error()))
	logger.LogAttrs(context.Background(), slog.LevelWarn, "columntypes: dropped a field of _meta."+MetaKey+" that cannot be honoured", about...)
}
