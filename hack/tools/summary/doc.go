// Command summary adds up the test events in the files that it is given, as go
// test -json writes them, and prints one line:
//
//	12 passed, 0 failed, 1 skipped
//
// The names of failed tests come before it. Subtests count, as they do for
// gotestsum; a package that fails outside its tests (it doesn't build, it
// panics) counts as one failed. The exit code is 1 if anything failed or
// nothing ran.
package main
