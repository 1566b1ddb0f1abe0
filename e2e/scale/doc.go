// Package scale measures what one process carries: operators of up to 100,000 objects
// of a real API server, and queues of up to 1,000,000 requests, each in a process of
// its own. Its tests assert, of small fleets, what no clock is needed for. It needs
// KUBEBUILDER_ASSETS; make bench-scale and make e2e set it.
package scale
