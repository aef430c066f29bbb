// Package fieldtests shows what each Go driver really hands over, and that columntypes judges it as it judges its JSON.
//
// It holds tests only. They start PostgreSQL and MariaDB themselves, each with a data directory and a private socket of
// its own, and write what they saw to docs/drivers.md:
//
//	go test -C fieldtests ./...               # compares; a section that differs is stale
//	go test -C fieldtests -count=1 . -update  # rewrites the sections that ran
//
// A server that is not installed skips its tests, which say how to install it; with COLUMNTYPES_SERVERS=required in the
// environment they fail instead. The page lies outside this module, so that Go's test cache does not notice a change to
// it: say -count=1 after editing it by hand.
package fieldtests
