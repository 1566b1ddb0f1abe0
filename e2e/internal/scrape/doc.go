// Package scrape reads the metrics of a process or a registry and does arithmetic on
// them: sums over labels, totals over restarts, quantiles of histograms.
package scrape
