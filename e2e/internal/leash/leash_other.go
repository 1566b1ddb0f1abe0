//go:build !linux

package leash

import "syscall"

// Become does nothing where there is no leash.
func Become() {}

// Attributes are empty where there is no leash.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{}
}

// target returns what the alias of the tool at path points at: the tool.
func target(path string) (string, error) {
	return path, nil
}
