package fieldtests

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/columntypes/columntypes"
	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/bson"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// rawOf makes a result of one row that arrived as JSON, compacted: protojson varies its spaces on purpose.
func rawOf(t *testing.T, cell []byte) json.RawMessage {
	t.Helper()
	var result bytes.Buffer
	require.NoError(t, json.Compact(&result, slices.Concat([]byte(`[{"value":`), cell, []byte(`}]`))))
	return result.Bytes()
}

func protojsonOf(t *testing.T, message proto.Message) json.RawMessage {
	t.Helper()
	encoded, err := protojson.Marshal(message)
	require.NoError(t, err)
	return rawOf(t, encoded)
}

func TestProtojson(t *testing.T) {
	at := timestamppb.New(time.Date(2024, 1, 31, 10, 0, 0, 0, time.UTC))
	nested, err := structpb.NewStruct(map[string]any{"a": 1})
	require.NoError(t, err)
	mask := &fieldmaskpb.FieldMask{Paths: []string{"host_group"}}
	const (
		digits   = "64-bit integers are strings in protojson: declare `string`, or copy into an `int64` of your own row"
		throughP = "encoding/json writes a message's inside: use `protojson`, or copy into a row of your own"
	)
	holdPage(t, "protojson", observeHeld(t, []held{
		holds("Int32Value", protojsonOf(t, wrapperspb.Int32(7)), number, ""),
		holds("Int64Value", protojsonOf(t, wrapperspb.Int64(7)), number, digits),
		holds("UInt64Value", protojsonOf(t, wrapperspb.UInt64(math.MaxUint64)), number, digits),
		holds("DoubleValue", protojsonOf(t, wrapperspb.Double(1.5)), number, ""),
		holds("DoubleValue, NaN", protojsonOf(t, wrapperspb.Double(math.NaN())), number, "leave the wrapper unset and "+nullable),
		holds("DoubleValue, infinity", protojsonOf(t, wrapperspb.Double(math.Inf(1))), number, "leave the wrapper unset and "+nullable),
		holds("BoolValue", protojsonOf(t, wrapperspb.Bool(true)), boolean, ""),
		holds("StringValue", protojsonOf(t, wrapperspb.String("12")), text, ""),
		holds("BytesValue", protojsonOf(t, wrapperspb.Bytes([]byte("ab"))), text, "passes as base64"),
		holds("Timestamp", protojsonOf(t, at), date, ""),
		holds("Duration", protojsonOf(t, durationpb.New(90*time.Second)), number, "text with a unit: declare `string`, or copy `AsDuration().Seconds()`"),
		holds("FieldMask", protojsonOf(t, mask), text, ""),
		holds("Struct", protojsonOf(t, nested), "", undeclared+": no word is an object"),
		holds("Value, number", protojsonOf(t, structpb.NewNumberValue(7)), number, ""),
		holds("Value, null", protojsonOf(t, structpb.NewNullValue()), number, nullable),
		holds("Int64Value, encoding/json", mapOf(wrapperspb.Int64(7)), number, throughP),
		holds("Int64Value, unset", rowOf[*wrapperspb.Int64Value](nil), number, nullable),
		holds("Timestamp, encoding/json", mapOf(at), date, "encoding/json writes a message's inside: `AsTime()`, or use `protojson`"),
		holds("Duration, encoding/json", mapOf(durationpb.New(90*time.Second)), number, throughP),
		holds("Struct, encoding/json", mapOf(nested), "", undeclared+": no word is an object"),
	}))
}

// extended gives a document's only value in Extended JSON.
func extended(t *testing.T, value any, canonical bool) json.RawMessage {
	t.Helper()
	encoded, err := bson.MarshalExtJSON(bson.M{"value": value}, canonical, false)
	require.NoError(t, err)
	var document map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(encoded, &document))
	return rawOf(t, document["value"])
}

func TestMongodb(t *testing.T) {
	id, err := bson.ObjectIDFromHex("65ba2a0b8f1c2d3e4f506172")
	require.NoError(t, err)
	price, err := bson.ParseDecimal128("12.50")
	require.NoError(t, err)
	at := bson.NewDateTimeFromTime(time.Date(2024, 1, 31, 10, 0, 0, 0, time.UTC))
	late := bson.NewDateTimeFromTime(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
	const relax = "Canonical Extended JSON wraps each number: ask for Relaxed, or `$toDouble` in the pipeline"
	holdPage(t, "mongodb", observeHeld(t, []held{
		holds("int, Relaxed", extended(t, int32(7), false), number, ""),
		holds("int, Canonical", extended(t, int32(7), true), number, relax),
		holds("long, Relaxed", extended(t, int64(9007199254740993), false), number, "passes; a reader whose numbers are float64 loses its last digit"),
		holds("long, Canonical", extended(t, int64(9007199254740993), true), number, relax),
		holds("double, Relaxed", extended(t, 1.5, false), number, ""),
		holds("double, Canonical", extended(t, 1.5, true), number, relax),
		holds("double, NaN, Relaxed", extended(t, math.NaN(), false), number, "an object, where JSON has no number: make it null in the pipeline and "+nullable),
		holds("decimal, Relaxed", extended(t, price, false), number, "an object in both forms: `$toDouble`, or `$toString` and declare `string`"),
		holds("date, Relaxed", extended(t, at, false), date, "an object in both forms: `$dateToString` in the pipeline"),
		holds("date, Canonical", extended(t, at, true), date, "an object in both forms: `$dateToString` in the pipeline"),
		holds("objectId, Relaxed", extended(t, id, false), text, "an object in both forms: `$toString` in the pipeline"),
		holds("binData, Relaxed", extended(t, bson.Binary{Data: []byte("ab")}, false), text, undeclared),
		holds("bool, Relaxed", extended(t, true, false), boolean, ""),
		holds("string, Relaxed", extended(t, "12", false), text, ""),
		holds("null, Relaxed", extended(t, nil, false), text, nullable),
		holds("objectId, encoding/json", mapOf(id), text, ""),
		holds("date, encoding/json", mapOf(at), date, ""),
		holds("date, year 10000, encoding/json", mapOf(late), date, "its marshaler fails: `$dateToString` in the pipeline"),
		holds("decimal, encoding/json", mapOf(price), number, "text: `$toDouble` in the pipeline, or declare `string`"),
		holds("binData, encoding/json", mapOf(bson.Binary{Data: []byte("ab")}), text, undeclared),
		holds("object, encoding/json", mapOf(bson.D{{Key: "a", Value: 1}}), "", undeclared+": no word is an object"),
		holds("array, encoding/json", mapOf(bson.A{1, 2}), "", undeclared+": no word is an array"),
		holds("timestamp, encoding/json", mapOf(bson.Timestamp{T: 1706695200, I: 1}), date, "an object: `$toDate` in the pipeline"),
	}))
}

// What warehouses answer over HTTP is text in JSON; no driver stands between it and a tool.
func TestWarehouses(t *testing.T) {
	raw := func(cell string) json.RawMessage { return rawOf(t, []byte(cell)) }
	const (
		bigQuery  = "BigQuery's REST answer quotes each value: convert by the answer's schema"
		snowflake = "Snowflake's SQL API quotes each value: convert by `rowType`"
	)
	holdPage(t, "warehouses", observeHeld(t, []held{
		holds("BigQuery INT64", raw(`"7"`), number, bigQuery+", or declare `string`"),
		holds("BigQuery NUMERIC", raw(`"12.50"`), number, bigQuery+", or declare `string`"),
		holds("BigQuery FLOAT64, NaN", raw(`"NaN"`), number, "`if(is_nan(c), null, c)` in the query, convert, and "+nullable),
		holds("BigQuery BOOL", raw(`"true"`), boolean, bigQuery),
		holds("BigQuery DATE", raw(`"2024-01-31"`), date, ""),
		holds("BigQuery TIMESTAMP", raw(`"1.7066952E9"`), date, "seconds in quotes: `format_timestamp('%FT%TZ', c)` in the query"),
		holds("BigQuery TIMESTAMP, as microseconds", raw(`"1706695200000000"`), date, "microseconds in quotes: `format_timestamp('%FT%TZ', c)` in the query"),
		holds("BigQuery STRING", raw(`"12"`), text, ""),
		holds("BigQuery REPEATED", raw(`[{"v":"1"},{"v":"2"}]`), "", undeclared+": no word is an array"),
		holds("BigQuery, a cell not unwrapped", raw(`{"v":"7"}`), number, "take the cell out of `f` and `v` first"),
		holds("BigQuery, null", raw(`null`), number, nullable),
		holds("Snowflake NUMBER", raw(`"12.50"`), number, snowflake+", or declare `string`"),
		holds("Snowflake BOOLEAN", raw(`"true"`), boolean, snowflake),
		holds("Snowflake BOOLEAN, 0 or 1", raw(`"1"`), boolean, snowflake),
		holds("Snowflake DATE", raw(`"19753"`), date, "days since 1970: `to_char(c, 'YYYY-MM-DD')` in the query"),
		holds("Snowflake TIMESTAMP_NTZ", raw(`"1706695200.000000000"`), date, "seconds in quotes: `to_char(c, 'YYYY-MM-DD\"T\"HH24:MI:SS')` in the query"),
		holds("Snowflake TIMESTAMP_TZ", raw(`"1706695200.000000000 1560"`), date, "seconds and an offset: `to_char(c, 'YYYY-MM-DD\"T\"HH24:MI:SSTZH:TZM')` in the query"),
		holds("Snowflake VARIANT", raw(`"{\"a\":1}"`), "", "JSON inside a string: "+undeclared),
		holds("Snowflake, null", raw(`null`), number, nullable),
	}))
}

// A whole answer in which each number is quoted: the check says so of every column at once.
func TestQuotedAnswerNamesEachColumn(t *testing.T) {
	outcome := columntypes.Check(columntypes.Enforce, columntypes.Call{
		ToolName: "usage",
		Columns:  columntypes.ToolResultColumns{{Name: "bytes", Type: number}, {Name: "billed", Type: boolean}, {Name: "day", Type: date}},
		Text:     `{"rows":[{"bytes":"1240","billed":"true","day":"2024-01-31"},{"bytes":"7","billed":"false","day":"2024-02-01"}]}`,
		RowsAt:   "/rows",
	})
	require.Len(t, outcome.Findings, 2)
	require.Equal(t, columntypes.StatusInvalid, outcome.Status())
	for i, column := range []string{"bytes", "billed"} {
		require.Equal(t, column, outcome.Findings[i].Violation.Column)
		require.Equal(t, 2, outcome.Findings[i].Violation.Rows)
	}
}
