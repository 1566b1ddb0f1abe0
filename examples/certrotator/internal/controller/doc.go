// Package controller keeps each Certificate's Secret as its spec asks.
//
// Reconcile in certificate_controller.go is the story; each of the other files
// is one step of it: spec, ca, secret, check, issue, renewal, status.
package controller
