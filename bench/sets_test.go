package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSetsAreTheSameEverywhere(t *testing.T) {
	want := map[string]string{
		"S clean":    "e34fe7cf85f9abd6",
		"S bad":      "6d3d0c78476f7cb6",
		"S indented": "2fde3fbf6ec8ddfa",
		"S shuffled": "680ec7d8e7a98c18",
		"M clean":    "1aa5af32a0b5716d",
		"M bad":      "403b7610827985bf",
		"M indented": "7a918082b9464ed4",
		"M shuffled": "b75b89fc48891fd4",
		"L clean":    "16a38bb8dd154b56",
		"L bad":      "fbfccd273181101f",
		"L indented": "6aa5e2b1fedadde9",
		"L shuffled": "4f9c4aaecf3c9d15",
		"W clean":    "00587f28ef286466",
		"W bad":      "78798916219d5572",
		"W indented": "6aaf59b517b10b5e",
		"W shuffled": "8d67255a8c1e3c6f",
	}
	for _, s := range shapes {
		for _, v := range variants {
			name := s.name + " " + string(v)
			assert.Equal(t, want[name], fmt.Sprintf("%x", sha256.Sum256(makeSet(s, v).text))[:16], name)
		}
	}
}

func TestVariantsHoldTheSameRows(t *testing.T) {
	for _, s := range []shape{shapes[0], shapes[1], shapes[3]} {
		want, err := decodeAs[[]map[string]any](makeSet(s, clean))
		require.NoError(t, err)
		require.Len(t, want, s.rows)
		for _, v := range variants {
			t.Run(s.name+" "+string(v), func(t *testing.T) {
				made := makeSet(s, v)
				rows, err := decodeAs[[]map[string]any](made)
				require.NoError(t, err)
				offenders := 0
				for i, row := range rows {
					if len(row) != len(s.columns) {
						t.Fatalf("row %d has %d keys", i, len(row))
					}
					if _, spoilt := row["capacity_gb"].(string); spoilt {
						offenders++
						row["capacity_gb"] = want[i]["capacity_gb"]
					}
				}
				assert.Equal(t, want, rows)
				assert.Equal(t, made.offenders, offenders)
				switch {
				case v != bad:
					assert.Zero(t, offenders)
				case s.name == "S":
					assert.Equal(t, 1, offenders)
				default:
					assert.InEpsilon(t, float64(s.rows)/10, offenders, 0.15)
				}
			})
		}
	}
}

func TestShuffledAndIndentedDifferFromCleanAsTheySay(t *testing.T) {
	plain := makeSet(shapes[1], clean).text
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, makeSet(shapes[1], indented).text))
	assert.Equal(t, string(plain), compact.String())
	assert.Len(t, makeSet(shapes[1], shuffled).text, len(plain))
	assert.NotEqual(t, string(plain), string(makeSet(shapes[1], shuffled).text))
}

func TestIsRFC3339(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         bool
	}{
		{"UTC", "2024-02-29T23:59:59Z", true},
		{"an offset", "2024-12-31T00:00:00-09:30", true},
		{"a fraction", "2024-01-02T03:04:05.123456789+00:00", true},
		{"no such day", "2023-02-29T00:00:00Z", false},
		{"no leap year", "1900-02-29T00:00:00Z", false},
		{"a leap year", "2000-02-29T00:00:00Z", true},
		{"no such day in a short month", "2024-06-31T00:00:00Z", false},
		{"no month", "2024-00-10T00:00:00Z", false},
		{"no day", "2024-01-00T00:00:00Z", false},
		{"no such hour", "2024-01-02T24:00:00Z", false},
		{"no such minute", "2024-01-02T03:60:05Z", false},
		{"no zone", "2024-01-02T03:04:05", false},
		{"an empty fraction", "2024-01-02T03:04:05.Z", false},
		{"a fraction and no zone", "2024-01-02T03:04:05.123", false},
		{"no such offset", "2024-01-02T03:04:05+24:00", false},
		{"half an offset", "2024-01-02T03:04:05+09", false},
		{"a letter for a digit", "2024-01-02T03:O4:05Z", false},
		{"more after the end", "2024-01-02T03:04:05Z ", false},
		{"a day alone", "2024-01-02", false},
		{"nothing", "", false},
	} {
		assert.Equal(t, c.want, isRFC3339(c.text), c.reason)
	}
}
