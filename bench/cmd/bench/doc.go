// Command bench runs the comparisons of module bench, writes their tables into its
// README and draws its plots. It is run in the module's folder; make bench does so.
//
// It runs all of them once and then again, for several rounds, so that those who are
// compared run close to each other however busy the machine is. The medians are
// benchstat's.
package main
