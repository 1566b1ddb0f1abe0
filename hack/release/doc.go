// Package release is tests of what users get: the modules as a release would publish
// them, taken into operators by go get and gonew through a module proxy of files.
package release
