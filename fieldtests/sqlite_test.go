package fieldtests

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"
)

const sqliteTable = `
create table held (
	whole INTEGER, big INTEGER, whole_empty INTEGER, whole_word INTEGER, whole_quoted INTEGER, whole_half INTEGER,
	ratio REAL, ratio_empty REAL, ratio_endless REAL, price DECIMAL(10,2), price_grouped DECIMAL(10,2),
	word TEXT, word_number TEXT, raw BLOB, untyped,
	flag BOOLEAN, flag_word BOOLEAN,
	day DATE, day_empty DATE, day_soon DATE, day_text TEXT, day_first TEXT, at DATETIME, at_number DATETIME, stamp TIMESTAMP, clock TIME,
	absent INTEGER);
insert into held values (
	7, 9007199254740993, '', 'seven', '7', 7.5,
	1.5, '', 9e999, '12.50', '1,250.00',
	'12', 12, x'616263', '7',
	1, 'true',
	'2024-01-31', '', 'soon', '2024-01-31', '31/01/2024', '2024-01-31 10:00:00', 1706695200, '2024-01-31 10:00:00', '10:00:00',
	null)`

const anyValue = "a column's type is only a wish here: make the table `strict`, and "

var sqliteHabits = []habit{
	{"INTEGER", "whole", number, "", ""},
	{"INTEGER", "big", number, "", "passes; a reader whose numbers are float64 loses its last digit: `cast(c as text)` and declare `string` where digits matter"},
	{"INTEGER, holds ''", "whole_empty", number, "nullif(whole_empty, '')", anyValue + "until then `nullif(c, '')` and " + nullable},
	{"INTEGER, holds 'seven'", "whole_word", number, "iif(typeof(whole_word) = 'text', null, whole_word)", anyValue + "until then `iif(typeof(c) = 'text', null, c)` and " + nullable},
	{"INTEGER, was given '7'", "whole_quoted", number, "", ""},
	{"INTEGER, holds 7.5", "whole_half", number, "", ""},
	{"REAL", "ratio", number, "", ""},
	{"REAL, holds ''", "ratio_empty", number, "nullif(ratio_empty, '')", anyValue + "until then `nullif(c, '')` and " + nullable},
	{"REAL, infinity", "ratio_endless", number, "nullif(ratio_endless, 9e999)", "encoding/json refuses the whole result: `nullif(c, 9e999)` and " + nullable},
	{"DECIMAL(10,2)", "price", number, "", "passes as a float64: SQLite has no decimals"},
	{"DECIMAL(10,2), holds '1,250.00'", "price_grouped", number, "cast(replace(price_grouped, ',', '') as real)", "text that is no number stays text: `cast(replace(c, ',', '') as real)`"},
	{"TEXT", "word", text, "", ""},
	{"TEXT, was given 12", "word_number", text, "", "passes: the column made it text"},
	{"BLOB", "raw", text, "hex(raw)", "`hex(c)`, or leave it undeclared"},
	{"no type, holds '7'", "untyped", number, "cast(untyped as integer)", "`cast(c as integer)`, or give the column a type"},
	{"BOOLEAN, holds 1", "flag", boolean, "", "SQLite has no booleans: scan into `bool`, or declare `number`"},
	{"BOOLEAN, holds 'true'", "flag_word", boolean, "", "a text in a BOOLEAN column: scan into `bool`, or declare `string`"},
	{"comparison", "whole > 1", boolean, "", "a number: scan into `bool`, or declare `number`"},
	{"DATE", "day", date, "", ""},
	{"DATE, holds ''", "day_empty", date, "nullif(day_empty, '')", "`nullif(c, '')` and " + nullable},
	{"DATE, holds 'soon'", "day_soon", date, "date(day_soon)", "`date(c)` is null where there is no date: " + nullable},
	{"TEXT, holds an ISO date", "day_text", date, "", ""},
	{"TEXT, holds 31/01/2024", "day_first", date, "substr(day_first, 7) || '-' || substr(day_first, 4, 2) || '-' || substr(day_first, 1, 2)", "day first is no date that a reader could trust: put the year first in the query"},
	{"max of DATE", "max(day)", date, "", "passes: an expression has no declared type, so the text itself arrives"},
	{"DATETIME", "at", date, "", ""},
	{"DATETIME, holds an epoch number", "at_number", date, "datetime(at_number, 'unixepoch')", "`datetime(c, 'unixepoch')`, or `_inttotime=1` in the DSN"},
	{"TIMESTAMP", "stamp", date, "", ""},
	{"TIME", "clock", text, "", ""},
	{"count(*)", "count(*)", number, "", ""},
	{"sum of INTEGER", "sum(whole)", number, "", ""},
	{"json_extract, number", `json_extract('{"a":1}', '$.a')`, number, "", ""},
	{"json_extract, true", `json_extract('{"a":true}', '$.a')`, boolean, "", "a number: scan into `bool`, or declare `number`"},
	{"->", `'{"a":1}' -> '$.a'`, number, `'{"a":1}' ->> '$.a'`, "`->` gives JSON text: use `->>`"},
	{"null", "absent", number, "", nullable},
}

func TestSqlite(t *testing.T) {
	db := openOne(t, "sqlite", ":memory:")
	_, err := db.Exec(sqliteTable)
	require.NoError(t, err)
	observations := observeAll(t, sqliteHabits, mapScan(t, db, "held"))
	observations = append(observations, observeFields(t, db, "held", []fieldScan{
		field[bool]("BOOLEAN, holds 1", "flag", boolean, ""),
		field[bool]("BOOLEAN, holds 'true'", "flag_word", boolean, ""),
		field[bool]("comparison", "whole > 1", boolean, ""),
		field[*int64]("null", "absent", number, nullable),
		field[time.Time]("DATETIME", "at", date, ""),
		field[string]("TEXT, was given 12", "word_number", text, ""),
	})...)
	assertSame(t, preparedScan(t, db, "held")("day").([]map[string]any), mapScan(t, db, "held")("day").([]map[string]any))
	holdPage(t, "sqlite", observations)
}

func TestSqliteNumbersAsTimes(t *testing.T) {
	db := openOne(t, "sqlite", ":memory:?_inttotime=1")
	_, err := db.Exec(sqliteTable)
	require.NoError(t, err)
	h := habit{column: "DATETIME, holds an epoch number, _inttotime=1", query: "at_number", intended: date}
	assert.Equal(t, "time.Time", observe(t, h, mapScan(t, db, "held")(h.query)).goType)
}

func TestSqliteStrictTableRefusesWhatIsNoNumber(t *testing.T) {
	db := openOne(t, "sqlite", ":memory:")
	_, err := db.Exec("create table held (whole INTEGER) strict; insert into held values (7)")
	require.NoError(t, err)
	for _, word := range []string{"''", "'seven'"} {
		_, err = db.Exec("insert into held values (" + word + ")")
		require.Error(t, err, "%s in a strict INTEGER column", word)
		assert.Contains(t, err.Error(), "cannot store TEXT value in INTEGER column")
	}
}
