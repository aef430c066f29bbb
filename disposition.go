package columntypes

import "time"

// Disposition says what became of one check in one call.
type Disposition string

// The four dispositions. NotApplicable is out of scope by rule; Unreachable should have run and could not.
const (
	CheckedPass   Disposition = "checked-pass"
	CheckedFail   Disposition = "checked-fail"
	NotApplicable Disposition = "not-applicable"
	Unreachable   Disposition = "unreachable"
)

// DispositionRow counts what became of one check. Rows add up over calls, runs and processes.
type DispositionRow struct {
	Check                                         Kind
	Checked, Findings, NotApplicable, Unreachable int
	LastFiredAt                                   time.Time // zero in an Outcome
}
