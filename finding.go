package columntypes

// Kind names one of the two checks, and the findings that it files.
type Kind string

// The two checks.
const (
	KindColumnTypeMismatch Kind = "column-type-mismatch"
	KindMissingColumn      Kind = "missing-column"
)

// Finding is one column of one call that does not hold what was declared.
type Finding struct {
	Kind                 Kind
	ToolName, ToolCallID string
	Epoch                int
	Message              string
	Violation            ColumnViolation
}

// ColumnViolation is the data behind a finding's message.
type ColumnViolation struct {
	Column                 string
	Declared               ColumnType
	Nullable               bool
	Rows, OfRows, FirstRow int            // FirstRow is the 0-based index of the first offender
	Got, GoType, Sample    string         // of the first offender; GoType only where Got does not say it plainly
	Held                   map[string]int // offending rows by Got word
	NearMiss               string         // missing-column only: an undeclared key that is nearly the column's name
}
