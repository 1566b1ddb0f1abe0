// Command demo runs the example operator against a real API server for a
// minute, with five hundred short-lived certificates and everything that goes
// wrong in a cluster, and ends with the comparison of the trigger sources and
// the golden signals. It fails if any certificate was lost or expired.
//
// Then it replaces the CA again under three settings: controller-runtime's own
// queue and handlers, Trimtab's with the same rotation at once, and Trimtab's with
// the rotation spread. Users change specs as long as each rotation lasts, and the
// demo measures how long they wait, from outside: from the write of a spec to the
// status that says it is served. The first setting is the same operator built with
// testdata/stock/setup.go in place of its own, by an overlay of the go command:
// so the example, which is there to be copied, needs no flag for a comparison.
package main
