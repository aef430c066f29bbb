package fieldtests

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/columntypes/columntypes"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

const (
	undeclared = "leave it undeclared"
	nullable   = "declare it `nullable: true`"
)

const (
	number  = columntypes.Number
	text    = columntypes.String
	boolean = columntypes.Boolean
	date    = columntypes.Date
)

var pgxHabits = []habit{
	{"smallint", "7::smallint", number, "", ""},
	{"integer", "7", number, "", ""},
	{"bigint", "9007199254740993::bigint", number, "", "passes; a reader whose numbers are float64 loses its last digit: cast `::text` and declare `string` where digits matter"},
	{"sum of bigint", "sum(7::bigint)", number, "", ""},
	{"oid", "16384::oid", number, "", ""},
	{"numeric", "12.50::numeric", number, "", ""},
	{"numeric, NaN", "'NaN'::numeric", number, "nullif('NaN'::numeric, 'NaN'::numeric)", "no number in JSON: `nullif(c, 'NaN')` and " + nullable},
	{"numeric, infinity", "'Infinity'::numeric", number, "nullif('Infinity'::numeric, 'Infinity'::numeric)", "no number in JSON: `nullif(c, 'Infinity')` and " + nullable},
	{"real", "1.5::real", number, "", ""},
	{"real, infinity", "'Infinity'::real", number, "nullif('Infinity'::real, 'Infinity'::real)", "encoding/json refuses the whole result: `nullif(c, 'Infinity')` and " + nullable},
	{"double precision", "1.5::float8", number, "", ""},
	{"double precision, NaN", "'NaN'::float8", number, "nullif('NaN'::float8, 'NaN'::float8)", "encoding/json refuses the whole result: `nullif(c, 'NaN')` and " + nullable},
	{"money", "'12.50'::float8::numeric::money", number, "'12.50'::float8::numeric::money::numeric", "cast `::numeric`, or declare `string`"},
	{"boolean", "true", boolean, "", ""},
	{"text", "'12'::text", text, "", ""},
	{"character(4)", "'ab'::character(4)", text, "", "passes, padded with spaces"},
	{`"char"`, `'a'::"char"`, text, `'a'::"char"::text`, "one character arrives as its code: cast `::text`"},
	{"date", "'2024-01-31'::date", date, "", ""},
	{"date, infinity", "'infinity'::date", date, "nullif('infinity'::date, 'infinity')", "arrives as the number 1 (`-infinity` as -1): `nullif(c, 'infinity')` and " + nullable},
	{"date, before our era", "'0044-03-15 BC'::date", date, "", "passes; encoding/json refuses the whole result: cast `::text` where such dates are stored"},
	{"timestamp", "'2024-01-31 10:00:00'::timestamp", date, "", ""},
	{"timestamp, year 10000", "'10000-01-01 00:00:00'::timestamp", date, "", "passes; encoding/json refuses the whole result: cast `::text` where such dates are stored"},
	{"timestamptz", "'2024-01-31 10:00:00+02'::timestamptz", date, "", ""},
	{"timestamptz, -infinity", "'-infinity'::timestamptz", date, "nullif('-infinity'::timestamptz, '-infinity')", "arrives as the number -1: `nullif(c, '-infinity')` and " + nullable},
	{"time", "'10:00:00'::time", text, "'10:00:00'::time::text", "an object of microseconds: cast `::text` and declare `string`; a time of day is no date"},
	{"timetz", "'10:00:00+02'::timetz", text, "", "a time of day is no date: declare `string`"},
	{"interval", "'1 day 02:00:00'::interval", number, "extract(epoch from '1 day 02:00:00'::interval)", "an object: `extract(epoch from c)` is a number of seconds, `::text` a string"},
	{"uuid", "'0f1e2d3c-4b5a-4968-8776-655443322110'::uuid", text, "'0f1e2d3c-4b5a-4968-8776-655443322110'::uuid::text", "sixteen numbers: cast `::text`, scan into `uuid.UUID` or `pgtype.UUID`"},
	{"bytea", `'\x6162'::bytea`, text, `encode('\x6162'::bytea, 'hex')`, "`encode(c, 'hex')`, or leave it undeclared"},
	{"bit(4)", "B'1010'", text, "B'1010'::text", "an object: cast `::text`, or `::int` and declare `number`"},
	{"json, object", `'{"a":1}'::json`, "", "", undeclared + ": no word is an object"},
	{"jsonb, number", `'12.5'::jsonb`, number, "", ""},
	{"jsonb, string", `'"12.5"'::jsonb`, text, "", ""},
	{"jsonb, null", `'null'::jsonb`, "", "", nullable},
	{"jsonb ->> key", `'{"a":1}'::jsonb ->> 'a'`, number, `('{"a":1}'::jsonb -> 'a')`, "`->>` gives text: use `->`, or cast `::numeric`"},
	{"integer[]", "array[1,2]", "", "", undeclared + ": no word is an array"},
	{"text[]", "array['a','b']", "", "", undeclared + ": no word is an array"},
	{"inet", "'10.0.0.1'::inet", text, "", ""},
	{"point", "point(1,2)", "", "", undeclared + ", or select its parts: `c[0]`, `c[1]`"},
	{"int4range", "int4range(1,5)", "", "", undeclared + ", or select `lower(c)` and `upper(c)`"},
	{"enum", "'open'::state", text, "", ""},
	{"null", "null::integer", number, "", nullable},
}

// withPostgresTypes makes the types that the habits name. A session's own schema leaves nothing behind.
const withPostgresTypes = `create type pg_temp.state as enum ('open', 'shut'); set search_path = pg_temp, public`

func pgxConnection(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), postgresDSN(postgres.directory(t)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	_, err = conn.Exec(t.Context(), withPostgresTypes)
	require.NoError(t, err)
	return conn
}

func TestPgxMapRows(t *testing.T) {
	conn := pgxConnection(t)
	read := func(expression string) []map[string]any {
		rows, err := conn.Query(t.Context(), "select "+expression+" as value")
		require.NoError(t, err, expression)
		maps, err := pgx.CollectRows(rows, pgx.RowToMap)
		require.NoError(t, err, expression)
		return maps
	}
	holdPage(t, "pgx-maps", observeAll(t, pgxHabits, func(query string) any { return read(query) }))
}

// observeAll reads and judges each habit, and what its cast makes of it.
func observeAll(t *testing.T, habits []habit, read func(query string) any) (observations []observation) {
	t.Helper()
	for _, h := range habits {
		observations = append(observations, observe(t, h, read(h.query)))
		if h.cast != "" {
			holdMended(t, h, read(h.cast))
		}
	}
	return observations
}

// structScan is a habit that is scanned into a field.
type structScan struct {
	habit
	read func(t *testing.T, conn *pgx.Conn, query string) any
}

func into[T any](column, query string, intended columntypes.ColumnType, fix string) structScan {
	return structScan{habit{column: column, query: query, intended: intended, fix: fix}, scanInto[T]}
}

func scanInto[T any](t *testing.T, conn *pgx.Conn, query string) any {
	t.Helper()
	rows, err := conn.Query(t.Context(), "select "+query+" as value")
	require.NoError(t, err, query)
	read, err := pgx.CollectRows(rows, pgx.RowToStructByName[typed[T]])
	require.NoError(t, err, query)
	return read
}

func structScans() []structScan {
	const id = "'0f1e2d3c-4b5a-4968-8776-655443322110'::uuid"
	return []structScan{
		into[int64]("bigint", "9007199254740993::bigint", number, ""),
		into[*int64]("bigint, null", "null::bigint", number, nullable),
		into[pgtype.Int8]("bigint", "7::bigint", number, ""),
		into[pgtype.Int8]("bigint, null", "null::bigint", number, nullable),
		into[zeronull.Int8]("bigint, null", "null::bigint", number, "passes as 0, which nobody stored: scan into `*int64`"),
		into[sql.NullInt64]("bigint", "7::bigint", number, "scan into `*int64` or `pgtype.Int8`"),
		into[sql.Null[int64]]("bigint", "7::bigint", number, "scan into `*int64` or `pgtype.Int8`"),
		into[pgtype.Numeric]("numeric", "12.50::numeric", number, ""),
		into[pgtype.Numeric]("numeric, NaN", "'NaN'::numeric", number, "no number in JSON: `nullif(c, 'NaN')` and "+nullable),
		into[float64]("numeric", "12.50::numeric", number, "passes; digits beyond float64 are lost"),
		into[string]("numeric", "12.50::numeric", number, "declare `string`, or scan into `pgtype.Numeric`"),
		into[decimal.Decimal]("numeric", "12.50::numeric", number, "declare `string`, or scan into `pgtype.Numeric`"),
		into[decimal.NullDecimal]("numeric, null", "null::numeric", number, nullable),
		into[float32]("real, infinity", "'Infinity'::real", number, "`nullif(c, 'Infinity')` and "+nullable),
		into[pgtype.Float8]("double precision, NaN", "'NaN'::float8", number, "its marshaler fails: `nullif(c, 'NaN')` and "+nullable),
		into[pgtype.Bool]("boolean", "true", boolean, ""),
		into[sql.NullBool]("boolean", "true", boolean, "scan into `*bool` or `pgtype.Bool`"),
		into[pgtype.Text]("text", "'12'::text", text, ""),
		into[pgtype.Text]("text, null", "null::text", text, nullable),
		into[sql.NullString]("text", "'12'::text", text, "scan into `*string` or `pgtype.Text`"),
		into[[]byte]("text", "'12'::text", text, "scan into `string`"),
		into[time.Time]("date", "'2024-01-31'::date", date, ""),
		into[pgtype.Date]("date", "'2024-01-31'::date", date, ""),
		into[pgtype.Date]("date, infinity", "'infinity'::date", date, "`nullif(c, 'infinity')` and "+nullable),
		into[sql.NullTime]("timestamp", "'2024-01-31 10:00:00'::timestamp", date, "scan into `*time.Time` or `pgtype.Timestamp`"),
		into[*time.Time]("timestamptz", "'2024-01-31 10:00:00+02'::timestamptz", date, ""),
		into[pgtype.Timestamp]("timestamp", "'2024-01-31 10:00:00'::timestamp", date, ""),
		into[pgtype.Timestamptz]("timestamptz", "'2024-01-31 10:00:00+02'::timestamptz", date, ""),
		into[pgtype.Timestamptz]("timestamptz, -infinity", "'-infinity'::timestamptz", date, "`nullif(c, '-infinity')` and "+nullable),
		into[pgtype.Time]("time", "'10:00:00'::time", text, "cast `::text` and scan into `string`"),
		into[pgtype.Interval]("interval", "'02:00:00'::interval", number, "scan into `time.Duration` (nanoseconds), or `extract(epoch from c)`"),
		into[time.Duration]("interval", "'02:00:00'::interval", number, "passes as nanoseconds"),
		into[[16]byte]("uuid", id, text, "scan into `uuid.UUID` or `pgtype.UUID`"),
		into[pgtype.UUID]("uuid", id, text, ""),
		into[uuid.UUID]("uuid", id, text, ""),
		into[string]("uuid", id, text, ""),
		into[netip.Addr]("inet", "'10.0.0.1'::inet", text, ""),
		into[json.RawMessage]("jsonb, object", `'{"a":1}'::jsonb`, "", undeclared+": no word is an object"),
		into[json.RawMessage]("jsonb, number", "'12.5'::jsonb", number, ""),
		into[[]byte]("jsonb, number", "'12.5'::jsonb", number, "scan into `json.RawMessage`, else JSON inside JSON arrives as base64"),
		into[[]int32]("integer[]", "array[1,2]", "", undeclared+": no word is an array"),
	}
}

func TestPgxStructScans(t *testing.T) {
	conn := pgxConnection(t)
	var observations []observation
	for _, s := range structScans() {
		observations = append(observations, observe(t, s.habit, s.read(t, conn, s.query)))
	}
	holdPage(t, "pgx-structs", observations)
}

var pqHabits = []habit{
	{"integer", "7", number, "", ""},
	{"bigint", "9007199254740993::bigint", number, "", "passes; a reader whose numbers are float64 loses its last digit: cast `::text` and declare `string` where digits matter"},
	{"sum of bigint", "sum(7::bigint)", number, "sum(7::bigint)::float8", "sum of bigint is numeric, so bytes: cast `::float8` or `::bigint`"},
	{"numeric", "12.50::numeric", number, "12.50::numeric::float8", "bytes: cast `::float8`, scan into a number, or cast `::text` and declare `string`"},
	{"numeric, NaN", "'NaN'::numeric", number, "nullif('NaN'::numeric, 'NaN')::float8", "`nullif(c, 'NaN')::float8` and " + nullable},
	{"real", "1.5::real", number, "", ""},
	{"real, infinity", "'Infinity'::real", number, "nullif('Infinity'::real, 'Infinity'::real)", "`nullif(c, 'Infinity')` and " + nullable},
	{"double precision, NaN", "'NaN'::float8", number, "nullif('NaN'::float8, 'NaN'::float8)", "`nullif(c, 'NaN')` and " + nullable},
	{"money", "'12.50'::float8::numeric::money", number, "'12.50'::float8::numeric::money::numeric::float8", "bytes: cast `::numeric::float8`"},
	{"boolean", "true", boolean, "", ""},
	{"text", "'12'::text", text, "", ""},
	{"varchar", "'12'::varchar", text, "", ""},
	{"character(4)", "'ab'::character(4)", text, "", "passes, padded with spaces"},
	{"date", "'2024-01-31'::date", date, "", ""},
	{"date, infinity", "'infinity'::date", date, "nullif('infinity'::date, 'infinity')", "bytes: `nullif(c, 'infinity')` and " + nullable},
	{"timestamp", "'2024-01-31 10:00:00'::timestamp", date, "", ""},
	{"timestamptz", "'2024-01-31 10:00:00+02'::timestamptz", date, "", ""},
	{"time", "'10:00:00'::time", text, "", "passes as a date too, of the year 0: cast `::text` and declare `string`"},
	{"interval", "'1 day 02:00:00'::interval", number, "extract(epoch from '1 day 02:00:00'::interval)::float8", "bytes: `extract(epoch from c)::float8` is a number of seconds, `::text` a string"},
	{"uuid", "'0f1e2d3c-4b5a-4968-8776-655443322110'::uuid", text, "'0f1e2d3c-4b5a-4968-8776-655443322110'::uuid::text", "bytes: cast `::text`, or scan into `uuid.UUID`"},
	{"bytea", `'\x6162'::bytea`, text, `encode('\x6162'::bytea, 'hex')`, "`encode(c, 'hex')`, or leave it undeclared"},
	{"json, object", `'{"a":1}'::json`, "", "", "bytes: scan into `json.RawMessage`, and " + undeclared},
	{"jsonb, number", `'12.5'::jsonb`, number, `'12.5'::jsonb::float8`, "bytes: cast `::float8`, or scan into `json.RawMessage`"},
	{"integer[]", "array[1,2]", "", "", "bytes: scan through `pq.Array`, and " + undeclared},
	{"inet", "'10.0.0.1'::inet", text, "host('10.0.0.1'::inet)", "bytes: cast `::text`, or `host(c)`"},
	{"enum", "'open'::state", text, "'open'::state::text", "bytes: cast `::text`"},
	{"null", "null::integer", number, "", nullable},
}

func TestPq(t *testing.T) {
	db := openOne(t, "postgres", postgresDSN(postgres.directory(t)))
	_, err := db.Exec(withPostgresTypes)
	require.NoError(t, err)
	holdPage(t, "pq", observeAll(t, pqHabits, mapScan(t, db, "")))
}

var sqlxHabits = []habit{
	{"bigint", "9007199254740993::bigint", number, "", ""},
	{"numeric", "12.50::numeric", number, "12.50::numeric::float8", "cast `::float8`, or declare `string`"},
	{"double precision, NaN", "'NaN'::float8", number, "nullif('NaN'::float8, 'NaN'::float8)", "`nullif(c, 'NaN')` and " + nullable},
	{"boolean", "true", boolean, "", ""},
	{"text", "'12'::text", text, "", ""},
	{"date", "'2024-01-31'::date", date, "", ""},
	{"date, infinity", "'infinity'::date", date, "nullif('infinity'::date, 'infinity')", "`nullif(c, 'infinity')` and " + nullable},
	{"timestamptz", "'2024-01-31 10:00:00+02'::timestamptz", date, "", ""},
	{"time", "'10:00:00'::time", text, "", ""},
	{"interval", "'02:00:00'::interval", number, "extract(epoch from '02:00:00'::interval)::float8", "`extract(epoch from c)::float8`"},
	{"uuid", "'0f1e2d3c-4b5a-4968-8776-655443322110'::uuid", text, "", ""},
	{"jsonb, object", `'{"a":1}'::jsonb`, "", "", "scan into `json.RawMessage`, and " + undeclared},
	{"integer[]", "array[1,2]", "", "", undeclared},
	{"bytea", `'\x6162'::bytea`, text, `encode('\x6162'::bytea, 'hex')`, "`encode(c, 'hex')`, or leave it undeclared"},
	{"null", "null::integer", number, "", nullable},
}

func TestSqlxThroughPgx(t *testing.T) {
	db := openOne(t, "pgx", postgresDSN(postgres.directory(t)))
	holdPage(t, "sqlx", observeAll(t, sqlxHabits, mapScan(t, db, "")))
}
