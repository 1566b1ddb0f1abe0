package ratelimit

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"
)

// faults are the faults of some options, in the order of their fields; nil is none.
type faults []*fault

// fault is what is wrong with a field.
type fault struct {
	field string // its path, such as `byError.classes["conflict"].exponential.baseDelay`
	text  string
	floor string // the field in text, if there is one
}

// Error implements error.
func (f *fault) Error() string { return "ratelimit: " + f.field + f.text }

// first returns the first fault as an error, or nil.
func first(all faults) error {
	for _, f := range all {
		if f != nil {
			return f
		}
	}
	return nil
}

func bad(field string, value any, format string, args ...any) *fault {
	return &fault{field: field, text: fmt.Sprintf(" is %v, want "+format, append([]any{value}, args...)...)}
}

func atLeastZero[N cmp.Ordered](field string, value N) *fault {
	if value < *new(N) {
		return bad(field, value, "at least 0")
	}
	return nil
}

func notBelow[N cmp.Ordered](field string, value N, floor string, least N) *fault {
	if value < least {
		f := bad(field, value, "at least %s, %v", floor, least)
		f.floor = floor
		return f
	}
	return nil
}

func factor(field string, value float64) *fault {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 1 {
		return bad(field, value, "a finite number of at least 1")
	}
	return nil
}

func fraction(field string, value float64) *fault {
	if math.IsNaN(value) || value < 0 || value > 1 {
		return bad(field, value, "a number from 0 to 1")
	}
	return nil
}

func positive[N float64 | time.Duration](field string, value N) *fault {
	if f := float64(value); math.IsNaN(f) || math.IsInf(f, 0) || f <= 0 {
		return bad(field, value, "a finite number of more than 0")
	}
	return nil
}

// setDefault gives *value a default in place of zero.
func setDefault[N int | float64 | time.Duration](value *N, instead N) {
	if *value == 0 {
		*value = instead
	}
}

func atMost(field string, value, most float64) *fault {
	if value > most {
		return bad(field, value, "at most %v", most)
	}
	return nil
}

func atLeastOne(field string, value int) *fault {
	if value < 1 {
		return bad(field, value, "at least 1")
	}
	return nil
}

// A rate of one in 292 years is as far as a [time.Duration] goes.
func rateNotTooLow(field string, value float64) *fault {
	if value > 0 && 1/value > math.MaxInt64/float64(time.Second) {
		return bad(field, value, "more: one would be there in over 292 years")
	}
	return nil
}

// at returns the path of a field inside another.
func at(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// element returns the path of the element at index i of a list.
func element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// key returns the path of what a name stands for that a user has chosen.
func key(path, name string) string { return fmt.Sprintf("%s[%q]", path, name) }

// within returns the faults of the options at path, in the way that data has it: with
// small first letters.
func within(path string, of faults) (all faults) {
	for _, f := range of {
		if f != nil {
			text := strings.Replace(f.text, f.floor, small(f.floor), 1)
			all = append(all, &fault{field: at(path, small(f.field)), text: text})
		}
	}
	return all
}

// small returns name with a small first letter, or all of them for one like TTL.
func small(name string) string {
	if name == "" || name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// isFailure reports whether class can be that of a failure.
func isFailure(class string) bool { return class != "" && class != "success" }
