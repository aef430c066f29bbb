package columntypes

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// errUndeclarable is behind a DeclarationError of ColumnsFor about a field whose JSON cannot be told from its type.
var errUndeclarable = errors.New("the field's JSON cannot be told from its type")

// ColumnsFor derives a declaration from a struct's JSON fields, in order, by encoding/json's own rules for names,
// embedding, shadowing and tags.
//
// A pointer is nullable. A field that may vanish from every row (omitempty, omitzero), or that no word fits (slices,
// structs, maps, any), is left out. An omitempty on a number or boolean is an error, because it drops 0 and false. A
// type with its own MarshalJSON is an error too, [time.Time], [encoding/json.Number] and the like aside; a TextMarshaler is a
// string. The tag `column:"number,nullable"` or `column:"-"` settles each of these. A T that is no struct, or that
// has no column, is an error. Errors are a [*DeclarationError] whose Column is the JSON name.
func ColumnsFor[T any]() (ToolResultColumns, error) {
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == timeType || marshals(t, marshalerType) || marshals(t, textMarshalerType) {
		return nil, &DeclarationError{Tool: clip(t.String()), Err: ErrNotColumns}
	}
	var columns ToolResultColumns
	for _, field := range fieldsOf(t).ordered {
		column, declared, err := deriveColumn(field)
		if err != nil {
			return nil, &DeclarationError{Tool: clip(t.String()), Column: field.name, Err: err}
		}
		if declared {
			columns = append(columns, column)
		}
	}
	if len(columns) == 0 {
		return nil, &DeclarationError{Tool: clip(t.String()), Err: ErrNoColumns}
	}
	return columns, AssertResultColumns(clip(t.String()), columns)
}

func deriveColumn(field structField) (ColumnDeclaration, bool, error) {
	column := ColumnDeclaration{Name: field.name}
	if tag, tagged := field.field.Tag.Lookup("column"); tagged {
		return columnFromTag(column, tag)
	}
	t := field.field.Type
	for t.Kind() == reflect.Pointer {
		column.Nullable = true
		t = t.Elem()
	}
	word, err := deriveType(t, field.quoted)
	switch {
	case err != nil:
		return column, false, err
	case field.omitEmpty && !column.Nullable && (word == Number || word == Boolean) && t != numberType:
		return column, false, fmt.Errorf("%w: omitempty on field %s drops 0 and false; remove it, or settle it with the tag `column:%q`",
			errUndeclarable, field.field.Name, word)
	case word == "" || field.omitEmpty || field.omitZero:
		return column, false, nil
	}
	column.Type = word
	return column, true, nil
}

func columnFromTag(column ColumnDeclaration, tag string) (ColumnDeclaration, bool, error) {
	word, option, has := strings.Cut(tag, ",")
	if tag == "-" {
		return column, false, nil
	}
	column.Type, column.Nullable = ColumnType(word), has
	if !slices.Contains(ColumnTypes(), column.Type) || has && option != "nullable" {
		return column, false, ErrUnknownType
	}
	return column, true, nil
}

// deriveType gives the word for a type, or "" where none fits.
func deriveType(t reflect.Type, quoted bool) (ColumnType, error) {
	switch {
	case t == timeType:
		return Date, nil
	case quoted:
		return String, nil
	case t == numberType || t.PkgPath() == "math/big" && t.Name() == "Int":
		return Number, nil
	case t.PkgPath() == "encoding/json" && t.Name() == "RawMessage", t.Kind() == reflect.Interface:
		return "", nil
	case marshals(t, marshalerType):
		return "", fmt.Errorf("%w: %s has its own MarshalJSON; settle it with a tag such as `column:\"number\"` or `column:\"-\"`",
			errUndeclarable, clip(t.String()))
	case marshals(t, textMarshalerType):
		return String, nil
	}
	switch kind := t.Kind(); {
	case kind == reflect.Bool:
		return Boolean, nil
	case kind == reflect.String:
		return String, nil
	case kind >= reflect.Int && kind <= reflect.Float64:
		return Number, nil
	}
	return "", nil
}

func marshals(t, marshaler reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}
