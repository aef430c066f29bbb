package rawrows

import "math/bits"

// Text is JSON text.
type Text interface{ ~string | ~[]byte }

// Deepest is how many levels objects and arrays may nest: encoding/json's own limit.
const Deepest = 10_000

// Word loads eight bytes; the first is the lowest.
func Word[T Text](text T, at int) uint64 {
	b := text[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// stops marks, by the high bit of its byte, the first quote, backslash or control in a word. Marks above the first
// may be false, because the subtractions borrow.
func stops(w uint64) uint64 {
	quote, backslash := w^'"'*everyByte, w^'\\'*everyByte
	return ((quote-everyByte)&^quote | (backslash-everyByte)&^backslash | (w-' '*everyByte)&^w) & highBits
}

// stringEnd reads a string from behind its opening quote.
func stringEnd[T Text](text T, at int) int {
	for at < len(text) {
		if at+8 <= len(text) {
			found := stops(Word(text, at))
			if found == 0 {
				at += 8
				continue
			}
			at += bits.TrailingZeros64(found) >> 3
		}
		switch c := text[at]; {
		case c == '"':
			return at + 1
		case c < ' ':
			return ^at
		case c != '\\':
			at++
		default:
			if at = escapeEnd(text, at+1); at < 0 {
				return at
			}
		}
	}
	return ^at
}

// escapeEnd reads an escape from behind its backslash.
func escapeEnd[T Text](text T, at int) int {
	if at == len(text) {
		return ^at
	}
	switch text[at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return at + 1
	case 'u':
		for range 4 {
			if at++; at == len(text) || !isDigit(text[at]) && text[at]|0x20-'a' > 5 {
				return ^at
			}
		}
		return at + 1
	}
	return ^at
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// numberEnd reads a number. One with an exponent, or a very long one, is Beyond until it has been settled.
func numberEnd[T Text](text T, at int) (end int, kind Kind) {
	start := at
	if at < len(text) && text[at] == '-' {
		at++
	}
	if at < len(text) && text[at] == '0' {
		at++
	} else if at = digitsEnd(text, at); at < 0 {
		return at, Number
	}
	if at < len(text) && text[at] == '.' {
		if at = digitsEnd(text, at+1); at < 0 {
			return at, Number
		}
	}
	if at == len(text) || text[at]|0x20 != 'e' {
		if at-start < 300 {
			return at, Number
		}
		return at, Beyond
	}
	if at++; at < len(text) && (text[at] == '+' || text[at] == '-') {
		at++
	}
	return digitsEnd(text, at), Beyond
}

// digitsEnd reads at least one digit.
func digitsEnd[T Text](text T, at int) int {
	start := at
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	if at == start {
		return ^at
	}
	return at
}

// literalEnd reads one of the words null, true and false.
func literalEnd[T Text](text T, at int, literal string) int {
	for i := range len(literal) {
		if at+i == len(text) || text[at+i] != literal[i] {
			return ^(at + i)
		}
	}
	return at + len(literal)
}

// afterSpace skips white space, perhaps up to the text's end.
func afterSpace[T Text](text T, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// open reads an opening bracket: up to the first member or item, or behind the closing bracket.
func open[T Text](text T, at int, closing byte) (end int, more bool) {
	at = afterSpace(text, at+1)
	if at < len(text) && text[at] == closing {
		return at + 1, false
	}
	return at, true
}

// next reads what is behind a member or item that could be read: a comma and then more, or the closing bracket.
func next[T Text](text T, at int, closing byte) (end int, more bool) {
	if at < 0 {
		return at, false
	}
	at = afterSpace(text, at)
	switch {
	case at < len(text) && text[at] == ',':
		return afterSpace(text, at+1), true
	case at < len(text) && text[at] == closing:
		return at + 1, false
	}
	return ^at, false
}

// memberStart reads a key, up to its end and up to the value.
func memberStart[T Text](text T, at int) (keyEnd, value int) {
	if at == len(text) || text[at] != '"' {
		return at, ^at
	}
	keyEnd = stringEnd(text, at+1)
	if keyEnd < 0 {
		return at, keyEnd
	}
	if at = afterSpace(text, keyEnd); at == len(text) || text[at] != ':' {
		return at, ^at
	}
	return keyEnd, afterSpace(text, at+1)
}

// valueEnd reads one value of any kind inside of so many levels, and tells what it is; a number may have to be settled.
// A negative position stays what it is.
func valueEnd[T Text](text T, at, depth int) (end int, kind Kind) {
	if uint(at) >= uint(len(text)) {
		return min(at, ^at), Missing
	}
	switch text[at] {
	case '"':
		return stringEnd(text, at+1), String
	case '{':
		return containerEnd(text, at, depth), Object
	case '[':
		return containerEnd(text, at, depth), Array
	case 'n':
		return literalEnd(text, at, "null"), Null
	case 't':
		return literalEnd(text, at, "true"), Boolean
	case 'f':
		return literalEnd(text, at, "false"), Boolean
	}
	return numberEnd(text, at)
}

// containerEnd reads an object or array; it recurses once for each level.
func containerEnd[T Text](text T, at, depth int) int {
	if depth == Deepest {
		return ^at
	}
	closing := text[at] + 2 // in ASCII both closing brackets are two behind their opening ones
	at, more := open(text, at, closing)
	for more {
		if closing == '}' {
			_, at = memberStart(text, at)
		}
		at, _ = valueEnd(text, at, depth+1)
		at, more = next(text, at, closing)
	}
	return at
}
