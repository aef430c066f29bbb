package columntypes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// DeclarationFromOutputSchema reads the declaration that a tool has made already by publishing a JSON Schema for its
// output: the columns of its array of objects, in the schema's order. The array is the root, or the root object's only
// property that is one, to which RowsAt then points; deeper ones are not looked for.
//
// integer and number are a number, string is a string or with the format date-time or date a date, boolean is a
// boolean. A column is nullable where its schema admits null (a type that lists it, an anyOf or oneOf with it, OpenAPI's
// nullable) and where it is not required. $ref into the document itself and allOf are followed. What the four words
// cannot say is left undeclared: other unions, objects, arrays, properties without a type or name.
//
// Nothing is declared beyond what the schema says: keywords that are not read can only narrow it. Errors are a
// [*DeclarationError] that says why: [ErrNotColumns] for what is no JSON object, [ErrNoColumns] where no array of
// objects, more than one, or no column in it is found, [ErrDuplicateName] for a property that is there twice, and
// [ErrTooLarge] beyond the bounds of ParseResultColumns, or where following the schema takes over 100,000 steps.
func DeclarationFromOutputSchema(tool string, schema []byte) (Declaration, error) {
	r := schemaReader{tool: tool, steps: mostSteps}
	d, err := r.declaration(schema)
	switch {
	case r.steps < 0:
		return Declaration{}, r.refuse("", "%w: following the output schema takes over %d steps: simplify it, or declare the columns in the _meta", ErrTooLarge, mostSteps)
	case err != nil:
		return Declaration{}, err
	}
	return d, nil
}

// Bounds on what a stranger's schema may make us do. Beyond mostParts and deepestUnion, what is left unread could only
// narrow what a column holds, so the worst that comes of it is a column that stays undeclared or nullable.
const (
	mostSteps    = 100_000
	mostParts    = 64 // schemas that hold at once, by $ref and allOf
	deepestUnion = 16 // unions within unions
	mostNamed    = 5  // properties that an error names
)

// kinds is a set of the kinds of value that a schema admits. Dates and other strings are two kinds.
type kinds uint8

const (
	nulls kinds = 1 << iota
	numbers
	plainStrings
	dates
	booleans
	objects
	arrays

	noKinds  kinds = 0
	texts          = plainStrings | dates
	allKinds       = nulls | numbers | texts | booleans | objects | arrays
)

var kindsOfType = map[string]kinds{
	"null": nulls, "number": numbers, "integer": numbers, "string": texts, "boolean": booleans, "object": objects, "array": arrays,
}

// column gives the word for a set of kinds, if one of the four says it.
func (k kinds) column() (word ColumnType, said bool) {
	switch k &^ nulls {
	case numbers:
		return Number, true
	case texts:
		return String, true
	case dates:
		return Date, true
	case booleans:
		return Boolean, true
	}
	return "", false
}

// schemaReader reads one schema. Once steps is negative, nothing that it says counts.
type schemaReader struct {
	tool  string
	root  any
	steps int
}

func (r *schemaReader) refuse(column, format string, args ...any) error {
	return &DeclarationError{r.tool, column, fmt.Errorf(format, args...)}
}

func (r *schemaReader) step() bool {
	r.steps--
	return r.steps >= 0
}

func (r *schemaReader) declaration(schema []byte) (Declaration, error) {
	if err := r.open(schema); err != nil {
		return Declaration{}, err
	}
	rows, rowsAt, err := r.findRows()
	if err != nil {
		return Declaration{}, err
	}
	columns, err := r.columns(rows)
	if err != nil {
		return Declaration{}, err
	}
	return Declaration{columns, rowsAt}, nil
}

// open decodes the schema.
func (r *schemaReader) open(schema []byte) (err error) {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	valid := json.Valid(schema)
	if valid {
		r.root, err = readOrdered(decoder)
	}
	if !valid || err != nil {
		return r.refuse("", "%w: the output schema is no JSON: pass it as it came", ErrNotColumns)
	}
	if _, isObject := r.root.(*orderedObject); !isObject {
		return r.refuse("", "%w: the output schema is no JSON object: publish one with properties, or declare the columns in the _meta", ErrNotColumns)
	}
	return nil
}

// findRows gives the parts of the schema of one row, and the pointer to the rows.
func (r *schemaReader) findRows() (rows []*orderedObject, rowsAt string, err error) {
	if rows = r.rowsOf(r.root); rows != nil {
		return rows, "", nil
	}
	properties, _ := readProperties(r.parts(r.root))
	var found []string
	for _, property := range properties {
		if parts := r.rowsOf(property.schema); parts != nil {
			rows, found = parts, append(found, property.name)
		}
	}
	switch {
	case len(found) == 0:
		return nil, "", r.refuse("", "%w can be read from the output schema: it has no array of objects, neither as its root nor as a property of its root: "+
			"give it one, or declare the columns in the _meta", ErrNoColumns)
	case len(found) > 1:
		return nil, "", r.refuse("", "%w can be read from the output schema: %d properties are arrays of objects (%s), and it does not say which of them is the rows: "+
			"declare the columns and %s in the _meta", ErrNoColumns, len(found), quoteSome(found), rowsAtField)
	case len(found[0]) > longestForeignName:
		return nil, "", &DeclarationError{r.tool, found[0], ErrTooLarge}
	}
	return rows, "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(found[0]), nil
}

func quoteSome(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), mostNamed)] {
		quoted = append(quoted, quote(name))
	}
	if len(names) > mostNamed {
		quoted = append(quoted, "…")
	}
	return strings.Join(quoted, ", ")
}

// rowsOf gives the parts of an item's schema where a schema is an array of objects, else nil. An item may be null too:
// rows with such a one are not judged.
func (r *schemaReader) rowsOf(schema any) []*orderedObject {
	if r.kinds(schema, nil)&arrays == 0 {
		return nil
	}
	var items []any
	for _, part := range r.parts(schema) {
		if item, isObject := part.values["items"].(*orderedObject); isObject {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return nil
	}
	item := allOf(items)
	parts := r.parts(item)
	switch admitted := r.kinds(item, nil); {
	case admitted&objects == 0:
		return nil
	case admitted&^nulls == objects, slices.ContainsFunc(parts, hasProperties):
		return parts
	}
	return nil
}

func hasProperties(part *orderedObject) bool {
	_, has := part.values["properties"].(*orderedObject)
	return has
}

// allOf is a schema that holds where all of some hold.
func allOf(schemas []any) any {
	if len(schemas) == 1 {
		return schemas[0]
	}
	return &orderedObject{values: map[string]any{"allOf": schemas}}
}

func (r *schemaReader) columns(rows []*orderedObject) (ToolResultColumns, error) {
	properties, repeated := readProperties(rows)
	required := readRequired(rows)
	var columns ToolResultColumns
	for _, property := range properties {
		admitted := r.kinds(property.schema, nil)
		word, said := admitted.column()
		if !said || strings.TrimSpace(property.name) == "" {
			continue
		}
		if repeated[property.name] {
			return nil, &DeclarationError{r.tool, property.name, ErrDuplicateName}
		}
		nullable := admitted&nulls != 0 || !required[property.name]
		columns = append(columns, ColumnDeclaration{property.name, word, nullable})
	}
	if len(columns) == 0 {
		return nil, r.refuse("", "%w can be read from the output schema: none of the %d %s of its rows is a number, string, boolean or date: "+
			"give them types, or declare the columns in the _meta", ErrNoColumns, len(properties), plural(len(properties), "property", "properties"))
	}
	if err := assertForeign(r.tool, columns); err != nil {
		return nil, err
	}
	return columns, nil
}

type schemaProperty struct {
	name   string
	schema any
}

// readProperties gives the properties of all parts in their order; of one that several parts have, all schemas hold.
// repeated are the names that one object has twice.
func readProperties(parts []*orderedObject) (properties []schemaProperty, repeated map[string]bool) {
	schemas := map[string][]any{}
	var names []string
	for _, part := range parts {
		object, isObject := part.values["properties"].(*orderedObject)
		if !isObject {
			continue
		}
		for _, name := range object.keys {
			if schemas[name] == nil {
				names = append(names, name)
			}
			schemas[name] = append(schemas[name], object.values[name])
		}
		for _, name := range object.repeated {
			if repeated == nil {
				repeated = map[string]bool{}
			}
			repeated[name] = true
		}
	}
	for _, name := range names {
		properties = append(properties, schemaProperty{name, allOf(schemas[name])})
	}
	return properties, repeated
}

func readRequired(parts []*orderedObject) map[string]bool {
	required := map[string]bool{}
	for _, part := range parts {
		names, _ := part.values["required"].([]any)
		for _, name := range names {
			if text, isString := name.(string); isString {
				required[text] = true
			}
		}
	}
	return required
}

// parts gives the objects that describe whatever satisfies a schema and is not null: the schema, what it refers to,
// what it is all of, and the only branch of a union that is not null.
func (r *schemaReader) parts(schema any) []*orderedObject {
	return r.gather(nil, schema, true)
}

func (r *schemaReader) gather(parts []*orderedObject, schema any, notNull bool) []*orderedObject {
	part, isObject := schema.(*orderedObject)
	if !isObject || len(parts) >= mostParts || slices.Contains(parts, part) || !r.step() {
		return parts
	}
	parts = append(parts, part)
	if reference, refers := part.values["$ref"].(string); refers {
		parts = r.gather(parts, r.resolve(reference), notNull)
	}
	all, _ := part.values["allOf"].([]any)
	for _, schema := range all {
		if len(parts) >= mostParts || !r.step() {
			return parts
		}
		parts = r.gather(parts, schema, notNull)
	}
	if !notNull {
		return parts
	}
	for _, union := range unions(part) {
		if branch, only := r.onlyBranch(union); only {
			parts = r.gather(parts, branch, notNull)
		}
	}
	return parts
}

func unions(part *orderedObject) (found [][]any) {
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		if branches, isList := part.values[keyword].([]any); isList && len(branches) > 0 {
			found = append(found, branches)
		}
	}
	return found
}

// onlyBranch gives the branch of a union that is left without those that are null.
func (r *schemaReader) onlyBranch(union []any) (only any, one bool) {
	for _, branch := range union {
		if r.kinds(branch, nil) == nulls {
			continue
		}
		if one {
			return nil, false
		}
		only, one = branch, true
	}
	return only, one
}

// kinds gives what a schema admits, or more, never less: what is not understood is taken to admit everything. within
// are the schemas whose unions this one is in.
func (r *schemaReader) kinds(schema any, within []*orderedObject) kinds {
	admitted, nullable := allKinds, false
	for _, part := range r.gather(nil, schema, false) {
		if slices.Contains(within, part) || len(within) == deepestUnion {
			continue
		}
		admitted &= r.kindsOfPart(part)
		for _, union := range unions(part) {
			branches := noKinds
			for _, branch := range union {
				if branches |= r.kinds(branch, append(within[:len(within):len(within)], part)); branches == allKinds || !r.step() {
					break
				}
			}
			admitted &= branches
		}
		nullable = nullable || part.values["nullable"] == true
	}
	if nullable {
		admitted |= nulls
	}
	if r.steps < 0 {
		return allKinds
	}
	return admitted
}

// kindsOfPart looks at the keywords of one object alone. Those that give values only tell null, for unions that spell
// it so.
func (r *schemaReader) kindsOfPart(part *orderedObject) kinds {
	admitted := allKinds
	switch types := part.values["type"].(type) {
	case string:
		if known, is := kindsOfType[types]; is {
			admitted = known
		}
	case []any:
		admitted = r.kindsOfList(types)
	}
	if format := part.values["format"]; format == "date-time" || format == "date" {
		admitted &^= plainStrings
	}
	value, has := part.values["const"]
	listed, _ := part.values["enum"].([]any)
	if has && value == nil || len(listed) == 1 && listed[0] == nil {
		admitted &= nulls
	}
	return admitted
}

func (r *schemaReader) kindsOfList(types []any) kinds {
	admitted := noKinds
	for _, one := range types {
		word, _ := one.(string)
		known, is := kindsOfType[word]
		if !is || !r.step() {
			return allKinds
		}
		admitted |= known
	}
	return admitted
}

// resolve follows a reference into the document itself; nil is one that leads elsewhere or nowhere.
func (r *schemaReader) resolve(reference string) any {
	fragment, local := strings.CutPrefix(reference, "#")
	if !local || len(fragment) > longestPointer {
		return nil
	}
	pointer, err := url.PathUnescape(fragment)
	tokens, wellFormed := pointerTokens(pointer)
	if r.steps -= len(tokens); err != nil || !wellFormed || r.steps < 0 {
		return nil
	}
	found := r.root
	for _, token := range tokens {
		switch container := found.(type) {
		case *orderedObject:
			found = container.values[token]
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(container) {
				return nil
			}
			found = container[index]
		default:
			return nil
		}
	}
	return found
}

// orderedObject is a decoded JSON object that knows the order of its members. Of members with one name the last
// counts, as usual, and the name is among repeated.
type orderedObject struct {
	keys, repeated []string
	values         map[string]any
}

// readOrdered decodes one value of text that is known to be JSON, which also bounds how deep it is.
func readOrdered(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return readOrderedObject(decoder)
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := readOrdered(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = decoder.Token()
		return list, err
	}
	return token, nil
}

func readOrderedObject(decoder *json.Decoder) (any, error) {
	object := &orderedObject{values: map[string]any{}}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := readOrdered(decoder)
		if err != nil {
			return nil, err
		}
		name := key.(string)
		if _, has := object.values[name]; has {
			object.repeated = append(object.repeated, name)
		} else {
			object.keys = append(object.keys, name)
		}
		object.values[name] = value
	}
	_, err := decoder.Token()
	return object, err
}
