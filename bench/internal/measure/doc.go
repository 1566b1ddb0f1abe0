// Package measure runs benchmarks, keeps what they print, and has benchstat tell the
// medians.
package measure
