package columntypes

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
)

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

// ColumnViolation is the data behind a finding's message. In JSON, FirstRow and the two counts are always written.
type ColumnViolation struct {
	Column   string         `json:"column"`
	Declared ColumnType     `json:"declared"`
	Nullable bool           `json:"nullable,omitempty"`
	Rows     int            `json:"rows"`               // how many rows do not hold what was declared
	OfRows   int            `json:"ofRows"`             // of how many
	FirstRow int            `json:"firstRow"`           // 0-based index of the first offender
	Got      string         `json:"got"`                // what the first offender holds
	GoType   string         `json:"goType,omitempty"`   // of the first offender, where Got does not say it plainly
	Sample   string         `json:"sample,omitempty"`   // of the first offender, escaped and clipped; "" for a missing column
	Held     map[string]int `json:"held,omitempty"`     // offending rows by Got word
	NearMiss string         `json:"nearMiss,omitempty"` // missing-column only: an undeclared key that is nearly the column's name
}

// findingJSON is a finding as it travels: a claim about a tool, with two witnesses that contradict each other.
type findingJSON struct {
	Kind      Kind            `json:"kind"`
	Seam      seam            `json:"seam"`
	Subjects  []subjectJSON   `json:"subjects"`
	Predicate string          `json:"predicate"`
	Witnesses []witnessJSON   `json:"witnesses"`
	Epoch     int             `json:"epoch"`
	Message   string          `json:"message"`
	Violation ColumnViolation `json:"violation"`
}

type subjectJSON struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

type witnessJSON struct {
	Subject    subjectJSON `json:"subject"`
	Predicate  string      `json:"predicate"`
	Value      string      `json:"value"`
	Epoch      int         `json:"epoch"`
	Stratum    string      `json:"stratum"`
	Provenance string      `json:"provenance"`
}

// returnedByCall and returnedEnd stand around a call id in the second witness's provenance.
const returnedByCall, returnedEnd = "returned by call '", "'"

// MarshalJSON writes the finding with its two witnesses: what was declared and by whom, then what was returned and by
// which call.
func (f Finding) MarshalJSON() ([]byte, error) {
	return json.Marshal(findingJSON{
		Kind: f.Kind, Predicate: f.Violation.Column, Epoch: f.Epoch, Message: f.Message, Violation: f.Violation,
		Subjects: []subjectJSON{f.subject()},
		Witnesses: []witnessJSON{
			f.witness(f.declared(), "declared by tool '"+name(f.ToolName)+"'"),
			f.witness(f.returned(), f.returnedBy()),
		},
	})
}

func (f *Finding) subject() subjectJSON { return subjectJSON{Kind: "tool", ID: f.ToolName} }

func (f *Finding) witness(value, provenance string) witnessJSON {
	return witnessJSON{
		Subject: f.subject(), Predicate: f.Violation.Column, Value: value, Epoch: f.Epoch, Stratum: "asserted", Provenance: provenance,
	}
}

func (f *Finding) declared() string {
	if f.Violation.Nullable {
		return string(f.Violation.Declared) + ", nullable"
	}
	return string(f.Violation.Declared)
}

func (f *Finding) returned() string {
	if f.Kind == KindMissingColumn {
		return noSuchKey
	}
	return f.Violation.Sample
}

func (f *Finding) returnedBy() string {
	if f.ToolCallID == "" {
		return "returned by tool '" + name(f.ToolName) + "'"
	}
	return returnedByCall + name(f.ToolCallID) + returnedEnd
}

// UnmarshalJSON reads what MarshalJSON writes and replaces the whole finding, so that a process can pass findings on;
// a call id too long to be quoted whole comes back as it was clipped. Unknown members and the seam are ignored, null
// does nothing. After an error the finding stays as it was.
func (f *Finding) UnmarshalJSON(wire []byte) error {
	if string(bytes.TrimSpace(wire)) == "null" {
		return nil
	}
	var read findingJSON
	if err := json.Unmarshal(wire, &read); err != nil {
		return unreadable("finding", "write it as Finding.MarshalJSON does", err)
	}
	*f = Finding{Kind: read.Kind, Epoch: read.Epoch, Message: read.Message, Violation: read.Violation}
	if len(read.Subjects) > 0 {
		f.ToolName = read.Subjects[0].ID
	}
	if len(read.Witnesses) > 1 {
		f.ToolCallID = callID(read.Witnesses[1].Provenance)
	}
	return nil
}

// callID undoes returnedBy; it is "" where no call is named.
func callID(provenance string) string {
	quoted, named := strings.CutPrefix(provenance, returnedByCall)
	quoted, ended := strings.CutSuffix(quoted, returnedEnd)
	if !named || !ended {
		return ""
	}
	id, err := strconv.Unquote(`"` + strings.ReplaceAll(quoted, `\'`, `'`) + `"`)
	if err != nil {
		return quoted
	}
	return id
}

// LogValue makes the finding a group of attributes, the message last. Names are escaped and clipped as in sentences;
// empty attributes are left out.
func (f Finding) LogValue() slog.Value {
	return slog.GroupValue(append(f.attributes(), slog.String("message", f.Message))...)
}

func (f *Finding) attributes() []slog.Attr {
	v := &f.Violation
	attributes := []slog.Attr{
		slog.String("kind", clip(string(f.Kind))),
		slog.String("tool", name(f.ToolName)),
	}
	attributes = appendText(attributes, "callId", name(f.ToolCallID))
	attributes = append(attributes,
		slog.String("column", name(v.Column)),
		slog.String("declared", clip(string(v.Declared))),
	)
	if v.Nullable {
		attributes = append(attributes, slog.Bool("nullable", true))
	}
	attributes = append(attributes, slog.String("got", v.Got))
	attributes = appendText(attributes, "goType", v.GoType)
	attributes = append(attributes,
		slog.Int("rows", v.Rows),
		slog.Int("ofRows", v.OfRows),
		slog.Int("firstRow", v.FirstRow),
	)
	attributes = appendText(attributes, "sample", v.Sample)
	return appendText(attributes, "nearMiss", name(v.NearMiss))
}

// appendText leaves an empty attribute out.
func appendText(attributes []slog.Attr, key, text string) []slog.Attr {
	if text == "" {
		return attributes
	}
	return append(attributes, slog.String(key, text))
}
