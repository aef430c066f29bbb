package columntypes

// ColumnTypeCeiling is the bound of every verdict of this package. Each finding quotes it verbatim.
const ColumnTypeCeiling = "This judges TYPE, never MEANING — it can see that a column declared number holds a string, " +
	"and it can never see that the string should have been 0, or that a 0.0 should have been an 8; " +
	"a column whose every value has its declared type passes here and can still be wrong."
