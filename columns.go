package columntypes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ColumnType is one of the four words that a column may be declared as.
type ColumnType string

// The closed set of column types. There is no unknown: a column whose type is not known stays undeclared.
const (
	Number  ColumnType = "number"
	String  ColumnType = "string"
	Boolean ColumnType = "boolean"
	Date    ColumnType = "date"
)

// ColumnTypes gives the closed set in its order; the slice is the caller's own.
func ColumnTypes() []ColumnType { return []ColumnType{Number, String, Boolean, Date} }

// ColumnDeclaration is what a tool promises of one column. Nullable says that a row may carry no value in it.
type ColumnDeclaration struct {
	Name     string
	Type     ColumnType
	Nullable bool
}

// ToolResultColumns are a tool's declared columns in the author's order. Nil declares nothing. In JSON it is an object
// whose members are "lun":"number" or "note":{"type":"string","nullable":true}. Concurrent reads are safe.
type ToolResultColumns []ColumnDeclaration

// What is wrong with a declaration, behind a [*DeclarationError].
var (
	ErrNotColumns         = errors.New("not a JSON object of columns")
	ErrNoColumns          = errors.New("no columns")
	ErrBlankName          = errors.New("blank column name")
	ErrDuplicateName      = errors.New("column declared twice")
	ErrUnknownType        = errors.New("unknown column type")
	ErrNullableNotBoolean = errors.New("nullable is not a boolean")
	ErrTooLarge           = errors.New("declaration too large")
)

// fixes say what to do about each; an error that is none of these carries its own fix.
var fixes = map[error]string{
	ErrNotColumns:         `write an object such as {"lun":"number"}`,
	ErrNoColumns:          "declare at least one column, or leave the declaration out",
	ErrBlankName:          "give the column the name that it has in the rows",
	ErrDuplicateName:      "declare it once",
	ErrUnknownType:        "use number, string, boolean or date; there is deliberately no `unknown`: leave a column whose type you do not know undeclared",
	ErrNullableNotBoolean: "write true or false, without quotes",
	ErrTooLarge:           fmt.Sprintf("declare at most %d columns, with names of at most %d bytes", mostForeignColumns, longestForeignName),
}

const (
	mostForeignColumns = 1000
	longestForeignName = 256
)

// DeclarationError says which tool's declaration cannot be honoured, and for which column. Match it with errors.Is
// against the sentinels above; its wording may change.
type DeclarationError struct {
	Tool, Column string
	Err          error
}

// Error names tool, column and fix.
func (e *DeclarationError) Error() string {
	var b strings.Builder
	b.WriteString("columntypes: ")
	if e.Tool != "" {
		fmt.Fprintf(&b, "tool %s: ", quote(e.Tool))
	}
	if e.Column != "" || e.Err == ErrBlankName {
		fmt.Fprintf(&b, "column %s: ", quote(e.Column))
	}
	fmt.Fprint(&b, e.Err)
	for sentinel, fix := range fixes {
		if e.Err == sentinel {
			b.WriteString(": " + fix)
		}
	}
	return b.String()
}

// Unwrap gives the sentinel.
func (e *DeclarationError) Unwrap() error { return e.Err }

// Lookup finds a column by its exact name.
func (c ToolResultColumns) Lookup(name string) (ColumnDeclaration, bool) {
	for _, column := range c {
		if column.Name == name {
			return column, true
		}
	}
	return ColumnDeclaration{}, false
}

// MarshalJSON writes the canonical form: the bare word unless the column is nullable, in order. Nil is null.
func (c ToolResultColumns) MarshalJSON() ([]byte, error) {
	if c == nil {
		return []byte("null"), nil
	}
	out := []byte{'{'}
	for i, column := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendJSON(out, column.Name), ':')
		if column.Nullable {
			out = append(appendJSON(append(out, `{"type":`...), string(column.Type)), `,"nullable":true}`...)
		} else {
			out = appendJSON(out, string(column.Type))
		}
	}
	return append(out, '}'), nil
}

// appendJSON writes a string without the escapes that only HTML needs; whoever encodes for HTML adds them.
func appendJSON(out []byte, text string) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string cannot fail
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// UnmarshalJSON reads both spellings and keeps the order; null does nothing. Errors are a [*DeclarationError].
func (c *ToolResultColumns) UnmarshalJSON(wire []byte) error {
	if string(bytes.TrimSpace(wire)) == "null" {
		return nil
	}
	columns, err := parseColumns("", wire)
	if err == nil {
		err = AssertResultColumns("", columns)
	}
	if err != nil {
		return err
	}
	*c = columns
	return nil
}

// AssertResultColumns refuses a declaration that cannot be honoured, with a [*DeclarationError]. Nil columns declare
// nothing and are no error; an empty declaration is one. The tool's name is only for the message.
func AssertResultColumns(tool string, columns ToolResultColumns) error {
	if columns == nil {
		return nil
	}
	if len(columns) == 0 {
		return &DeclarationError{Tool: tool, Err: ErrNoColumns}
	}
	var names map[string]bool // only where comparing each with each would turn quadratic
	if len(columns) > 16 {
		names = make(map[string]bool, len(columns))
	}
	for i := range columns {
		column, duplicate := &columns[i], false
		switch {
		case isBlank(column.Name):
			return &DeclarationError{tool, column.Name, ErrBlankName}
		case names == nil:
			duplicate = columns[:i].has(column.Name)
		default:
			duplicate = names[column.Name]
			names[column.Name] = true
		}
		if duplicate {
			return &DeclarationError{tool, column.Name, ErrDuplicateName}
		}
		switch column.Type {
		case Number, String, Boolean, Date:
		default:
			return &DeclarationError{tool, column.Name, ErrUnknownType}
		}
	}
	return nil
}

// isBlank is asked of every column of every call, and nearly always answered by the first byte.
func isBlank(name string) bool {
	return name == "" || (name[0] <= ' ' || name[0] >= utf8.RuneSelf) && strings.TrimSpace(name) == ""
}

func (c ToolResultColumns) has(name string) bool {
	for i := range c {
		if c[i].Name == name {
			return true
		}
	}
	return false
}

// ParseResultColumns reads a declaration from JSON. Unlike UnmarshalJSON it refuses null, and what is too large to
// come from anyone in good faith: over 1,000 columns, or a name over 256 bytes. Errors are a [*DeclarationError].
func ParseResultColumns(tool string, wire []byte) (ToolResultColumns, error) {
	columns, err := parseColumns(tool, wire)
	if err != nil {
		return nil, err
	}
	if err := assertForeign(tool, columns); err != nil {
		return nil, err
	}
	return columns, nil
}

// parseColumns reads members token by token, because a Go map would lose their order and the second of two equals.
func parseColumns(tool string, wire []byte) (ToolResultColumns, error) {
	notColumns := &DeclarationError{Tool: tool, Err: ErrNotColumns}
	decoder := json.NewDecoder(bytes.NewReader(wire))
	decoder.UseNumber() // an unknown key may hold a number beyond float64
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, notColumns
	}
	columns := ToolResultColumns{}
	for decoder.More() {
		key, err := decoder.Token()
		name, isName := key.(string)
		if err != nil || !isName {
			return nil, notColumns
		}
		var value any
		if decoder.Decode(&value) != nil {
			return nil, notColumns
		}
		column := ColumnDeclaration{Name: name}
		if err := column.read(value); err != nil {
			return nil, &DeclarationError{tool, name, err}
		}
		columns = append(columns, column)
	}
	if _, err := decoder.Token(); err != nil {
		return nil, notColumns
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, notColumns
	}
	return columns, nil
}

// read takes the bare word or the object form, in which unknown keys are ignored.
func (c *ColumnDeclaration) read(value any) error {
	switch spelled := value.(type) {
	case string:
		c.Type = ColumnType(spelled)
	case map[string]any:
		word, isWord := spelled["type"].(string)
		if !isWord {
			return ErrUnknownType
		}
		c.Type = ColumnType(word)
		if nullable, has := spelled["nullable"]; has {
			isBoolean := false
			if c.Nullable, isBoolean = nullable.(bool); !isBoolean {
				return ErrNullableNotBoolean
			}
		}
	default:
		return ErrUnknownType
	}
	return nil
}
