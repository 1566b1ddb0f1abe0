package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// command runs the program and returns its exit code.
func command(files []string, stdout, stderr io.Writer) int {
	var t tally
	for _, name := range files {
		if err := t.addFile(name); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
	}
	for _, name := range t.failures() {
		fmt.Fprintln(stdout, "failed:", name)
	}
	fmt.Fprintln(stdout, t)
	if !t.good() {
		return 1
	}
	return 0
}
