package fieldtests

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the sections of docs/drivers.md that ran")

const page = "../docs/drivers.md"

// sections are the parts of the page that tests write; what stands around them is written by hand.
var sections = []string{
	"pgx-maps", "pgx-structs", "pq", "sqlx", "mariadb-text", "mariadb-prepared", "sqlite",
	"values", "protojson", "mongodb", "warehouses",
}

func markers(section string) (begin, end string) {
	return "<!-- " + section + ": written by go test -C fieldtests . -update -->\n", "<!-- end of " + section + " -->\n"
}

// holdPage compares a section of the page with what was observed, or rewrites it.
func holdPage(t *testing.T, section string, observations []observation) {
	t.Helper()
	require.Contains(t, sections, section)
	require.NotEmpty(t, observations)
	begin, end := markers(section)
	before, rest, found := strings.Cut(readPage(t), begin)
	require.True(t, found, "%s has no line %s", page, begin)
	written, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no line %s", page, end)
	table := tableOf(observations)
	if *update {
		if t.Failed() {
			return // what did not hold is not written down
		}
		require.NoError(t, os.WriteFile(page, []byte(before+begin+table+end+after), 0o644))
		return
	}
	assert.Equal(t, table, written, "section %s of docs/drivers.md is stale: go test -C fieldtests . -update", section)
}

func tableOf(observations []observation) string {
	var b strings.Builder
	b.WriteString("\n| column | Go type | JSON |")
	for _, word := range columntypes.ColumnTypes() {
		fmt.Fprintf(&b, " %s |", word)
	}
	b.WriteString(" a message says | what to do |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, o := range observations {
		fmt.Fprintf(&b, "| %s | %s | %s |", escapeCell(o.column), code(o.goType), code(o.json))
		for _, word := range columntypes.ColumnTypes() {
			fmt.Fprintf(&b, " %s |", verdictWord(o.passes[word], word == o.intended))
		}
		fmt.Fprintf(&b, " %s | %s |\n", code(o.says), escapeCell(o.fix))
	}
	b.WriteString("\n")
	return b.String()
}

// verdictWord is one verdict; the word that the column's author would declare is in bold.
func verdictWord(passes, intended bool) string {
	word := "no"
	if passes {
		word = "yes"
	}
	if intended {
		return "**" + word + "**"
	}
	return word
}

func code(text string) string {
	if text == "" {
		return "none"
	}
	return "`" + escapeCell(text) + "`"
}

func escapeCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func readPage(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	return string(content)
}

func TestPageHasEachSectionOnce(t *testing.T) {
	var found []string
	for _, match := range regexp.MustCompile(`(?m)^<!-- ([a-z-]+): written by`).FindAllStringSubmatch(readPage(t), -1) {
		found = append(found, match[1])
	}
	assert.Equal(t, sections, found, "what no test writes would never be found stale")
}

// The index at the head of the page is written by hand: it knows each Go type that a message about a driver's habit
// names, and no other.
func TestIndexKnowsEachGoType(t *testing.T) {
	index, tables, found := strings.Cut(readPage(t), "<!-- "+sections[0])
	require.True(t, found)
	named := regexp.MustCompile("`([a-zA-Z ]+, Go [^`]+)`") // null needs one line for every type
	var indexed, needed []string
	for _, match := range named.FindAllStringSubmatch(index, -1) {
		indexed = append(indexed, match[1])
	}
	for row := range strings.Lines(tables) {
		match := named.FindStringSubmatch(row)
		if match != nil && !strings.HasPrefix(match[1], "null,") && strings.Contains(row, "| **no** |") && !slices.Contains(needed, match[1]) {
			needed = append(needed, match[1])
		}
	}
	assert.ElementsMatch(t, needed, indexed)
}
