package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// event is a line of go test -json; without a Test it speaks of the package.
type event struct{ Action, Package, Test string }

// tally counts how tests ended. The zero value has counted none.
type tally struct {
	passed, skipped int
	failed          []event
}

// addFile counts the file's events.
func (t *tally) addFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if err := t.add(file); err != nil {
		return fmt.Errorf("summary: %s: %w", name, err)
	}
	return nil
}

// add counts the events of one run of go test.
func (t *tally) add(events io.Reader) error {
	before := len(t.failed)
	for lines := json.NewDecoder(events); ; {
		var e event
		switch err := lines.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		t.count(e, t.failed[before:])
	}
}

// count counts one event; failed are the failures of the same run so far. A
// package fails after its tests: it counts only if none of them did.
func (t *tally) count(e event, failed []event) {
	switch {
	case e.Action == "fail":
		if e.Test != "" || !slices.ContainsFunc(failed, func(f event) bool { return f.Package == e.Package }) {
			t.failed = append(t.failed, e)
		}
	case e.Test == "":
	case e.Action == "pass":
		t.passed++
	case e.Action == "skip":
		t.skipped++
	}
}

// failures returns the names of what failed.
func (t tally) failures() []string {
	var names []string
	for _, e := range t.failed {
		name := e.Package
		if e.Test != "" {
			name += " " + e.Test
		}
		names = append(names, name)
	}
	return names
}

// good says whether something ran and nothing failed.
func (t tally) good() bool {
	return t.passed > 0 && len(t.failed) == 0
}

// String returns the line that a CI reads.
func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, len(t.failed), t.skipped)
}
