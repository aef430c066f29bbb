//go:build !race

package columntypes

const raceEnabled = false
