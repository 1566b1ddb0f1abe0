// Package cluster is a control plane made ready for the example operator: its
// CRD, its namespace, and users that have the operator's own roles.
package cluster
