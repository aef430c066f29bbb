package columntypes

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDates(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors/dates.json")
	require.NoError(t, err)
	var lines []struct {
		Value string
		Date  bool
	}
	require.NoError(t, json.Unmarshal(data, &lines))
	require.GreaterOrEqual(t, len(lines), 183)
	for _, line := range lines {
		assert.Equal(t, line.Date, isDate(line.Value), "%q", line.Value)
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
	}
	for _, test := range tests {
		assert.Equal(t, test.want, isDate(test.value), "%s: %q", test.reason, test.value)
	}
}

// FuzzDate holds that spaces around a value change nothing, and that nothing panics.
func FuzzDate(f *testing.F) {
	f.Add("2024-01-02T03:04:05Z")
	f.Add("Tue Jan 02 2024 03:04:05 GMT+0000 (Coordinated Universal Time)")
	f.Fuzz(func(t *testing.T, value string) {
		assert.Equal(t, isDate(value), isDate("  "+value+"\t"))
	})
}
