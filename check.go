package columntypes

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/columntypes/columntypes/internal/rawrows"
)

// Mode is the dial of the check. The zero value is Off.
type Mode uint8

// The three settings of the dial.
const (
	Off     Mode = iota // nothing is measured
	Warn                // findings are filed, the model reads the rows exactly as returned
	Enforce             // findings are filed, and one sentence replaces the rows
)

var modeWords = [...]string{Off: "off", Warn: "warn", Enforce: "enforce"}

// ParseMode reads one of the words off, warn and enforce. Any other word is an error that names all three.
func ParseMode(word string) (Mode, error) {
	for mode, known := range modeWords {
		if word == known {
			return Mode(mode), nil
		}
	}
	return Off, fmt.Errorf("columntypes: no mode %s: use off, warn or enforce", quote(word))
}

// String gives the mode's word, or Mode(n) for a value that is none of the three.
func (m Mode) String() string {
	if int(m) < len(modeWords) {
		return modeWords[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// MarshalText gives the mode's word; a value that is none of the three is an error.
func (m Mode) MarshalText() ([]byte, error) {
	if int(m) >= len(modeWords) {
		return nil, fmt.Errorf("columntypes: no %v: use off, warn or enforce", m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what ParseMode reads.
func (m *Mode) UnmarshalText(text []byte) error {
	mode, err := ParseMode(string(text))
	if err != nil {
		return err
	}
	*m = mode
	return nil
}

// Call is one tool call's result with what its tool declared. Check only reads it.
type Call struct {
	ToolName, ToolCallID string
	Columns              ToolResultColumns // nil: the tool declares nothing
	RowsAt               string            // JSON Pointer (RFC 6901) to the rows inside the result; "" is the result itself
	Result               any               // what the tool returned, or a RowsetReading
	Text                 string            // the result as JSON text; used when Result is nil
	Epoch                int               // the run's iteration, if the host counts them
	RedactSamples        bool              // keep the text of cells and undeclared keys out of the outcome
}

// Status is what a host may route by.
type Status string

// The two statuses. StatusInvalid means that the refusal replaced the rows.
const (
	StatusOK      Status = "ok"
	StatusInvalid Status = "invalid"
)

// Reason says why a call was not judged. The zero value means that it was.
type Reason string

// Why a call was not judged.
const (
	ReasonOff            Reason = "off"
	ReasonUndeclared     Reason = "undeclared"
	ReasonNotRowset      Reason = "not-a-rowset"
	ReasonEmpty          Reason = "empty"
	ReasonNotJSON        Reason = "not-json"
	ReasonNoRowsAt       Reason = "no-rows-at"
	ReasonBadDeclaration Reason = "bad-declaration"
	ReasonBadMode        Reason = "bad-mode"
	ReasonFailed         Reason = "failed"
)

// unreachable tells the reasons that should have been a verdict from those that are out of scope by rule.
func (r Reason) unreachable() bool {
	return r == ReasonBadDeclaration || r == ReasonBadMode || r == ReasonFailed
}

// Outcome is the verdict of one call. The zero value is not one that Check returns.
type Outcome struct {
	Findings     []Finding         // in declaration order
	Dispositions [2]DispositionRow // column-type-mismatch, missing-column: always both, one encounter each
	Refusal      string            // "" unless enforce found something
	NotJudged    Reason            // "" when judged
	Detail       string            // why not judged, for a person
}

// Disposition says what became of one check; a kind that is none of the two gives "".
func (o Outcome) Disposition(kind Kind) Disposition {
	for _, row := range o.Dispositions {
		switch {
		case row.Check != kind:
		case row.Findings > 0:
			return CheckedFail
		case row.Checked > 0:
			return CheckedPass
		case row.Unreachable > 0:
			return Unreachable
		default:
			return NotApplicable
		}
	}
	return ""
}

// Status is StatusInvalid where a refusal replaces the rows.
func (o Outcome) Status() Status {
	if o.Refusal != "" {
		return StatusInvalid
	}
	return StatusOK
}

// Payload gives what the model may read: the result itself, untouched, or the refusal.
func (o Outcome) Payload(result any) any {
	if o.Refusal != "" {
		return o.Refusal
	}
	return result
}

// Check judges one call. It keeps no state, reads no clock and does no I/O; it is safe for concurrent use as long as
// nobody writes to the call's values meanwhile. It never panics: a failure below it becomes ReasonFailed.
func Check(mode Mode, call Call) Outcome {
	switch {
	case mode == Off:
		return outcomeOff
	case mode > Enforce:
		return notJudged(ReasonBadMode, "the mode is "+mode.String()+": use off, warn or enforce")
	case call.Columns == nil:
		return outcomeUndeclared
	}
	if err := AssertResultColumns(call.ToolName, call.Columns); err != nil {
		return notJudged(ReasonBadDeclaration, err.Error())
	}
	findings, reason, detail := contained(&call)
	if reason != "" {
		return notJudged(reason, detail)
	}
	outcome := outcomePassed
	if len(findings) > 0 {
		outcome.fail(mode, call.ToolName, findings)
	}
	return outcome
}

var (
	outcomeOff        = notJudged(ReasonOff, "")
	outcomeUndeclared = notJudged(ReasonUndeclared, "")
	outcomePassed     = Outcome{Dispositions: bothChecks(DispositionRow{Checked: 1})}
)

func notJudged(reason Reason, detail string) Outcome {
	row := DispositionRow{NotApplicable: 1}
	if reason.unreachable() {
		row = DispositionRow{Unreachable: 1}
	}
	return Outcome{NotJudged: reason, Detail: detail, Dispositions: bothChecks(row)}
}

func bothChecks(row DispositionRow) (rows [2]DispositionRow) {
	for i, check := range checks {
		row.Check = check
		rows[i] = row
	}
	return rows
}

// fail files findings in an outcome that has passed so far, and says them.
func (o *Outcome) fail(mode Mode, tool string, findings []Finding) {
	o.Findings = findings
	for i := range findings {
		findings[i].Message = message(mode, &findings[i])
		for c, check := range checks {
			if findings[i].Kind == check {
				o.Dispositions[c].Findings = 1
			}
		}
	}
	if mode == Enforce {
		o.Refusal = refusal(tool, findings)
	}
}

// contained turns a panic of a value's own code into a reason.
func contained(call *Call) (findings []Finding, reason Reason, detail string) {
	defer func() {
		if recovered := recover(); recovered != nil {
			findings, reason = nil, ReasonFailed
			detail = fmt.Sprintf("the check failed on a value of the result (a panic with a Go %T)", recovered)
		}
	}()
	return judge(call)
}

// judge finds out what the rows are: JSON text, or Go values. The findings have no message yet.
func judge(call *Call) ([]Finding, Reason, string) {
	if reading, ok := call.Result.(RowsetReading); ok {
		if call.RowsAt != "" {
			return nil, ReasonNoRowsAt, "a RowsetReading is rows already: leave RowsAt empty"
		}
		return judgeReading(call, &reading)
	}
	pointer, wellFormed := pointerTokens(call.RowsAt)
	if call.Result == nil {
		if call.Text == "" {
			return nil, ReasonNotRowset, "nothing: Result is nil and Text is empty"
		}
		return judgeText(call, call.Text, pointer, wellFormed)
	}
	if raw, ok := call.Result.(json.RawMessage); ok {
		return judgeText(call, []byte(raw), pointer, wellFormed)
	}
	if !wellFormed {
		return nil, ReasonNoRowsAt, malformedPointer(call.RowsAt)
	}
	result := call.Result
	if len(pointer) > 0 {
		found, rest, ok := resolve(result, pointer)
		if !ok {
			return nil, ReasonNoRowsAt, leadsNowhere(call.RowsAt, rest[0])
		}
		if raw, ok := found.(json.RawMessage); ok {
			return judgeText(call, []byte(raw), rest, true)
		}
		result = found
	}
	reading, reason, detail := readResult(result)
	if reason != "" {
		return nil, reason, detail
	}
	return judgeReading(call, &reading)
}

func judgeReading(call *Call, reading *RowsetReading) ([]Finding, Reason, string) {
	switch {
	case reading.raw != nil:
		return judgeText(call, []byte(reading.raw), nil, true)
	case reading.length == 0:
		return nil, ReasonNotRowset, "an empty RowsetReading"
	}
	var few [fewColumns]rawrows.Column
	asked := few[:]
	if len(call.Columns) > fewColumns {
		asked = make([]rawrows.Column, len(call.Columns))
	}
	asked = asked[:len(call.Columns)]
	askAll(asked, call.Columns)
	from := reading.plainRows(asked)
	if from == reading.length {
		return nil, "", ""
	}
	return judgeRows(call, reading, asked, from), "", ""
}

// judgeRows counts the cells of the rows that are left. It is apart from judgeReading so that rows which satisfy at a
// glance cost no tallies.
func judgeRows(call *Call, reading *RowsetReading, asked []rawrows.Column, from int) []Finding {
	var few [fewColumns]tally
	tallies := few[:]
	if len(asked) > fewColumns {
		tallies = make([]tally, len(asked))
	}
	tallies = tallies[:len(asked)]
	reading.judge(call.Columns, asked, tallies, from)
	for c := range tallies {
		if t := &tallies[c]; t.offenders > 0 || t.absent == reading.length {
			return findings(call, reading.length, tallies, reading.keys)
		}
	}
	return nil
}

// judgeText judges JSON text in one pass; a pointer that is not well formed is only said to be so of text that is JSON.
func judgeText[T rawrows.Text](call *Call, text T, pointer []string, wellFormed bool) ([]Finding, Reason, string) {
	work := rawrows.Take(len(call.Columns))
	askAll(work.Columns, call.Columns)
	answer := rawrows.Judge(text, pointer, isDate[T], work)
	findings, reason, detail := sayText(call, text, pointer, wellFormed, answer, work.Tallies)
	work.Give() // but not after a panic
	return findings, reason, detail
}

// sayText says what is wrong with a text, or with its rows.
func sayText[T rawrows.Text](call *Call, text T, pointer []string, wellFormed bool, answer rawrows.Answer, tallies []rawrows.Tally) ([]Finding, Reason, string) {
	switch {
	case answer.State == rawrows.NotJSON:
		return nil, ReasonNotJSON, syntaxDetail(text, answer.At, call.RedactSamples)
	case !wellFormed:
		return nil, ReasonNoRowsAt, malformedPointer(call.RowsAt)
	case answer.State == rawrows.NotFound:
		return nil, ReasonNoRowsAt, leadsNowhere(call.RowsAt, pointer[answer.Found])
	case answer.State == rawrows.NotRows:
		return nil, ReasonNotRowset, otherThanRows(answer)
	case answer.State == rawrows.Empty:
		return nil, ReasonEmpty, zeroRows
	}
	for c := range tallies {
		if t := &tallies[c]; t.Offenders > 0 || t.Absent == answer.Rows {
			return findings(call, answer.Rows, fromText(text, tallies), keysOfText(text, answer.Start)), "", ""
		}
	}
	return nil, "", ""
}

// askAll says in the scanner's terms what satisfies each column.
func askAll(asked []rawrows.Column, columns ToolResultColumns) {
	for c := range columns {
		column := &columns[c]
		accepts := rawrows.Accept(rawrows.String)
		switch column.Type {
		case Number:
			accepts = rawrows.Accept(rawrows.Number)
		case Boolean:
			accepts = rawrows.Accept(rawrows.Boolean)
		}
		if column.Nullable {
			accepts |= rawrows.Accept(rawrows.Null) | rawrows.Accept(rawrows.Missing)
		}
		asked[c] = rawrows.Column{Name: column.Name, Accepts: accepts, Date: column.Type == Date}
	}
}

// tally is what one declared column's cells came to.
type tally struct {
	absent    int // rows without the key, whether or not the column accepts that
	offenders int
	firstRow  int
	first     cell
	held      [holdings]int
}

// fewColumns is how many tallies fit on the stack, so that a clean check allocates nothing.
const fewColumns = 8

// heldByText is what the scanner's kinds are called here.
var heldByText = [rawrows.Kinds]holding{
	rawrows.Missing: holdsMissing, rawrows.Null: holdsNull, rawrows.String: holdsString, rawrows.Number: holdsNumber,
	rawrows.Boolean: holdsBoolean, rawrows.Object: holdsObject, rawrows.Array: holdsArray, rawrows.Beyond: holdsBeyond,
}

// fromText looks at the first offender of each column, and only at that.
func fromText[T rawrows.Text](text T, counted []rawrows.Tally) []tally {
	tallies := make([]tally, len(counted))
	for c := range counted {
		from, t := &counted[c], &tallies[c]
		t.absent, t.offenders, t.firstRow = from.Absent, from.Offenders, from.FirstRow
		for kind, count := range from.Held {
			t.held[heldByText[kind]] = count
		}
		if from.Offenders > 0 && from.FirstKind != rawrows.Missing {
			t.first = inspectEncoded([]byte(text[from.Start:from.End]))
		}
	}
	return tallies
}

// findings are of each column that is in no row or has offenders.
func findings(call *Call, rows int, tallies []tally, keys iter.Seq[[]string]) (found []Finding) {
	var near map[string]string
	for c := range call.Columns {
		switch column := &call.Columns[c]; {
		case tallies[c].absent == rows:
			if near == nil {
				near = nearMisses(call.Columns, keys)
			}
			found = append(found, missingColumn(call, column, rows, near))
		case tallies[c].offenders > 0:
			found = append(found, mismatch(call, column, &tallies[c], rows))
		}
	}
	return found
}

// count files one cell. A key that is absent counts as an offender here; a column with no key at all is told apart
// at the end.
func (t *tally) count(column *ColumnDeclaration, rowIndex int, found *cell) {
	if found.holds == holdsMissing {
		t.absent++
	}
	if found.satisfies(column) {
		return
	}
	if t.offenders == 0 {
		t.firstRow, t.first = rowIndex, *found
	}
	t.offenders++
	t.held[found.holds]++
}

func mismatch(call *Call, column *ColumnDeclaration, t *tally, rows int) Finding {
	held := map[string]int{}
	for h, count := range t.held {
		if count > 0 {
			held[holding(h).String()] = count
		}
	}
	return newFinding(call, KindColumnTypeMismatch, ColumnViolation{
		Column: column.Name, Declared: column.Type, Nullable: column.Nullable,
		Rows: t.offenders, OfRows: rows, FirstRow: t.firstRow,
		Got: t.first.holds.String(), GoType: t.first.goType(), Sample: sample(t.first, call.RedactSamples),
		Held: held,
	})
}

func missingColumn(call *Call, column *ColumnDeclaration, rows int, near map[string]string) Finding {
	nearMiss := near[bare(column.Name)]
	if nearMiss != "" && call.RedactSamples {
		nearMiss = redactedNearMiss
	}
	word := holdsMissing.String()
	return newFinding(call, KindMissingColumn, ColumnViolation{
		Column: column.Name, Declared: column.Type, Nullable: column.Nullable,
		Rows: rows, OfRows: rows,
		Got: word, Held: map[string]int{word: rows},
		NearMiss: nearMiss,
	})
}

func newFinding(call *Call, kind Kind, violation ColumnViolation) Finding {
	return Finding{Kind: kind, ToolName: call.ToolName, ToolCallID: call.ToolCallID, Epoch: call.Epoch, Violation: violation}
}
