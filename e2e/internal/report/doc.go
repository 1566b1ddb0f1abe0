// Package report turns an operator's metrics into what a person reads: the
// comparison of the trigger sources and the golden signals with a verdict on
// each.
package report
