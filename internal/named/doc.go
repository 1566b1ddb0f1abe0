// Package named says what a request is called in labels and in the log, so that the
// one can be found by the other.
package named
