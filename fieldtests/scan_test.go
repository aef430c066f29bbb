package fieldtests

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/columntypes/columntypes"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openOne opens a database with a single connection, so that what one statement sets the next one sees.
func openOne(t *testing.T, driver, dsn string) *sqlx.DB {
	t.Helper()
	db, err := sqlx.Open(driver, dsn)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// mapScan reads one expression of one row through sqlx's MapScan, and asserts that it adds nothing to what rows.Scan
// gives. The table may be empty, for an expression that needs none.
func mapScan(t *testing.T, db *sqlx.DB, table string) func(expression string) any {
	return func(expression string) any {
		t.Helper()
		query := selecting(expression, table)
		rows, err := db.Queryx(query)
		require.NoError(t, err, query)
		scanned := collectMaps(t, rows)
		plain, err := db.Query(query)
		require.NoError(t, err, query)
		assertSame(t, collectPlain(t, plain), scanned)
		return scanned
	}
}

// preparedScan is mapScan through a prepared statement, which some drivers answer with other types.
func preparedScan(t *testing.T, db *sqlx.DB, table string) func(expression string) any {
	return func(expression string) any {
		t.Helper()
		query := selecting(expression, table)
		statement, err := db.Preparex(query)
		require.NoError(t, err, query)
		defer func() { require.NoError(t, statement.Close()) }()
		rows, err := statement.Queryx()
		require.NoError(t, err, query)
		scanned := collectMaps(t, rows)
		plain, err := statement.Query()
		require.NoError(t, err, query)
		assertSame(t, collectPlain(t, plain), scanned)
		return scanned
	}
}

// fieldScan is a habit that sqlx scans into a field of a struct.
type fieldScan struct {
	habit
	read func(t *testing.T, db *sqlx.DB, query string) any
}

func field[T any](column, query string, intended columntypes.ColumnType, fix string) fieldScan {
	return fieldScan{
		habit{column: column + ", into a field", query: query, intended: intended, fix: fix},
		func(t *testing.T, db *sqlx.DB, query string) any {
			t.Helper()
			var rows []typed[T]
			require.NoError(t, db.Select(&rows, query), query)
			return rows
		},
	}
}

func observeFields(t *testing.T, db *sqlx.DB, table string, fields []fieldScan) (observations []observation) {
	t.Helper()
	for _, f := range fields {
		observations = append(observations, observe(t, f.habit, f.read(t, db, selecting(f.query, table))))
	}
	return observations
}

func selecting(expression, table string) string {
	query := "select " + expression + " as value"
	if table != "" {
		query += " from " + table
	}
	return query
}

func collectMaps(t *testing.T, rows *sqlx.Rows) (maps []map[string]any) {
	t.Helper()
	for rows.Next() {
		row := map[string]any{}
		require.NoError(t, rows.MapScan(row))
		maps = append(maps, row)
	}
	require.NoError(t, rows.Err())
	return maps
}

// collectPlain is the loop that every program writes without sqlx.
func collectPlain(t *testing.T, rows *sql.Rows) (maps []map[string]any) {
	t.Helper()
	names, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, targets := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(t, rows.Scan(targets...))
		row := map[string]any{}
		for i, name := range names {
			row[name] = values[i]
		}
		maps = append(maps, row)
	}
	require.NoError(t, rows.Err())
	return maps
}

// assertSame compares by print, because NaN is not equal to itself.
func assertSame(t *testing.T, want, got []map[string]any) {
	t.Helper()
	assert.Equal(t, fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got), "MapScan and rows.Scan differ")
}
