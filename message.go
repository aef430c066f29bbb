package columntypes

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostRunes   = 80  // of a text before quoting
	mostBytes   = 240 // of the quoted form
	mostClauses = 5   // columns that a refusal names
	noSuchKey   = "no such key"
	noJSON      = "no JSON"
)

// message says one finding, from the data that its reader has too.
func message(mode Mode, f *Finding) string {
	v := &f.Violation
	var b strings.Builder
	b.Grow(1024)
	write(&b, "'", name(f.ToolName), "' declares column '", name(v.Column), "' as ", string(v.Declared), ", and ")
	if f.Kind == KindMissingColumn {
		write(&b, "NONE of the ", strconv.Itoa(v.OfRows), plural(v.OfRows, " row it returned has", " rows it returned have"),
			" it — the column was never delivered, which is not the same as a mistyped value: look at the query, not at the mapping code.")
		switch v.NearMiss {
		case "":
		case redactedNearMiss:
			write(&b, " The rows do have ", redactedNearMiss, ".")
		default:
			write(&b, " The nearest key that the rows do have is '", name(v.NearMiss), "'.")
		}
	} else {
		write(&b, strconv.Itoa(v.Rows), " of ", strconv.Itoa(v.OfRows), plural(v.OfRows, " row holds", " rows hold"), " something else")
		if len(v.Held) > 1 {
			write(&b, ": ", heldWords(v.Held))
		}
		write(&b, " — the first is ", v.Sample, " (", v.Got)
		if v.GoType != "" {
			write(&b, ", Go ", v.GoType)
		}
		b.WriteString(").")
		if absence(v) {
			b.WriteString(" If a row may carry no value here, declare the column with nullable: true.")
		}
	}
	write(&b, " ", ColumnTypeCeiling)
	if f.ToolCallID != "" {
		write(&b, " Call id ", name(f.ToolCallID), ".")
	}
	if mode == Enforce {
		b.WriteString(" The rows were refused: the model reads one sentence in their place, and nothing was retried.")
	} else {
		b.WriteString(" Nothing here blocked the call, changed the result, or retried anything — the model reads the rows exactly as the tool returned them.")
	}
	return b.String()
}

// refusal is the one sentence that replaces the rows.
func refusal(tool string, findings []Finding) string {
	var b strings.Builder
	b.Grow(512)
	write(&b, "Result rejected: ", name(tool), " returned rows that disagree with the columns it declares — ")
	named := findings[:min(len(findings), mostClauses)]
	for i := range named {
		if i > 0 {
			b.WriteString("; ")
		}
		clause(&b, &named[i])
	}
	if more := len(findings) - len(named); more > 0 {
		write(&b, "; and ", strconv.Itoa(more), " more ", plural(more, "column", "columns"))
	}
	b.WriteString(". Fix the tool so the column holds what it declares, or change the declaration. No data was returned.")
	return b.String()
}

func clause(b *strings.Builder, f *Finding) {
	v := &f.Violation
	write(b, "'", name(v.Column), "' is declared ", string(v.Declared), " and ")
	if f.Kind == KindMissingColumn {
		write(b, "none of the ", strconv.Itoa(v.OfRows), plural(v.OfRows, " row has it", " rows have it"))
		return
	}
	write(b, strconv.Itoa(v.Rows), " of ", strconv.Itoa(v.OfRows), plural(v.OfRows, " row holds ", " rows hold "))
	if len(v.Held) > 1 {
		write(b, "something else: ", heldWords(v.Held))
	} else {
		b.WriteString(v.Got)
	}
	write(b, " (first: ", v.Sample, ")")
	if absence(v) {
		b.WriteString(" — declare it nullable: true if a row may carry no value")
	}
}

func write(b *strings.Builder, parts ...string) {
	for _, part := range parts {
		b.WriteString(part)
	}
}

func absence(v *ColumnViolation) bool {
	return !v.Nullable && (v.Held[holdsNull.String()] > 0 || v.Held[holdsMissing.String()] > 0)
}

// heldWords counts the offenders by what they hold: most frequent first, ties by name.
func heldWords(held map[string]int) string {
	words := slices.SortedFunc(maps.Keys(held), func(a, b string) int {
		return cmp.Or(held[b]-held[a], strings.Compare(a, b))
	})
	for i, word := range words {
		words[i] = fmt.Sprintf("%d %s", held[word], word)
	}
	return strings.Join(words, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Redacted near misses say only what kind of difference there was.
const redactedNearMiss = "a key that differs in case, spaces, separators or a byte order mark"

// mostNearMissRows bounds the search for a near miss; rows of one result nearly always have the same keys.
const mostNearMissRows = 100

// nearMisses indexes the undeclared keys of the rows by what is left of them without case, spaces, separators and a
// byte order mark. Of two keys with the same rest the first row's wins, then the lesser one.
func nearMisses(columns ToolResultColumns, rows iter.Seq[[]string]) map[string]string {
	declared := make(map[string]bool, len(columns))
	longest := 0
	for _, column := range columns {
		declared[column.Name] = true
		longest = max(longest, len(column.Name))
	}
	index := map[string]string{}
	looked := 0
	for keys := range rows {
		slices.Sort(keys)
		for _, key := range keys {
			if declared[key] || len(key) > 4*longest+64 {
				continue
			}
			if rest := bare(key); index[rest] == "" {
				index[rest] = key
			}
		}
		if looked++; looked == mostNearMissRows {
			break
		}
	}
	return index
}

func bare(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// sample shows a cell, escaped and clipped; redacted it says only the kind and the length.
func sample(c cell, redact bool) string {
	switch c.holds {
	case holdsMissing:
		return noSuchKey
	case holdsNull:
		return "null"
	case holdsNaN, holdsPositiveInfinity, holdsNegativeInfinity:
		return strings.TrimPrefix(c.holds.String(), "the number ")
	case holdsObject:
		return sampleObject(&c, redact)
	case holdsArray:
		items := arrayLength(&c)
		if redact {
			return fmt.Sprintf("array of %d %s", items, plural(items, "item", "items"))
		}
		return fmt.Sprintf("[… %d %s]", items, plural(items, "item", "items"))
	case holdsBytes:
		return sampleBytes(c.resolved.Bytes(), redact)
	case holdsUnencodable:
		if c.text == "" || redact {
			return noJSON
		}
		return quote(c.text)
	}
	text := cellText(&c)
	switch {
	case redact && c.holds == holdsBoolean:
		return "boolean"
	case redact:
		characters := utf8.RuneCountInString(text)
		return fmt.Sprintf("%s of %d %s", strings.TrimPrefix(c.holds.String(), "a "), characters, plural(characters, "character", "characters"))
	case c.holds == holdsString:
		return quote(text)
	}
	return clip(text)
}

// cellText is the text of a string, number or boolean.
func cellText(c *cell) string {
	switch {
	case c.at:
		at := c.value
		if c.resolved.IsValid() {
			at = c.resolved.Interface()
		}
		var text string
		encoded, _ := json.Marshal(at)
		_ = json.Unmarshal(encoded, &text)
		return text
	case c.text != "" || c.holds == holdsString:
		return c.text
	case c.resolved.IsValid():
		return scalarText(c.resolved)
	}
	return scalarText(reflect.ValueOf(c.value))
}

// scalarText writes a boolean or number as encoding/json does.
func scalarText(v reflect.Value) string {
	switch kind := v.Kind(); {
	case kind == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case kind == reflect.Float32:
		text, _ := json.Marshal(float32(v.Float()))
		return string(text)
	case kind == reflect.Float64:
		text, _ := json.Marshal(v.Float())
		return string(text)
	}
	return ""
}

func sampleObject(c *cell, redact bool) string {
	var keys []string
	if c.encoded != nil {
		var decoded map[string]json.RawMessage
		_ = json.Unmarshal(c.encoded, &decoded)
		keys = slices.Collect(maps.Keys(decoded))
	} else {
		keys = keysOf(c.resolved)
	}
	if redact {
		return fmt.Sprintf("object of %d %s", len(keys), plural(len(keys), "key", "keys"))
	}
	shown := least(keys, mostRunes)
	var b strings.Builder
	b.WriteString("{")
	for i, key := range shown {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(key) + ": …")
	}
	b.WriteString("}")
	return clipUnits(b.String())
}

// least gives the first so many of the keys in their order, without sorting them all.
func least(keys []string, most int) []string {
	kept := make([]string, 0, most+1)
	for _, key := range keys {
		if len(kept) == most && key >= kept[most-1] {
			continue
		}
		at, _ := slices.BinarySearch(kept, key)
		kept = slices.Insert(kept, at, key)
		kept = kept[:min(len(kept), most)]
	}
	return kept
}

func arrayLength(c *cell) int {
	if c.encoded != nil {
		var decoded []json.RawMessage
		_ = json.Unmarshal(c.encoded, &decoded)
		return len(decoded)
	}
	return c.resolved.Len()
}

func sampleBytes(held []byte, redact bool) string {
	switch {
	case redact:
		return fmt.Sprintf("bytes of length %d", len(held))
	case utf8.Valid(held):
		return quote(string(held[:min(len(held), mostBytes*2)]))
	}
	return quote(base64.StdEncoding.EncodeToString(held[:min(len(held), mostBytes)]))
}

// name is how a name from outside stands in a sentence: the string rule without the outer quotes, ' escaped.
func name(text string) string {
	return strings.ReplaceAll(escape(text), "'", `\'`)
}

// clip is the string rule without quotes, for numbers and Go types, which hold none.
func clip(text string) string {
	return strings.ReplaceAll(escape(text), `\"`, `"`)
}

// escape is quote without its quotes.
func escape(text string) string {
	if isPlain(text) {
		return text
	}
	quoted := quote(text)
	return quoted[1 : len(quoted)-1]
}

// isPlain tells a short text in which there is nothing to escape.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return len(text) <= mostRunes
}

// quote is strconv.Quote for a text from outside: clipped, and invisible characters escaped too. An invalid byte is
// U+FFFD, which is what encoding/json makes of it.
func quote(text string) string {
	if isPlain(text) {
		return `"` + text + `"`
	}
	const ellipsis = "…"
	out := make([]byte, 1, 64)
	out[0] = '"'
	cut, runes := 1, 0 // cut: where the ellipsis would go
	for _, r := range text {
		if runes < mostRunes && len(out) <= mostBytes-len(ellipsis)-1 {
			cut = len(out)
		}
		runes++
		if runes > mostRunes {
			return string(out[:cut]) + ellipsis + `"`
		}
		out = appendRune(out, r)
		if len(out)+1 > mostBytes {
			return string(out[:cut]) + ellipsis + `"`
		}
	}
	return string(append(out, '"'))
}

func appendRune(out []byte, r rune) []byte {
	switch {
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800':
		if r > 0xFFFF {
			return fmt.Appendf(out, `\U%08x`, r)
		}
		return fmt.Appendf(out, `\u%04x`, r)
	case r == '\'':
		return append(out, '\'')
	case r == '"':
		return append(out, '\\', '"')
	}
	quoted := strconv.QuoteRune(r)
	return append(out, quoted[1:len(quoted)-1]...)
}

// clipUnits clips a text that is escaped already.
func clipUnits(text string) string {
	if utf8.RuneCountInString(text) <= mostRunes && len(text) <= mostBytes {
		return text
	}
	runes, cut := 0, 0
	for i := range text {
		if runes == mostRunes || i > mostBytes-len("…") {
			break
		}
		cut, runes = i, runes+1
	}
	return strings.TrimRight(text[:cut], `\`) + "…"
}
