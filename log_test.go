package columntypes

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dateless drops the time of a line and writes other times in UTC, so that a log is the same on every machine.
func dateless(groups []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey && len(groups) == 0:
		return slog.Attr{}
	case a.Value.Kind() == slog.KindTime:
		return slog.Time(a.Key, a.Value.Time().UTC())
	}
	return a
}

// aRun is one call of each sort, and the report.
func aRun(ctx context.Context, observer Observer) {
	boundary := Boundary{Mode: Warn, Observer: observer}
	stranger := Call{ToolName: "t'\n" + strings.Repeat("x", 200), ToolCallID: "id'\u202e", Columns: ToolResultColumns{{Name: "n\u200b", Type: Number, Nullable: true}}}
	for _, call := range []Call{
		fieldCall, fieldCall,
		{ToolName: "clean", Columns: lun, Text: `[{"logical_unit_number":0,"host_group":""}]`},
		{ToolName: "missing", Columns: lun[1:], Text: `[{"Host Group":1}]`},
		{ToolName: "typed", ToolCallID: "call-5", Columns: lun[:1], Result: []map[string]any{{"logical_unit_number": []byte("7")}}},
		{ToolName: "prose", ToolCallID: "call-6", Columns: lun, Result: "no rows"},
		{ToolName: "silent"},
		{ToolName: "careless", Columns: ToolResultColumns{}},
	} {
		boundary.Check(ctx, call)
	}
	stranger.Text = `[{"n\u200b":"\u202e"}]`
	boundary.Check(ctx, stranger)
	boundary.Report(ctx)
}

func TestLogObserver(t *testing.T) {
	options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: dateless}
	var asJSON, asText bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		aRun(t.Context(), LogObserver(slog.New(slog.NewJSONHandler(&asJSON, options))))
		aRun(t.Context(), LogObserver(slog.New(slog.NewTextHandler(&asText, options))))
	})
	holdToGolden(t, "log.jsonl", asJSON.Bytes())
	holdToGolden(t, "log.txt", asText.Bytes())
	assert.Equal(t, strings.Count(asText.String(), "\n"), strings.Count(asJSON.String(), "\n"), "no text from outside breaks a line")
}

func TestLogObserverLevels(t *testing.T) {
	for level, want := range map[slog.Level]map[string]int{
		slog.LevelDebug: {"DEBUG": 3, "WARN": 4, "INFO": 2},
		slog.LevelInfo:  {"WARN": 4, "INFO": 2},
		slog.LevelWarn:  {"WARN": 4},
		slog.LevelError: {},
	} {
		var logged bytes.Buffer
		aRun(t.Context(), LogObserver(slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: level}))))
		got := map[string]int{}
		for decoder := json.NewDecoder(&logged); decoder.More(); {
			var line struct{ Level string }
			require.NoError(t, decoder.Decode(&line))
			got[line.Level]++
		}
		assert.Equal(t, want, got, "a logger at %v", level)
	}
}

func TestLogObserverWithoutALogger(t *testing.T) {
	observer := LogObserver(nil)
	var first, second bytes.Buffer
	for _, logged := range []*bytes.Buffer{&first, &second} {
		withDefaultLogger(t, slog.NewTextHandler(logged, nil))
		aRun(t.Context(), observer)
	}
	assert.Equal(t, 6, strings.Count(first.String(), "\n"))
	assert.Equal(t, 6, strings.Count(second.String(), "\n"), "the default at the time of each line")
}

func TestLogValues(t *testing.T) {
	var logged bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{ReplaceAttr: dateless}))
	synctest.Test(t, func(t *testing.T) {
		var ledger Ledger
		finding := ledger.File(Check(Warn, fieldCall))[0]
		logger.Info("a host's own line", "finding", finding, "row", ledger.Report()[0], "quiet", ledger.Report()[1])
		logger.Info("by pointer", "finding", &finding, "row", &ledger.Report()[0])
	})
	holdToGolden(t, "log_values.jsonl", logged.Bytes())
}
