// Command demo runs the example operator against a real API server for a
// minute, with five hundred short-lived certificates and everything that goes
// wrong in a cluster, and ends with the comparison of the trigger sources and
// the golden signals. It fails if any certificate was lost or expired.
package main
