package columntypes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the README shows as code or output stands in an example that is compiled, run and compared, or in a golden file.
func TestREADMEShowsWhatRuns(t *testing.T) {
	var run strings.Builder
	for _, pattern := range []string{"*example_test.go", "examples/*/output.txt", "testdata/golden/*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			run.WriteString(flat(string(text)))
		}
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.GreaterOrEqual(t, len(blocks), 10)
	for _, block := range blocks {
		if !strings.HasPrefix(block[1], "go ") { // a command
			assert.True(t, strings.Contains(run.String(), flat(block[1])), "nothing that runs has:\n%s", block[1])
		}
	}
	assert.Contains(t, string(readme), ColumnTypeCeiling)
}

// flat leaves out how a text is laid out, and the marks of a comment.
func flat(text string) string {
	text = regexp.MustCompile(`(?m)^\s*// `).ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), "")
}
