// Package leash ties child processes to the life of their parent, so that an
// API server and its etcd do not outlive a test or a demo that was killed.
//
// A program that wants to start a tool through a leash makes a folder of
// aliases with [Alias], starts the alias instead of the tool, and calls
// [Become] first thing in its main function: the alias is the program itself
// under the tool's name, which asks the kernel to be killed with its parent
// and then turns into the tool. Only Linux can do this; elsewhere an alias is
// the tool itself.
package leash
