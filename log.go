package columntypes

import (
	"context"
	"log/slog"
)

// LogObserver gives an [Observer] that writes to a logger: each new finding at Warn, its message with its data as
// attributes; each call that was not judged at Debug, with reason and detail; each row of a report at Info. It never
// logs the result itself. A nil logger is [slog.Default] at the time of each line.
func LogObserver(logger *slog.Logger) Observer { return logObserver{logger} }

type logObserver struct{ logger *slog.Logger }

func (o logObserver) Checked(ctx context.Context, call Call, outcome Outcome) {
	logger := o.current()
	if outcome.NotJudged == "" || !logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attributes := []slog.Attr{slog.String("tool", name(call.ToolName))}
	attributes = appendText(attributes, "callId", name(call.ToolCallID))
	attributes = append(attributes, slog.String("reason", string(outcome.NotJudged)))
	attributes = appendText(attributes, "detail", outcome.Detail)
	logger.LogAttrs(ctx, slog.LevelDebug, "columntypes: a call was not judged", attributes...)
}

func (o logObserver) ContextError(ctx context.Context, finding Finding) {
	event := slog.String("event", EventContextError)
	o.current().LogAttrs(ctx, slog.LevelWarn, finding.Message, append(finding.attributes(), event)...)
}

func (o logObserver) Disposition(ctx context.Context, rows []DispositionRow) {
	event := slog.String("event", EventDisposition)
	for _, row := range rows {
		o.current().LogAttrs(ctx, slog.LevelInfo, "columntypes: disposition", append(row.attributes(), event)...)
	}
}

func (o logObserver) current() *slog.Logger {
	if o.logger == nil {
		return slog.Default()
	}
	return o.logger
}
