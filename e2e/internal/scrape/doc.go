// Package scrape reads the metrics of a process and does arithmetic on them:
// sums over labels, totals over restarts, quantiles of classic histograms.
package scrape
