// Package board holds the rows, panels and queries of the Grafana dashboard, each
// once, and builds the dashboard of them with the Grafana foundation SDK.
package board
