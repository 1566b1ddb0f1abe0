package reconcile

import "fmt"

// PanicError is a panic of a reconciler, as an error; see Options.ConvertPanics.
type PanicError struct {
	// Value is what the reconciler panicked with, as recover returned it.
	Value any
	// Stack is the stack of the panic, as debug.Stack writes it.
	Stack []byte
}

// Error implements error. The stack is not in it.
func (e *PanicError) Error() string { return fmt.Sprintf("reconcile: panic: %v", e.Value) }

// Unwrap returns Value if it is an error, and nil otherwise.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
