//go:build !race

package mcpsdk_test

const raceEnabled = false
