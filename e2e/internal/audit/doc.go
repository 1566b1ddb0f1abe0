// Package audit reads the audit log of an API server: who wrote what, and in
// which order.
package audit
