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
	return checkDeclared(mode, &call)
}

var outcomeOff, outcomeUndeclared = notJudged(ReasonOff, ""), notJudged(ReasonUndeclared, "")

func checkDeclared(mode Mode, call *Call) (outcome Outcome) {
	if err := AssertResultColumns(call.ToolName, call.Columns); err != nil {
		return notJudged(ReasonBadDeclaration, err.Error())
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			outcome = notJudged(ReasonFailed, fmt.Sprintf("the check failed on a value of the result (a panic with a Go %T)", recovered))
		}
	}()
	return judgeCall(mode, call)
}

func notJudged(reason Reason, detail string) Outcome {
	row := DispositionRow{NotApplicable: 1}
	if reason.unreachable() {
		row = DispositionRow{Unreachable: 1}
	}
	outcome := Outcome{NotJudged: reason, Detail: detail, Dispositions: [2]DispositionRow{row, row}}
	outcome.Dispositions[0].Check = KindColumnTypeMismatch
	outcome.Dispositions[1].Check = KindMissingColumn
	return outcome
}

// judgeCall finds out what the rows are: JSON text, or Go values.
func judgeCall(mode Mode, call *Call) Outcome {
	if reading, ok := call.Result.(RowsetReading); ok {
		if call.RowsAt != "" {
			return notJudged(ReasonNoRowsAt, "a RowsetReading is rows already: leave RowsAt empty")
		}
		return judgeReading(mode, call, reading)
	}
	pointer, wellFormed := pointerTokens(call.RowsAt)
	if call.Result == nil {
		if call.Text == "" {
			return notJudged(ReasonNotRowset, "nothing: Result is nil and Text is empty")
		}
		return judgeText(mode, call, call.Text, pointer, wellFormed)
	}
	if raw, ok := call.Result.(json.RawMessage); ok {
		return judgeText(mode, call, []byte(raw), pointer, wellFormed)
	}
	if !wellFormed {
		return notJudged(ReasonNoRowsAt, malformedPointer(call.RowsAt))
	}
	result, rest, found := resolve(call.Result, pointer)
	if !found {
		return notJudged(ReasonNoRowsAt, leadsNowhere(call.RowsAt, rest[0]))
	}
	if raw, ok := result.(json.RawMessage); ok {
		return judgeText(mode, call, []byte(raw), rest, true)
	}
	reading, reason, detail := readResult(result, call.RedactSamples)
	if reason != "" {
		return notJudged(reason, detail)
	}
	return judgeReading(mode, call, reading)
}

func judgeReading(mode Mode, call *Call, reading RowsetReading) Outcome {
	switch {
	case reading.length == 0:
		return notJudged(ReasonNotRowset, "an empty RowsetReading")
	case reading.raw != nil:
		return judgeText(mode, call, []byte(reading.raw), nil, true)
	}
	var fewAsked [fewColumns]rawrows.Column
	var few [fewColumns]tally
	asked, tallies := askAll(fewAsked[:0], call.Columns), few[:]
	if len(asked) > fewColumns {
		tallies = make([]tally, len(asked))
	}
	tallies = tallies[:len(asked)]
	reading.judge(call.Columns, asked, tallies)
	for c := range tallies {
		if t := &tallies[c]; t.offenders > 0 || t.absent == reading.length {
			return failed(mode, call, reading.length, tallies, reading.keys)
		}
	}
	return passed()
}

// judgeText judges JSON text in one pass; a pointer that is not well formed is only said to be so of text that is JSON.
func judgeText[T rawrows.Text](mode Mode, call *Call, text T, pointer []string, wellFormed bool) Outcome {
	var fewAsked [fewColumns]rawrows.Column
	var few [fewColumns]rawrows.Tally
	asked, tallies := askAll(fewAsked[:0], call.Columns), few[:]
	if len(asked) > fewColumns {
		tallies = make([]rawrows.Tally, len(asked))
	}
	tallies = tallies[:len(asked)]
	answer := rawrows.Judge(text, rawrows.Question[T]{Pointer: pointer, Columns: asked, IsDate: isDate[T]}, tallies)
	switch {
	case answer.State == rawrows.NotJSON:
		return notJudged(ReasonNotJSON, syntaxDetail(text, answer.At, call.RedactSamples))
	case !wellFormed:
		return notJudged(ReasonNoRowsAt, malformedPointer(call.RowsAt))
	case answer.State == rawrows.NotFound:
		return notJudged(ReasonNoRowsAt, leadsNowhere(call.RowsAt, pointer[answer.Found]))
	case answer.State == rawrows.NotRows:
		return notJudged(ReasonNotRowset, otherThanRows(answer))
	case answer.State == rawrows.Empty:
		return notJudged(ReasonEmpty, zeroRows)
	}
	for c := range tallies {
		if t := &tallies[c]; t.Offenders > 0 || t.Absent == answer.Rows {
			return failed(mode, call, answer.Rows, fromText(text, tallies), keysOfText(text, answer.Start))
		}
	}
	return passed()
}

// askAll appends what is asked of each column.
func askAll(asked []rawrows.Column, columns ToolResultColumns) []rawrows.Column {
	for c := range columns {
		asked = append(asked, ask(&columns[c]))
	}
	return asked
}

// ask says in the scanner's terms what satisfies a column.
func ask(column *ColumnDeclaration) rawrows.Column {
	asked := rawrows.Column{Name: column.Name}
	switch column.Type {
	case Number:
		asked.Accepts = rawrows.Accept(rawrows.Number)
	case Boolean:
		asked.Accepts = rawrows.Accept(rawrows.Boolean)
	default:
		asked.Accepts, asked.Date = rawrows.Accept(rawrows.String), column.Type == Date
	}
	if column.Nullable {
		asked.Accepts |= rawrows.Accept(rawrows.Null, rawrows.Missing)
	}
	return asked
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

func passed() Outcome {
	return Outcome{Dispositions: [2]DispositionRow{
		{Check: KindColumnTypeMismatch, Checked: 1},
		{Check: KindMissingColumn, Checked: 1},
	}}
}

// failed files a finding for each column that is in no row or has offenders.
func failed(mode Mode, call *Call, rows int, tallies []tally, keys iter.Seq[[]string]) Outcome {
	outcome := passed()
	var near map[string]string
	for c := range call.Columns {
		switch column := &call.Columns[c]; {
		case tallies[c].absent == rows:
			if near == nil {
				near = nearMisses(call.Columns, keys)
			}
			outcome.Dispositions[1].Findings = 1
			outcome.Findings = append(outcome.Findings, missingColumn(call, column, rows, near))
		case tallies[c].offenders > 0:
			outcome.Dispositions[0].Findings = 1
			outcome.Findings = append(outcome.Findings, mismatch(call, column, &tallies[c], rows))
		}
	}
	for i := range outcome.Findings {
		outcome.Findings[i].Message = message(mode, &outcome.Findings[i])
	}
	if mode == Enforce && len(outcome.Findings) > 0 {
		outcome.Refusal = refusal(call.ToolName, outcome.Findings)
	}
	return outcome
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
