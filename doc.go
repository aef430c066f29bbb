// Package columntypes holds the rows that a tool returned to the columns that the tool declared.
//
// A tool says once which columns its rows hold and of which type; [Check] compares each call's rows with that
// declaration before a model reads them. Four words exist: number, string, boolean and date. A column may be
// nullable. A column that is not declared is never judged, whatever it holds, and nothing is inferred from data.
//
// A declared cell is judged by what encoding/json makes of it, so JSON text, decoded maps and typed Go rows that
// encode to the same JSON get the same verdict. Four exceptions: NaN and the infinities are findings, not errors; a
// [time.Time] is a date in every year; plain bytes pass as nothing, because they would arrive as base64; an empty
// [encoding/json.Number] is a finding.
//
// The dial is a [Mode]. Off measures nothing, Warn files findings and changes nothing, Enforce replaces the whole
// result by one sentence. Every outcome says for both checks whether they ran; an outcome that was not judged says why.
//
// Limits: a cell's marshaler that recurses or blocks for ever, and a map that another goroutine writes to meanwhile,
// cannot be contained in Go. [ColumnTypeCeiling] is the bound of everything else.
package columntypes
