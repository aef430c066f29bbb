package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/bytedance/sonic"
	"github.com/columntypes/columntypes"
	google "github.com/google/jsonschema-go/jsonschema"
	kaptinlin "github.com/kaptinlin/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

// verdict is what a contender says of a set.
type verdict struct {
	pass      bool
	offenders int // -1 where the contender does not count them
}

func counted(offenders int) verdict { return verdict{offenders == 0, offenders} }

func uncounted(pass bool) verdict { return verdict{pass, -1} }

// measurement is what some runs of one contender took together.
type measurement struct {
	elapsed       time.Duration
	verdict       verdict
	counted       bool // whether memory was counted
	allocs, bytes uint64
}

// measure does so many runs.
type measure func(runs int) (measurement, error)

// contender is one way from a set to a verdict.
type contender struct {
	name    string
	decoded bool // starts from Go values rather than from text
	bound   bool // judges nothing: it is there to compare with
	subject bool // this library
	heavy   bool // takes so long on huge sets that it is measured less often there
	// prepare does what a host does once; a nil measure means that the set is not for this contender.
	prepare func(*set) (measure, error)
}

const (
	nameOurs         = "columntypes"
	nameOursDecoded  = "columntypes, decoded rows"
	nameTyped        = "columntypes, typed rows"
	nameOff          = "columntypes, dial off"
	nameValid        = "json.Valid (validates only)"
	nameGjson        = "gjson.ValidBytes (validates only)"
	nameLoop         = "tight loop, decoded rows"
	nameSanthosh     = "santhosh-tekuri/jsonschema"
	nameGoogle       = "google/jsonschema-go"
	nameSanthoshRows = "santhosh-tekuri/jsonschema, decoded rows"
	nameGoogleRows   = "google/jsonschema-go, decoded rows"
	nameNode         = "Node: JSON.parse and a loop"
	nameAjv          = "Node: JSON.parse and ajv"
)

func goContenders() []contender {
	return []contender{
		{name: nameValid, bound: true, prepare: validator(json.Valid)},
		{name: nameOurs, subject: true, prepare: func(s *set) (measure, error) {
			return checker(columntypes.Warn, columntypes.Call{Text: string(s.text)}), nil
		}},
		{name: nameGjson, bound: true, prepare: validator(gjson.ValidBytes)},
		{name: "sonic.Valid (validates only)", bound: true, prepare: validator(sonic.Valid)},
		{name: "jsontext tokens", prepare: prepareStream},
		{name: "sonic and a loop", prepare: decodeAndLoop(sonic.Unmarshal)},
		{name: "encoding/json and a loop", heavy: true, prepare: decodeAndLoop(json.Unmarshal)},
		{name: nameSanthosh, heavy: true, prepare: decodeAndValidate(compileSanthosh)},
		{name: nameGoogle, heavy: true, prepare: decodeAndValidate(compileGoogle)},
		{name: "kaptinlin/jsonschema", heavy: true, prepare: prepareKaptinlin},

		{name: nameLoop, decoded: true, prepare: func(s *set) (measure, error) {
			rows, err := decodeAs[[]map[string]any](s)
			columns := loopColumns(declared)
			return timed(func() (verdict, error) { return counted(loop(rows, columns)), nil }), err
		}},
		{name: nameOursDecoded, decoded: true, subject: true, prepare: func(s *set) (measure, error) {
			rows, err := decodeAs[[]map[string]any](s)
			return checker(columntypes.Warn, columntypes.Call{Result: rows}), err
		}},
		{name: nameTyped, decoded: true, subject: true, prepare: prepareTyped},
		{name: nameSanthoshRows, decoded: true, heavy: true, prepare: validateRows(compileSanthosh)},
		{name: nameGoogleRows, decoded: true, heavy: true, prepare: validateRows(compileGoogle)},
		{name: nameOff, decoded: true, bound: true, subject: true, prepare: func(s *set) (measure, error) {
			if s.name != "M" || s.variant != clean {
				return nil, nil // it looks at nothing, so one set says it all
			}
			call := columntypes.Call{ToolName: "host_group_mappings", Columns: declared, Text: string(s.text)}
			return timed(func() (verdict, error) {
				outcome := columntypes.Check(columntypes.Off, call)
				return uncounted(outcome.NotJudged == columntypes.ReasonOff), nil
			}), nil
		}},
	}
}

// timed measures a Go function. The collection beforehand keeps one contender's garbage out of the next one's time;
// it also empties every sync.Pool, which one more run fills again where there are several.
func timed(run func() (verdict, error)) measure {
	return func(runs int) (m measurement, err error) {
		var before, after runtime.MemStats
		runtime.GC()
		if runs > 1 {
			if _, err = run(); err != nil {
				return measurement{}, err
			}
		}
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range runs {
			if m.verdict, err = run(); err != nil {
				return measurement{}, err
			}
		}
		m.elapsed = time.Since(start)
		runtime.ReadMemStats(&after)
		m.counted, m.allocs, m.bytes = true, after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
		return m, nil
	}
}

func validator(valid func([]byte) bool) func(*set) (measure, error) {
	return func(s *set) (measure, error) {
		return timed(func() (verdict, error) { return uncounted(valid(s.text)), nil }), nil
	}
}

// checker fills in what every call of ours has.
func checker(mode columntypes.Mode, call columntypes.Call) measure {
	call.ToolName, call.ToolCallID, call.Columns = "host_group_mappings", "call-1", declared
	return timed(func() (verdict, error) {
		outcome := columntypes.Check(mode, call)
		if outcome.NotJudged != "" {
			return verdict{}, fmt.Errorf("not judged: %s: %s", outcome.NotJudged, outcome.Detail)
		}
		offenders := 0
		for i := range outcome.Findings {
			offenders += outcome.Findings[i].Violation.Rows
		}
		return counted(offenders), nil
	})
}

func prepareStream(s *set) (measure, error) {
	judge := newStreamJudge(declared)
	return timed(func() (verdict, error) {
		if reason := judge.judge(s.text); reason != "" {
			return verdict{}, fmt.Errorf("not judged: %s", reason)
		}
		offenders := 0
		for _, t := range judge.tallies {
			offenders += t.offenders
		}
		return counted(offenders), nil
	}), nil
}

func decodeAndLoop(unmarshal func([]byte, any) error) func(*set) (measure, error) {
	columns := loopColumns(declared)
	return func(s *set) (measure, error) {
		return timed(func() (verdict, error) {
			var rows []map[string]any
			err := unmarshal(s.text, &rows)
			return counted(loop(rows, columns)), err
		}), nil
	}
}

// validates is a compiled JSON Schema: an error says that the value does not conform.
type validates func(value any) error

func decodeAndValidate(compile func() (validates, error)) func(*set) (measure, error) {
	return func(s *set) (measure, error) {
		validate, err := compile()
		return timed(func() (verdict, error) {
			var rows any
			if err := json.Unmarshal(s.text, &rows); err != nil {
				return verdict{}, err
			}
			return uncounted(validate(rows) == nil), nil
		}), err
	}
}

func validateRows(compile func() (validates, error)) func(*set) (measure, error) {
	return func(s *set) (measure, error) {
		validate, err := compile()
		if err != nil {
			return nil, err
		}
		rows, err := decodeAs[any](s)
		return timed(func() (verdict, error) { return uncounted(validate(rows) == nil), nil }), err
	}
}

func decodeAs[T any](s *set) (rows T, err error) {
	err = json.Unmarshal(s.text, &rows)
	return rows, err
}

// jsonSchema says in draft 2020-12 what declared says.
func jsonSchema() []byte {
	properties, required := map[string]any{}, []string{}
	for _, column := range declared {
		property := map[string]any{"type": string(column.Type)}
		if column.Type == columntypes.Date {
			property = map[string]any{"type": "string", "format": "date-time"}
		}
		if column.Nullable {
			property["type"] = []any{property["type"], "null"}
		} else {
			required = append(required, column.Name)
		}
		properties[column.Name] = property
	}
	schema, err := json.Marshal(map[string]any{
		"$schema":  "https://json-schema.org/draft/2020-12/schema",
		"type":     "array",
		"minItems": 1,
		"items":    map[string]any{"type": "object", "properties": properties, "required": required},
	})
	if err != nil {
		panic(err) // maps of strings always encode
	}
	return schema
}

func compileSanthosh() (validates, error) {
	document, err := santhosh.UnmarshalJSON(bytes.NewReader(jsonSchema()))
	if err != nil {
		return nil, err
	}
	compiler := santhosh.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("rows.json", document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile("rows.json")
	if err != nil {
		return nil, err
	}
	return schema.Validate, nil
}

// compileGoogle gives a validator that cannot assert formats: it takes any string for a date, which saves it the work.
func compileGoogle() (validates, error) {
	var schema google.Schema
	if err := json.Unmarshal(jsonSchema(), &schema); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return resolved.Validate, nil
}

func prepareKaptinlin(s *set) (measure, error) {
	schema, err := kaptinlin.NewCompiler().SetAssertFormat(true).Compile(jsonSchema())
	return timed(func() (verdict, error) { return uncounted(schema.ValidateJSON(s.text).IsValid()), nil }), err
}

// mapping is a row of the sets with eight columns, as a tool written in Go would have it.
type mapping struct {
	ID         string    `json:"mapping_id"`
	LUN        int       `json:"logical_unit_number"`
	HostGroup  string    `json:"host_group"`
	CapacityGB float64   `json:"capacity_gb"`
	Array      string    `json:"array_serial"`
	CreatedAt  time.Time `json:"created_at"`
	Online     bool      `json:"online"`
	Comment    *string   `json:"comment"`
}

// prepareTyped has no bad rows: a Go field cannot hold a number in quotes.
func prepareTyped(s *set) (measure, error) {
	if len(s.columns) != len(mapped) || s.variant != clean {
		return nil, nil
	}
	rows, err := decodeAs[[]mapping](s)
	return checker(columntypes.Warn, columntypes.Call{Result: rows}), err
}

// agrees holds a verdict against what the generator put into the set.
func (c *contender) agrees(s *set, v verdict) error {
	switch {
	case c.bound && v.pass:
		return nil
	case c.bound:
		return errors.New("says that the text is not JSON")
	case v.pass != (s.offenders == 0):
		return fmt.Errorf("says %s of a set with %d offenders", passWord(v.pass), s.offenders)
	case v.offenders >= 0 && v.offenders != s.offenders:
		return fmt.Errorf("counts %d offenders where %d are", v.offenders, s.offenders)
	}
	return nil
}

func passWord(pass bool) string {
	if pass {
		return "pass"
	}
	return "fail"
}

// matches tells whether a contender was asked for by any of the words.
func (c *contender) matches(words string) bool {
	for word := range strings.SplitSeq(words, ",") {
		if strings.Contains(strings.ToLower(c.name), strings.ToLower(strings.TrimSpace(word))) {
			return true
		}
	}
	return false
}
