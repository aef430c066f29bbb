package fieldtests

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// mariadbTable holds one value of each type: most types exist in columns only, not in expressions.
var mariadbTable = []string{
	"create database if not exists fieldtests",
	"use fieldtests",
	"set sql_mode = ''",
	`create or replace table held (
		tiny tinyint(1), small smallint, whole int, big bigint, big_unsigned bigint unsigned, beyond bigint unsigned,
		price decimal(10,2), ratio double, ratio32 float, bits bit(4), one_bit bit(1),
		word varchar(10), body text, choice enum('open','shut'), choices set('a','b'), document json,
		raw blob, year_of year, day date, zero_day date, at datetime, at_micro datetime(6), zero_at datetime,
		stamp timestamp, clock time, identity uuid, absent int)`,
	`insert into held values (
		1, 7, 7, 9007199254740993, 7, 18446744073709551615,
		12.50, 1.5, 1.5, b'1010', b'1',
		'12', '12', 'open', 'a,b', '{"a":1}',
		x'616263', 2024, '2024-01-31', '0000-00-00', '2024-01-31 10:00:00', '2024-01-31 10:00:00.25', '0000-00-00 00:00:00',
		'2024-01-31 10:00:00', '10:00:00', '0f1e2d3c-4b5a-4968-8776-655443322110', null)`,
}

func mariadbDatabase(t *testing.T, parseTime bool) *sqlx.DB {
	t.Helper()
	db := openOne(t, "mysql", mariadbDSN(mariadb.directory(t), parseTime))
	for _, statement := range mariadbTable {
		_, err := db.Exec(statement)
		require.NoError(t, err, statement)
	}
	return db
}

const (
	bytesOfText = "bytes, as every text of a map scan: turn `[]byte` into `string` in the loop, or scan into a field"
	mayBeZero   = "passes, but a zero date arrives as the year 1: `nullif(c, 0)` and " + nullable
)

var mariadbHabits = []habit{
	{"TINYINT(1)", "tiny", boolean, "", "MariaDB's BOOLEAN is this number: scan into `bool`, or declare `number`"},
	{"SMALLINT", "small", number, "", ""},
	{"INT", "whole", number, "", ""},
	{"BIGINT", "big", number, "", "passes; a reader whose numbers are float64 loses its last digit"},
	{"BIGINT UNSIGNED", "big_unsigned", number, "", ""},
	{"count(*)", "count(*)", number, "", ""},
	{"DECIMAL(10,2)", "price", number, "cast(price as double)", "bytes: `cast(c as double)`, or scan into a number"},
	{"sum of INT", "sum(whole)", number, "cast(sum(whole) as signed)", "sum is DECIMAL, so bytes: `cast(sum(c) as signed)`"},
	{"avg of INT", "avg(whole)", number, "cast(avg(whole) as double)", "avg is DECIMAL, so bytes: `cast(avg(c) as double)`"},
	{"DOUBLE", "ratio", number, "", ""},
	{"FLOAT", "ratio32", number, "", ""},
	{"comparison", "whole > 1", boolean, "", "a number: scan into `bool`, or declare `number`"},
	{"BIT(4)", "bits", number, "cast(bits as unsigned)", "bytes: `cast(c as unsigned)`"},
	{"BIT(1)", "one_bit", boolean, "", "bytes: scan `cast(c as unsigned)` into `bool`"},
	{"YEAR", "year_of", number, "", ""},
	{"VARCHAR", "word", text, "", bytesOfText},
	{"TEXT", "body", text, "", bytesOfText},
	{"ENUM", "choice", text, "", bytesOfText},
	{"SET", "choices", text, "", bytesOfText},
	{"UUID", "identity", text, "", bytesOfText},
	{"JSON", "document", "", "", "bytes: scan into `json.RawMessage`, and " + undeclared},
	{"BLOB", "raw", text, "", "bytes that would arrive as base64: leave it undeclared, or scan `hex(c)` into `string`"},
	{"TIME", "clock", text, "", bytesOfText + "; a time of day is no date"},
	{"null", "absent", number, "", nullable},
}

var withoutParseTime = []habit{
	{"DATE", "day", date, "", "bytes: `parseTime=true` in the DSN"},
	{"DATE, zero", "zero_day", date, "nullif(zero_day, 0)", "bytes: `nullif(c, 0)` and " + nullable},
	{"DATETIME", "at", date, "", "bytes: `parseTime=true` in the DSN"},
	{"DATETIME, zero", "zero_at", date, "nullif(zero_at, 0)", "bytes: `nullif(c, 0)` and " + nullable},
	{"TIMESTAMP", "stamp", date, "", "bytes: `parseTime=true` in the DSN"},
}

var withParseTime = []habit{
	{"DATE, parseTime", "day", date, "", ""},
	{"DATE, zero, parseTime", "zero_day", date, "", mayBeZero},
	{"DATETIME, parseTime", "at", date, "", ""},
	{"DATETIME(6), parseTime", "at_micro", date, "", ""},
	{"DATETIME, zero, parseTime", "zero_at", date, "", mayBeZero},
	{"TIMESTAMP, parseTime", "stamp", date, "", ""},
	{"TIME, parseTime", "clock", text, "", bytesOfText + "; a time of day is no date"},
}

const unsignedBeyond = "BIGINT UNSIGNED, beyond int64"

var (
	beyondAsText     = habit{unsignedBeyond, "beyond", number, "", "passes; a reader whose numbers are float64 loses its last digits"}
	beyondAsPrepared = habit{unsignedBeyond, "beyond", number, "cast(beyond as double)", "bytes, where the value does not fit int64: scan into `uint64`, or `cast(c as double)`"}
)

func TestMariadbTextProtocol(t *testing.T) {
	off, on := mariadbDatabase(t, false), mariadbDatabase(t, true)
	habits := slices.Concat(mariadbHabits, []habit{beyondAsText}, withoutParseTime)
	observations := observeAll(t, habits, mapScan(t, off, "held"))
	observations = append(observations, observeAll(t, withParseTime, mapScan(t, on, "held"))...)
	observations = append(observations, observeFields(t, off, "held", []fieldScan{
		field[bool]("TINYINT(1)", "tiny", boolean, ""),
		field[bool]("BIT(1), cast", "cast(one_bit as unsigned)", boolean, ""),
		field[float64]("DECIMAL(10,2)", "price", number, ""),
		field[decimal.Decimal]("DECIMAL(10,2)", "price", number, "declare `string`, or scan into `float64`"),
		field[string]("VARCHAR", "word", text, ""),
		field[string]("BLOB, hex(c)", "hex(raw)", text, ""),
		field[*string]("null", "absent", text, nullable),
		field[sql.NullString]("VARCHAR", "word", text, "scan into `*string`"),
		field[string]("DATE", "day", date, ""),
		field[string]("DATE, zero", "zero_day", date, "no such day: `nullif(c, 0)`, scan into `*string` and "+nullable),
	})...)
	observations = append(observations, observeFields(t, on, "held", []fieldScan{
		field[time.Time]("DATETIME, parseTime", "at", date, ""),
		field[*time.Time]("DATETIME, zero, parseTime, nullif(c, 0)", "nullif(zero_at, 0)", date, nullable),
	})...)
	holdPage(t, "mariadb-text", observations)
}

func TestMariadbPreparedStatements(t *testing.T) {
	off, on := mariadbDatabase(t, false), mariadbDatabase(t, true)
	habits := slices.Concat(mariadbHabits, []habit{beyondAsPrepared}, withoutParseTime)
	observations := observeAll(t, habits, preparedScan(t, off, "held"))
	observations = append(observations, observeAll(t, withParseTime, preparedScan(t, on, "held"))...)
	holdPage(t, "mariadb-prepared", observations)
}
