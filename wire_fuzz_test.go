package columntypes

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertBounded holds whatever was read from elsewhere to everything that a declaration must be.
func assertBounded(t *testing.T, d Declaration) {
	require.NoError(t, AssertResultColumns("t", d.Columns))
	assert.LessOrEqual(t, len(d.Columns), 1000)
	for _, column := range d.Columns {
		assert.LessOrEqual(t, len(column.Name), 256)
	}
	_, wellFormed := pointerTokens(d.RowsAt)
	assert.True(t, wellFormed)
	assert.LessOrEqual(t, len(d.RowsAt), 4096)
}

// FuzzDecodeMetaJSON holds what is read to the bounds, and to being read again from what it is written as.
func FuzzDecodeMetaJSON(f *testing.F) {
	f.Add([]byte(metaFixture))
	for _, line := range foreignBags {
		f.Add([]byte(`{"agentfootprint":` + line.bag + `}`))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		d, err := DecodeMetaJSON("t", wire)
		assertBounded(t, d)
		var meta map[string]any
		if json.Unmarshal(wire, &meta) != nil {
			return
		}
		decoded, decodedErr := DecodeMeta("t", meta)
		if err == nil {
			require.NoError(t, decodedErr, "a Go map is read no more strictly")
			assert.ElementsMatch(t, d.Columns, decoded.Columns)
		}
		assert.Equal(t, d.RowsAt, decoded.RowsAt)
		if d.Columns == nil {
			d = Declaration{} // declares nothing, so nothing is written
		}
		var raw map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(wire, &raw))
		for _, bag := range []any{nil, meta[MetaKey], raw[MetaKey]} {
			filled, err := EncodeMeta(map[string]any{MetaKey: bag}, d)
			if err != nil {
				assert.Zero(t, d, "a bag that something was read from is an object")
				continue
			}
			written, err := json.Marshal(filled)
			require.NoError(t, err)
			again, err := DecodeMetaJSON("t", written)
			require.NoError(t, err)
			assert.Equal(t, d, again, string(written))
		}
	})
}

// FuzzDeclarationFromOutputSchema holds what is read to the bounds, and to being read alike each time.
func FuzzDeclarationFromOutputSchema(f *testing.F) {
	for _, line := range publishedSchemas {
		schema, err := os.ReadFile("testdata/schemas/" + line.file)
		require.NoError(f, err)
		f.Add(schema)
	}
	for _, line := range columnSchemas {
		f.Add([]byte(columnSchema(line.schema, `["c"]`)))
	}
	for _, line := range rowsSchemas {
		f.Add([]byte(strings.ReplaceAll(line.schema, "ROW", rowSchema)))
	}
	f.Add([]byte(unionTower()))
	f.Fuzz(func(t *testing.T, schema []byte) {
		d, err := DeclarationFromOutputSchema("t", schema)
		again, errAgain := DeclarationFromOutputSchema("t", schema)
		assert.Equal(t, d, again)
		assert.Equal(t, err, errAgain)
		if err != nil {
			assert.Zero(t, d)
			var refused *DeclarationError
			require.ErrorAs(t, err, &refused)
			return
		}
		assert.NotEmpty(t, d.Columns)
		assertBounded(t, d)
	})
}
