package main

import (
	"os"
	"testing"
)

// asCommand makes the test binary the command itself, for tests that need a
// process: to signal it, or to run two.
const asCommand = "TRIMTAB_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(command(os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
