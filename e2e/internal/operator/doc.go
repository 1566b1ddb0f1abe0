// Package operator runs an operator's binary as a process of its own, as in a
// cluster: it can be stopped, killed and started again.
package operator
