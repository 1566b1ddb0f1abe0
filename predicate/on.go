package predicate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/null"
)

// Events are kinds of events: some of the constants, joined by |. The zero value
// is none.
type Events uint8

// The kinds of events.
const (
	// Creates are the objects that are there when the process starts, and those that
	// come after, also by a label that brings them into the cache's selector.
	Creates Events = 1 << iota
	// Updates are what happens to an object, the start of a deletion that a finalizer
	// holds up among it, and the resyncs of the cache.
	Updates
	// Deletes are the objects that have gone, or left the cache's selector.
	Deletes
	// Generics are what comes from a channel.
	Generics

	allEvents = Creates | Updates | Deletes | Generics
)

// On returns a predicate that passes events of these kinds and drops the others:
//
//	predicate.All(predicate.On(predicate.Deletes), predicate.InNamespaces("prod"))
//
// Think twice before you drop creates: all that is there when the process starts
// comes as one, and so what was left to do when it ended. To filter updates and let
// the rest pass, there is OnUpdate.
//
// It panics if events is empty, or has bits that are no kind.
func On(events Events) Predicate {
	if events == 0 || events&^allEvents != 0 {
		panic(fmt.Errorf("predicate: On(%#b): must be some of Creates, Updates, Deletes and Generics", events))
	}
	return &filter{decide: func(e occasion) verdict {
		if e.kind == 0 {
			return abstain
		}
		return verdictOf(events&e.kind != 0)
	}}
}

// OnUpdate returns a predicate that asks p about updates and passes creates,
// deletes and generic events. It panics if p is nil.
func OnUpdate(p Predicate) Predicate {
	if null.Is(p) {
		panic(errors.New("predicate: OnUpdate(nil): the predicate must not be nil"))
	}
	inner := judged(p)
	return &filter{
		decide: func(e occasion) verdict {
			if e.kind != Updates {
				return abstain
			}
			return inner.judge(e)
		},
		fit: inner.fits,
	}
}

// String returns the names of the kinds, such as "create|update", and "none" for the
// zero value.
func (e Events) String() string {
	names := make([]string, 0, 4)
	for i, name := range []string{"create", "update", "delete", "generic"} {
		if e&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "|")
}
