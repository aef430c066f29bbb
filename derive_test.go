package columntypes

import (
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColumnsFor(t *testing.T) {
	type base struct {
		ID   int `json:"id"`
		Name string
	}
	type row struct {
		base
		Name    *string `json:"Name"` // shadows the embedded one
		Lun     uint8   `json:"lun"`
		Quoted  int64   `json:",string"`
		At      time.Time
		Address netip.Addr
		Count   json.Number
		Note    string `json:"note,omitempty"`
		Gone    string `json:"-"`
		Tags    []string
		Any     any
		Own     onPointer `column:"number,nullable"`
		Skipped onPointer `column:"-"`
		hidden  int
	}
	_ = row{}.hidden
	columns, err := ColumnsFor[*row]()
	require.NoError(t, err)
	assert.Equal(t, ToolResultColumns{{Name: "id", Type: Number}, {Name: "Name", Type: String, Nullable: true}, {Name: "lun", Type: Number},
		{Name: "Quoted", Type: String}, {Name: "At", Type: Date}, {Name: "Address", Type: String}, {Name: "Count", Type: Number},
		{Name: "Own", Type: Number, Nullable: true}}, columns)
}

func TestColumnsForRefuses(t *testing.T) {
	type dropsZero struct {
		Lun int `json:"lun,omitempty"`
	}
	type own struct{ V onPointer }
	type badTag struct {
		V int `column:"integer"`
	}
	_, err := ColumnsFor[dropsZero]()
	assert.ErrorContains(t, err, "lun")
	_, err = ColumnsFor[own]()
	assert.ErrorContains(t, err, "V")
	_, err = ColumnsFor[badTag]()
	assert.ErrorIs(t, err, ErrUnknownType)
	_, err = ColumnsFor[int]()
	assert.ErrorIs(t, err, ErrNotColumns)
	_, err = ColumnsFor[struct{}]()
	assert.ErrorIs(t, err, ErrNoColumns)
}
