package columntypes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDates(t *testing.T) {
	type line struct {
		Value string
		Date  bool
	}
	for _, line := range loadVectors[line](t, "dates.json", 183) {
		assert.Equal(t, line.Date, isDate(line.Value), "%q", line.Value)
		assert.Equal(t, line.Date, isDate([]byte(line.Value)), "%q as bytes", line.Value)
	}
}

func TestMoreDates(t *testing.T) {
	tests := []struct {
		reason, value string
		want          bool
	}{
		{"white space of every script is ignored around it", "\u00a0\u30002024-01-02\n", true},
		{"a wrong weekday is not held against it", "Mon Jan 02 2024", true},
		{"month names in capitals", "2 JAN 2024", true},
		{"a 12-hour clock has no 0", "2024-01-02 0:04 AM", false},
		{"one half of the day is enough", "2024-01-02 03:04:05 AM PM", false},
		{"an hour has two digits after a T", "2024-01-02T3:04", false},
		{"an offset goes to 23 hours", "2024-01-02T03:04+24:00", false},
		{"29 February by name", "Feb 29, 2023", false},
		{"a bracket that does not close", "Tue Jan 02 2024 03:04:05 GMT+0000 (UTC", false},
		{"only month and slash", "1/2", false},
		{"a year of three digits", "1/2/024", false},
		{"an offset of 23 hours and 59 minutes", "2024-01-02T03:04:05+23:59", true},
		{"an RFC 3339 offset goes to 23 hours", "2024-01-02T03:04:05+24:00", false},
		{"an offset goes to 59 minutes", "2024-01-02T03:04:05-05:60", false},
		{"so without a colon", "2024-01-02T03:04:05-0560", false},
		{"an offset is not a prefix", "2024-01-02T03:04:05+05:3", false},
		{"noon on a 12-hour clock", "2024-01-02 12:00 PM", true},
		{"1 on a 12-hour clock", "Jan 2, 2024 1:00am", true},
		{"a 12-hour clock ends at 12", "Jan 2, 2024 13:00 AM", false},
		{"AM is no time of day", "2024-01-02 AM", false},
		{"lower-case month names", "2 jan 2024", true},
		{"a long one in lower case", "january 2, 2024", true},
		{"a wrong weekday after all of RFC 1123", "Fri, 02 Jan 2024 03:04:05 GMT", true},
		{"the day ends at 24:00, with zeros", "2024-01-02T24:00:00.000Z", true},
		{"and not after it", "2024-01-02T24:00:00.001Z", false},
		{"a leap second with a fraction", "2016-12-31T23:59:60.5Z", true},
		{"the year 0 is a leap year", "0000-02-29", true},
		{"no year is minus zero", "-000000", false},
		{"a month and year with a time of day", "January 2024 03:04", true},
		{"a year and month", "2024 Jan", true},
		{"a year first, with hyphens", "2024-Jan-02", true},
		{"an offset again, as Go prints it", "2024-01-02 03:04:05 +0000 +0000", true},
		{"two spaces before a time", "2024-01-02  03:04", false},
		{"a byte order mark is not white space", "\ufeff2024-01-02", false},
		{"128 bytes", "2024-01-02T03:04:05." + strings.Repeat("1", 107) + "Z", true},
		{"129 bytes", "2024-01-02T03:04:05." + strings.Repeat("1", 108) + "Z", false},
		{"white space does not count", strings.Repeat(" ", 500) + "2024-01-02" + strings.Repeat("\u3000", 500), true},
		{"a broken character", "2024-01-02\xc2", false},
	}
	for _, test := range tests {
		assert.Equal(t, test.want, isDate(test.value), "%s: %q", test.reason, test.value)
		assert.Equal(t, test.want, isDate([]byte(test.value)), "%s: %q as bytes", test.reason, test.value)
	}
}

// FuzzDate holds that both kinds of text agree, that spaces around a value change nothing, and that nothing panics.
func FuzzDate(f *testing.F) {
	for _, seed := range []string{"", "2024-01-02T03:04:05Z", "1/2/2024, 3:04:05 PM", "2024-01-02 03:04:05 +0530 IST", "(", "Jan",
		"Tue Jan 02 2024 03:04:05 GMT+0000 (Coordinated Universal Time)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		verdict := isDate(value)
		assert.Equal(t, verdict, isDate([]byte(value)), "as bytes")
		assert.Equal(t, verdict, isDate("  "+value+"\t"), "with spaces around it")
		if isPlainDate(value) {
			assert.True(t, isNumericDate(value), "the fast path accepts nothing else")
		}
	})
}
