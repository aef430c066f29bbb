package columntypes

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"
)

// Disposition says what became of one check in one call.
type Disposition string

// The four dispositions. NotApplicable is out of scope by rule; Unreachable should have run and could not.
const (
	CheckedPass   Disposition = "checked-pass"
	CheckedFail   Disposition = "checked-fail"
	NotApplicable Disposition = "not-applicable"
	Unreachable   Disposition = "unreachable"
)

// DispositionRow counts what became of one check. Rows add up over calls, runs and processes. The zero value counts
// nothing.
type DispositionRow struct {
	Check         Kind
	Checked       int       // calls that the check judged
	Findings      int       // of these, the calls in which it found something; repeats count
	NotApplicable int       // calls out of its scope
	Unreachable   int       // calls that it should have judged and could not
	LastFiredAt   time.Time // when it last found something; zero until then, and in an Outcome
}

// Add gives the sum of two rows and changes neither. It keeps the later LastFiredAt. A sum too large for an int is
// the largest int, and a negative count counts as none, so that no row takes away what another has counted. The sum
// is of the receiver's Check, or of the argument's where the receiver has none: whether the two belong together is
// the caller's to know.
func (r DispositionRow) Add(other DispositionRow) DispositionRow {
	r.Check = cmp.Or(r.Check, other.Check)
	r.Checked = addCounts(r.Checked, other.Checked)
	r.Findings = addCounts(r.Findings, other.Findings)
	r.NotApplicable = addCounts(r.NotApplicable, other.NotApplicable)
	r.Unreachable = addCounts(r.Unreachable, other.Unreachable)
	if other.LastFiredAt.After(r.LastFiredAt) {
		r.LastFiredAt = other.LastFiredAt
	}
	return r
}

func addCounts(a, b int) int {
	a, b = max(a, 0), max(b, 0)
	return a + min(b, math.MaxInt-a)
}

// countsNothing tells a row that stands for no call at all.
func (r *DispositionRow) countsNothing() bool {
	return r.Checked == 0 && r.Findings == 0 && r.NotApplicable == 0 && r.Unreachable == 0
}

// seam is where in a run both checks sit: written as "write", and whatever stands there is ignored when read.
type seam struct{}

func (seam) MarshalJSON() ([]byte, error) { return []byte(`"write"`), nil }

func (*seam) UnmarshalJSON([]byte) error { return nil }

// dispositionJSON is a row as it travels. A count of 0 is a meaning and is always written.
type dispositionJSON struct {
	Check         Kind   `json:"check"`
	Seam          seam   `json:"seam"`
	Checked       int    `json:"checked"`
	Findings      int    `json:"findings"`
	NotApplicable int    `json:"notApplicable"`
	Unreachable   int    `json:"unreachable"`
	LastFiredAt   *int64 `json:"lastFiredAt,omitempty"` // epoch milliseconds; 0 is the epoch, absent is never
}

// MarshalJSON writes every count, and LastFiredAt in whole epoch milliseconds unless it is zero.
func (r DispositionRow) MarshalJSON() ([]byte, error) {
	wire := dispositionJSON{
		Check: r.Check, Checked: r.Checked, Findings: r.Findings, NotApplicable: r.NotApplicable, Unreachable: r.Unreachable,
	}
	if !r.LastFiredAt.IsZero() {
		milliseconds := r.LastFiredAt.UnixMilli()
		wire.LastFiredAt = &milliseconds
	}
	return json.Marshal(wire)
}

// UnmarshalJSON reads what MarshalJSON writes and replaces the whole row; an absent count is 0, an absent lastFiredAt
// the zero time. Unknown members and the seam are ignored, null does nothing. A count that is negative or no whole
// number, or a lastFiredAt that is no whole number, is an error, and the row stays as it was.
func (r *DispositionRow) UnmarshalJSON(wire []byte) error {
	if string(bytes.TrimSpace(wire)) == "null" {
		return nil
	}
	var read dispositionJSON
	if err := json.Unmarshal(wire, &read); err != nil {
		return unreadable("disposition row", "counts and lastFiredAt are whole numbers, and check is a string", err)
	}
	if min(read.Checked, read.Findings, read.NotApplicable, read.Unreachable) < 0 {
		return fmt.Errorf("columntypes: disposition row of check %s: a count is negative: counts are whole numbers from 0 on", quote(string(read.Check)))
	}
	*r = DispositionRow{
		Check: read.Check, Checked: read.Checked, Findings: read.Findings, NotApplicable: read.NotApplicable, Unreachable: read.Unreachable,
	}
	if read.LastFiredAt != nil {
		r.LastFiredAt = time.UnixMilli(*read.LastFiredAt)
	}
	return nil
}

// unreadable words an error of encoding/json, which quotes what it read at any length.
func unreadable(noun, rule string, err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("columntypes: %s: %s holds a JSON %s: %s", noun, quote(wrong.Field), clip(wrong.Value), rule)
	}
	return fmt.Errorf("columntypes: %s: %w", noun, err)
}

// LogValue makes the row a group of attributes. LastFiredAt is left out until the check has fired.
func (r DispositionRow) LogValue() slog.Value { return slog.GroupValue(r.attributes()...) }

func (r *DispositionRow) attributes() []slog.Attr {
	attributes := []slog.Attr{
		slog.String("check", clip(string(r.Check))),
		slog.String("seam", "write"),
		slog.Int("checked", r.Checked),
		slog.Int("findings", r.Findings),
		slog.Int("notApplicable", r.NotApplicable),
		slog.Int("unreachable", r.Unreachable),
	}
	if !r.LastFiredAt.IsZero() {
		attributes = append(attributes, slog.Time("lastFiredAt", r.LastFiredAt))
	}
	return attributes
}

// Ledger counts the outcomes of one run and knows which findings it has seen. The zero value is ready for use. A
// Ledger is safe for concurrent use and must not be copied after its first use. A nil *Ledger keeps nothing: every
// finding is new to it.
type Ledger struct {
	mu    sync.Mutex
	rows  [len(checks)]DispositionRow // in the order of checks
	filed map[identity]struct{}
}

// checks are both kinds, in the order of every report.
var checks = [...]Kind{KindColumnTypeMismatch, KindMissingColumn}

// mostIdentities bounds what a ledger remembers; tool and column names may come from a stranger.
const mostIdentities = 4096

// identity is what makes two findings the same defect.
type identity struct {
	kind, tool, column string
}

func identityOf(f *Finding) identity {
	return identity{remembered(string(f.Kind)), remembered(f.ToolName), remembered(f.Violation.Column)}
}

// longestRemembered is the longest name, in bytes, that a ledger keeps as it is.
const longestRemembered = 64

// remembered puts a digest in the place of a long name. The digest's form is longer than any name that is kept as it
// is, so that the two are never equal.
func remembered(name string) string {
	if len(name) <= longestRemembered {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	return "sha256:" + hex.EncodeToString(digest[:])
}

// File counts an outcome, stamps LastFiredAt of the checks that fired, and gives the findings whose kind, tool and
// column are new to this ledger: nil where none are. A ledger remembers 4,096 of these identities; findings beyond
// them are given as new each time, and none is ever dropped. The findings share their maps with the outcome. Rows of
// an outcome that are of neither check, as in the zero Outcome, are not counted.
func (l *Ledger) File(outcome Outcome) []Finding {
	if l == nil {
		return outcome.Findings
	}
	for i := range outcome.Dispositions {
		if row := &outcome.Dispositions[i]; row.Findings > 0 {
			row.LastFiredAt = time.Now().Round(0) // without the monotonic reading, which would not survive JSON
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(outcome.Dispositions[:])
	var unseen []Finding
	for i := range outcome.Findings {
		if l.isNew(&outcome.Findings[i]) {
			unseen = append(unseen, outcome.Findings[i])
		}
	}
	return unseen
}

func (l *Ledger) add(rows []DispositionRow) {
	for _, row := range rows {
		for i, check := range checks {
			if row.Check == check {
				l.rows[i] = l.rows[i].Add(row)
			}
		}
	}
}

// isNew remembers the finding where there is room to.
func (l *Ledger) isNew(f *Finding) bool {
	id := identityOf(f)
	if _, seen := l.filed[id]; seen {
		return false
	}
	if len(l.filed) < mostIdentities {
		if l.filed == nil {
			l.filed = map[identity]struct{}{}
		}
		// A name may be part of a long text, which must not live on for it.
		id.kind, id.tool, id.column = strings.Clone(id.kind), strings.Clone(id.tool), strings.Clone(id.column)
		l.filed[id] = struct{}{}
	}
	return true
}

// Report gives both rows, column-type-mismatch first, as they stand; the slice is the caller's own. A check of which
// nothing was counted is never absent: its row says NotApplicable 1.
func (l *Ledger) Report() []DispositionRow {
	rows := make([]DispositionRow, len(checks))
	if l != nil {
		l.mu.Lock()
		copy(rows, l.rows[:])
		l.mu.Unlock()
	}
	for i := range rows {
		rows[i].Check = checks[i]
		if rows[i].countsNothing() {
			rows[i].NotApplicable = 1
		}
	}
	return rows
}

// Merge adds rows of other ledgers to this one, which is how a process adds up its runs; findings are not among them,
// so what File gives does not change. Rows of a check that is neither of the two are ignored. The report of a ledger
// that nothing was filed in counts as what it says, one NotApplicable.
func (l *Ledger) Merge(rows []DispositionRow) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(rows)
}
