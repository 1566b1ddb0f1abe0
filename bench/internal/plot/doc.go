// Package plot draws the results of the comparisons as SVG.
package plot
