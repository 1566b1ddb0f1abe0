// Package class sorts the outcomes of runs into a few classes: one word that
// metrics use as a label, the log for its level, and a limiter for its choice.
package class
