// Package bench compares Trimtab's parts with their peers, side by side in one
// run. It holds nothing but benchmarks and scenarios; command bench runs them
// and writes the table into the README.
package bench
