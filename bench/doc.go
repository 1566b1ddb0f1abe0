// Package bench compares Trimtab's parts with their peers, side by side in one
// run. It holds nothing but benchmarks and scenarios; command bench runs them,
// writes the tables into the README, and draws the plots.
package bench
