// Package slow is a transport that delays the calls of the API by what they do, and
// keeps its own record of them, to hold other records against.
package slow
