// Command scale measures what one process carries, by the benchmarks of module e2e's
// package scale, and writes the tables into docs/scaling.md. It is run in the folder
// of module bench; make bench-scale does so.
package main
