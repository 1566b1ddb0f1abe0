// Package prometheus runs a real Prometheus on loopback, as a process of its own, and
// asks it what the dashboard and the rules ask.
package prometheus
