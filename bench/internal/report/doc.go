// Package report turns benchstat's medians into the tables of bench/README.md.
package report
