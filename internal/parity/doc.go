// Package parity checks, in tests, that a package re-exports another one whole.
package parity
