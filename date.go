package columntypes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/columntypes/columntypes/internal/rawrows"
)

// longestDate bounds the work on one cell; the longest form, with its zone's name in brackets, stays well below.
const longestDate = 128

// isDate tells whether the whole of a text, white space around it aside, names a real calendar day in one of the
// accepted forms: ISO 8601 as ECMAScript writes it, the dates of HTTP, mail and C, and written dates.
func isDate[T rawrows.Text](text T) bool {
	if isPlainDate(text) {
		return true
	}
	text = trimSpace(text)
	if len(text) < len("2024") || len(text) > longestDate {
		return false
	}
	whole := string(text) // no more than longestDate bytes, so a copy is cheap
	return isNumericDate(whole) || isWrittenDate(whole)
}

// trimSpace is strings.TrimSpace for both kinds of text: it never copies more than one character.
func trimSpace[T rawrows.Text](text T) T {
	for len(text) > 0 {
		first, size := utf8.DecodeRuneInString(string(text[:min(len(text), utf8.UTFMax)]))
		if !unicode.IsSpace(first) {
			break
		}
		text = text[size:]
	}
	for len(text) > 0 {
		last, size := utf8.DecodeLastRuneInString(string(text[max(len(text)-utf8.UTFMax, 0):]))
		if !unicode.IsSpace(last) {
			break
		}
		text = text[:len(text)-size]
	}
	return text
}

// isPlainDate accepts the two forms that most columns hold, YYYY-MM-DD and RFC 3339, eight bytes at a time. False only
// means that the full grammar has to decide.
func isPlainDate[T rawrows.Text](text T) bool {
	if len(text) < len("2024-01-02") || len(text) > longestDate {
		return false
	}
	date, ok := monthShape.read(rawrows.Word(text, 0))
	if !ok || !isDigit(text[8]) || !isDigit(text[9]) {
		return false
	}
	if !isDay(pair(date, 0)*100+pair(date, 2), pair(date, 5), int(text[8]-'0')*10+int(text[9]-'0')) {
		return false
	}
	at := len("2024-01-02T03:04:05")
	if len(text) <= at {
		return len(text) == len("2024-01-02")
	}
	clock, ok := clockShape.read(rawrows.Word(text, 11))
	if !ok || text[10] != 'T' || pair(clock, 0) > 23 || pair(clock, 3) > 59 || pair(clock, 6) > 59 {
		return false
	}
	if text[at] == '.' && len(text) > at+1 && isDigit(text[at+1]) {
		for at += 2; at < len(text) && isDigit(text[at]); at++ {
		}
	}
	switch len(text) - at {
	case len("Z"):
		return text[at] == 'Z'
	case len("+00:00"):
		return (text[at] == '+' || text[at] == '-') && text[at+3] == ':' && areBelow(text[at+1], text[at+2], 24) && areBelow(text[at+4], text[at+5], 60)
	}
	return false
}

// areBelow tells whether two digits make a number below a bound.
func areBelow(tens, ones byte, below int) bool {
	return isDigit(tens) && isDigit(ones) && int(tens-'0')*10+int(ones-'0') < below
}

// wordShape says of eight bytes which are digits and which are something else.
type wordShape struct{ bytes, slack uint64 }

var monthShape, clockShape = newWordShape("0000-00-"), newWordShape("00:00:00")

func newWordShape(shape string) (s wordShape) {
	for i := range 8 {
		slack := byte(0x7F) // only the byte itself
		if shape[i] == '0' {
			slack = 0x7F - 9 // ten digits
		}
		s.bytes |= uint64(shape[i]) << (8 * i)
		s.slack |= uint64(slack) << (8 * i)
	}
	return s
}

// read gives the digits' values in the places of the digits, if the word has the shape: what remains of each byte once
// the shape's is taken out of it is at most what its slack leaves room for.
func (s wordShape) read(word uint64) (values uint64, ok bool) {
	values = word ^ s.bytes
	return values, (values+s.slack|values)&0x8080808080808080 == 0
}

// pair is the number that two digits' values make.
func pair(values uint64, at int) int {
	return int(values>>(8*at)&0xF)*10 + int(values>>(8*at+8)&0xF)
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// dateReader takes a date apart from left to right.
type dateReader struct{ rest string }

// digits takes between least and most digits, all there are up to most.
func (r *dateReader) digits(least, most int) (value int, ok bool) {
	n := 0
	for n < len(r.rest) && n < most && isDigit(r.rest[n]) {
		value = value*10 + int(r.rest[n]-'0')
		n++
	}
	if n < least {
		return 0, false
	}
	r.rest = r.rest[n:]
	return value, true
}

// one takes one byte if it is among those given.
func (r *dateReader) one(among string) bool {
	if r.rest == "" || strings.IndexByte(among, r.rest[0]) < 0 {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// isNumericDate reads a year first, with - / or . between, and what may follow.
func isNumericDate(text string) bool {
	r := dateReader{text}
	negative := strings.HasPrefix(text, "-")
	signed := r.one("+-")
	width := 4
	if signed {
		width = 6
	}
	year, ok := r.digits(width, width)
	if !ok || negative && year == 0 {
		return false
	}
	separator := byte(0)
	month, day := 1, 1
	if r.rest != "" && (r.rest[0] == '-' || !signed && (r.rest[0] == '/' || r.rest[0] == '.')) {
		separator = r.rest[0]
		r.rest = r.rest[1:]
		if month, ok = r.digits(1, 2); !ok {
			return false
		}
		switch {
		case r.one(string(separator)):
			if day, ok = r.digits(1, 2); !ok {
				return false
			}
		case separator != '-':
			return false
		}
	}
	if !isDay(year, month, day) {
		return false
	}
	switch {
	case r.rest == "", (r.rest == "Z" || r.rest == "z") && separator == '-':
		return true
	case separator != '/' && separator != '.' && r.one("Tt"):
		return isTimeOfDay(r.rest, 2)
	case separator != 0 && r.one(" "):
		return isTimeOfDay(r.rest, 1)
	}
	return false
}

var monthDays = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func isDay(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	return day <= monthDays[month-1] || leap && month == 2 && day == 29
}

// isTimeOfDay reads HH:mm[:ss[.fraction]], AM or PM, and a zone; hourDigits is the fewest that the hour may have.
func isTimeOfDay(text string, hourDigits int) bool {
	r := dateReader{text}
	hour, ok := r.digits(hourDigits, 2)
	if !ok || !r.one(":") {
		return false
	}
	minute, ok := r.digits(2, 2)
	if !ok || minute > 59 {
		return false
	}
	second, fraction := 0, 0
	if r.one(":") {
		if second, ok = r.digits(2, 2); !ok || second > 60 {
			return false
		}
		if r.one(".,") {
			digits := strings.TrimLeft(r.rest, "0") // nothing but zeros may follow 24:00:00
			if len(digits) > 0 && isDigit(digits[0]) {
				fraction = 1
			}
			if _, ok = r.digits(1, longestDate); !ok {
				return false
			}
		}
	}
	if twelve := strings.TrimPrefix(r.rest, " "); hasHalf(twelve) {
		r.rest = twelve[2:]
		return hour >= 1 && hour <= 12 && isZone(r.rest)
	}
	return (hour < 24 || hour == 24 && minute == 0 && second == 0 && fraction == 0) && isZone(r.rest)
}

// hasHalf tells whether AM or PM comes next, as a word of its own.
func hasHalf(text string) bool {
	if len(text) < 2 || !strings.EqualFold(text[:2], "AM") && !strings.EqualFold(text[:2], "PM") {
		return false
	}
	return len(text) == 2 || text[2] == ' '
}

// isZone reads what may follow a time of day: nothing, Z, an offset, an abbreviation, or an offset and then either.
func isZone(text string) bool {
	switch text {
	case "", "Z", "z", " Z", " z":
		return true
	}
	r := dateReader{strings.TrimPrefix(text, " ")}
	if isAbbreviation(r.rest) {
		return text[0] == ' '
	}
	if text[0] == ' ' && (strings.HasPrefix(r.rest, "GMT") || strings.HasPrefix(r.rest, "UTC")) {
		r.rest = r.rest[3:]
		return r.offset(1) && r.rest == ""
	}
	if !r.offset(2) {
		return false
	}
	if r.rest == "" {
		return true
	}
	if !r.one(" ") {
		return false
	}
	return isAbbreviation(r.rest) || r.offset(2) && r.rest == ""
}

func isAbbreviation(text string) bool {
	if len(text) < 2 || len(text) > 5 || text == "AM" || text == "PM" {
		return false
	}
	return strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// offset takes ±HH, ±HHmm, ±HH:mm or ±HH:mm:ss.
func (r *dateReader) offset(hourDigits int) bool {
	if !r.one("+-") {
		return false
	}
	hour, ok := r.digits(hourDigits, 2)
	if !ok || hour > 23 {
		return false
	}
	if r.one(":") {
		minute, ok := r.digits(2, 2)
		if !ok || minute > 59 {
			return false
		}
		if r.one(":") {
			second, ok := r.digits(2, 2)
			return ok && second <= 59
		}
		return true
	}
	if minute, ok := r.digits(2, 2); ok {
		return minute <= 59
	}
	return true
}

// isWrittenDate reads dates made of words: with a month's name, or with slashes and the month first.
func isWrittenDate(text string) bool {
	if open := strings.IndexByte(text, '('); open > 0 { // JavaScript puts the zone's name in brackets
		if !strings.HasSuffix(text, ")") || !strings.Contains(text[:open], ":") || strings.Count(text, "(") > 1 {
			return false
		}
		text = strings.TrimRight(text[:open], " ")
	}
	var room [12]string
	words := append(room[:0], strings.Fields(text)...)
	for i := range words[:max(len(words)-1, 0)] {
		words[i] = strings.TrimSuffix(words[i], ",")
	}
	if len(words) > 1 && isWeekday(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	if month, ok := monthNamed(words[0]); ok {
		return isMonthFirst(month, words[1:])
	}
	if first, rest, found := strings.Cut(words[0], "/"); found {
		second, third, _ := strings.Cut(rest, "/")
		month, isMonth := number(first, 1, 2)
		return isMonth && isDayAndTime(month, second, third, words[1:])
	}
	if first, rest, found := strings.Cut(words[0], "-"); found {
		second, third, _ := strings.Cut(rest, "-")
		month, isMonth := monthNamed(second)
		if len(first) == 4 {
			first, third = third, first
		}
		return isMonth && isDayAndTime(month, first, third, words[1:])
	}
	if len(words) < 2 {
		return false
	}
	month, isMonth := monthNamed(words[1])
	if !isMonth {
		return false
	}
	if len(words[0]) == 4 && (len(words) == 2 || strings.Contains(words[2], ":")) {
		return isDayAndTime(month, "1", words[0], words[2:])
	}
	if len(words) < 3 {
		return false
	}
	if len(words[0]) == 4 {
		return isDayAndTime(month, words[2], words[0], words[3:])
	}
	return isDayAndTime(month, words[0], words[2], words[3:])
}

// isMonthFirst reads what follows a month's name: a year alone, a day and a year, or C's day, time, zone and year.
func isMonthFirst(month int, words []string) bool {
	if len(words) == 0 {
		return false
	}
	if len(words[0]) == 4 && (len(words) == 1 || strings.Contains(words[1], ":")) {
		return isDayAndTime(month, "1", words[0], words[1:])
	}
	if len(words) < 2 {
		return false
	}
	if strings.Contains(words[1], ":") {
		last := len(words) - 1
		return len(words[last]) == 4 && isDayAndTime(month, words[0], words[last], words[1:last])
	}
	return len(words[1]) == 4 && isDayAndTime(month, words[0], words[1], words[2:])
}

func isDayAndTime(month int, day, year string, words []string) bool {
	dayNumber, isNumber := number(day, 1, 2)
	yearNumber, isYear := number(year, 2, 4)
	if !isNumber || !isYear || len(year) == 3 {
		return false
	}
	if len(year) == 2 {
		yearNumber += 1900
		if yearNumber < 1950 {
			yearNumber += 100
		}
	}
	return isDay(yearNumber, month, dayNumber) && (len(words) == 0 || isTimeOfDay(strings.Join(words, " "), 1))
}

// number reads a text that is digits throughout.
func number(text string, least, most int) (int, bool) {
	r := dateReader{text}
	value, ok := r.digits(least, most)
	return value, ok && r.rest == ""
}

var monthNames = [...]string{"january", "february", "march", "april", "may", "june",
	"july", "august", "september", "october", "november", "december"}

func monthNamed(word string) (int, bool) {
	for i, long := range monthNames {
		short := strings.TrimSuffix(word, ".")
		if strings.EqualFold(word, long) || strings.EqualFold(short, long[:3]) || i == 8 && strings.EqualFold(short, "sept") {
			return i + 1, true
		}
	}
	return 0, false
}

var weekdayNames = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func isWeekday(word string) bool {
	for _, long := range weekdayNames {
		if strings.EqualFold(word, long) || strings.EqualFold(word, long[:3]) {
			return true
		}
	}
	return false
}
