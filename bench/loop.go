package main

import "github.com/columntypes/columntypes"

// kind is a declared type as the hand-written judges want it: a small number.
type kind uint8

const (
	number kind = iota
	text
	boolean
	date
)

var kinds = map[columntypes.ColumnType]kind{
	columntypes.Number: number, columntypes.String: text, columntypes.Boolean: boolean, columntypes.Date: date,
}

type loopColumn struct {
	name     string
	kind     kind
	nullable bool
}

func loopColumns(columns columntypes.ToolResultColumns) []loopColumn {
	var out []loopColumn
	for _, column := range columns {
		out = append(out, loopColumn{column.Name, kinds[column.Type], column.Nullable})
	}
	return out
}

// loop is the bound of everything that judges decoded rows: what one would write by hand for rows that encoding/json
// has decoded. It says how many cells offend and nothing else.
func loop(rows []map[string]any, columns []loopColumn) (offenders int) {
	for _, row := range rows {
		for i := range columns {
			column := &columns[i]
			ok := false
			switch value := row[column.name].(type) {
			case nil:
				ok = column.nullable
			case float64:
				ok = column.kind == number && value-value == 0 // neither NaN nor infinite
			case string:
				ok = column.kind == text || column.kind == date && isRFC3339(value)
			case bool:
				ok = column.kind == boolean
			}
			if !ok {
				offenders++
			}
		}
	}
	return offenders
}

// isRFC3339 checks the fixed positions of a date and time, and the calendar.
func isRFC3339[T ~string | ~[]byte](s T) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' || s[13] != ':' || s[16] != ':' || !isFullDate(s[:10]) {
		return false
	}
	hour, minute, second := two(s, 11), two(s, 14), two(s, 17)
	if uint(hour) > 23 || uint(minute) > 59 || uint(second) > 59 {
		return false
	}
	rest := s[19:]
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n]-'0' <= 9 {
			n++
		}
		if n == 1 {
			return false
		}
		rest = rest[n:]
	}
	if len(rest) == 1 {
		return rest[0] == 'Z'
	}
	return len(rest) == len("+00:00") && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' &&
		uint(two(rest, 1)) <= 23 && uint(two(rest, 4)) <= 59
}

// isFullDate checks YYYY-MM-DD.
func isFullDate[T ~string | ~[]byte](s T) bool {
	if len(s) != len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := two(s, 0), two(s, 2), two(s, 5), two(s, 8)
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	year += 100 * century
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
	}
	return day <= last
}

// two is the number that two digits make, or -1.
func two[T ~string | ~[]byte](s T, at int) int {
	tens, ones := s[at]-'0', s[at+1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return int(tens)*10 + int(ones)
}
