//go:build race

package mcpsdk_test

// raceEnabled: under the race detector a sync.Pool drops what it is given at random, so that text may allocate.
const raceEnabled = true
