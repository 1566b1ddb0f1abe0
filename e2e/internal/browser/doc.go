// Package browser drives Debian's Chromium, without a window, for the tests of what
// people see.
package browser
