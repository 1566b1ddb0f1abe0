package requeue

import (
	"errors"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Merge returns what a reconciler of several steps returns, of what the steps have
// returned: the [Soonest] of results, and errs joined. Neither has to be as long as
// the other, and nil errors are none.
//
// The error is terminal, so that nobody retries it, only if all of errs are:
// otherwise the steps whose errors are not would wait for ever. Each of errs is
// found by [errors.Is] and [errors.As] all the same.
//
// A delay beside the error is not lost, nor does it put the retry off: in package
// reconcile's chain, in front of Trimtab's queue, that comes when the rate limiter
// says, or after the delay if this is sooner. controller-runtime's own queue knows
// no delay beside an error, and a terminal error has none.
func Merge(results []reconcile.Result, errs []error) (reconcile.Result, error) {
	result := Soonest(results...)
	var all []error
	terminal := 0
	for _, err := range errs {
		if err == nil {
			continue
		}
		all = append(all, err)
		if isTerminal(err) {
			terminal++
		}
	}
	switch len(all) {
	case 0:
		return result, nil
	case terminal:
		return result, errors.Join(all...)
	default:
		return result, &mergedError{errs: all, within: result.RequeueAfter}
	}
}

// mergedError is joined errors that are not terminal. It has no Unwrap, by which
// one of them that is terminal would be found.
type mergedError struct {
	errs   []error
	within time.Duration
}

// Error implements error: a line for each of them, as [errors.Join] has it.
func (m *mergedError) Error() string {
	lines := make([]string, len(m.errs))
	for i, err := range m.errs {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether one of them is target, which is no terminal error.
func (m *mergedError) Is(target error) bool {
	return !isTerminal(target) && errors.Is(errors.Join(m.errs...), target)
}

// As finds the first of them that is a target.
func (m *mergedError) As(target any) bool { return errors.As(errors.Join(m.errs...), target) }

// WrappedErrors returns all of them. Package errors doesn't know the method, and what
// looks for the class of an error does.
func (m *mergedError) WrappedErrors() []error { return m.errs }

// RequeueWithin is the longest that a retry may wait, by which package reconcile's
// chain knows that the delay beside the error is no more than that. Zero is no limit.
func (m *mergedError) RequeueWithin() time.Duration { return m.within }

func isTerminal(err error) bool { return errors.Is(err, reconcile.TerminalError(nil)) }
