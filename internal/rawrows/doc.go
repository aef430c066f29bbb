// Package rawrows judges the rows of a JSON text against declared columns in one pass over its bytes. It builds no
// values and copies no text: what a cell holds is told by its first byte, where it ends by the grammar of JSON.
//
// It accepts exactly what json.Valid of encoding/json accepts: any bytes but controls inside strings, numbers by the
// JSON grammar, nesting up to [Deepest] levels. The last of equal keys wins, as it does when a map is decoded. Values
// that are not declared are validated and otherwise left alone.
//
// The simple pass (row.go) reads an object as one would by hand: a key, its column, the value's kind, the verdict. It
// is right for every text, and it is all there is for the first row. Rows of one result nearly always repeat the same
// bytes between two values: a comma, white space, a key, a colon. shape.go remembers those stretches of one row and
// compares the next rows with them, eight bytes at a time; where a stretch matches, its column is known without
// reading the key. Where one does not, the simple pass takes over in the middle of the row, and a later row is learned.
//
// A cell that satisfies its column leaves no trace. Offenders are counted in a [Tally] as they are met; if the same
// key comes again in the same row, the earlier verdict is taken back. Columns that a row does not have are found at
// its end. A JSON Pointer is followed on the way (pointer.go); if a key of its path comes twice, the later one starts
// the judgement afresh.
//
// The functions that read take a text and a position, and give the position behind what they read, or ^position
// (which is negative) for the byte at which the text stops being JSON. They are generic, so that neither a string nor
// a byte slice has to be converted to the other. The only memory is pooled, bounded, and cleared of one caller's data
// before the next one gets it.
package rawrows
