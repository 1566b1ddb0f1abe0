package predicate

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/trimtab/trimtab/internal/null"
)

// All returns a predicate that passes an event which none of the predicates drops,
// as builder.WithPredicates does with a list. All of none passes every event.
//
// All, Any and None ask each predicate only about the kinds of events that it looks
// at; if there is none for a kind, its events pass. Of ours, the filters for changes
// look at updates alone, the filters for objects at every event. Of another's, a
// Funcs looks at what it has a function for, and controller-runtime's predicates for
// changes at updates. Whether others mean a yes to a create, delete or generic event
// nobody can tell: it counts for Any, and not against None, so that the event passes.
//
// They panic if a predicate is nil.
func All(predicates ...Predicate) Predicate {
	return combine("All", predicates, drop)
}

// Any returns a predicate that passes an event which one of the predicates passes:
//
//	predicate.Any(predicate.SpecChanged(), predicate.AnnotationsChanged("example.com/force"))
//
// See [All] for which of them are asked. So a filter for creates is not undone by one
// for updates beside it, as by Or, which takes for a yes that the latter lets them
// pass. Any panics without predicates, as it would drop everything.
func Any(predicates ...Predicate) Predicate {
	if len(predicates) == 0 {
		panic(errors.New("predicate: Any(): must have at least one predicate"))
	}
	return combine("Any", predicates, pass)
}

// None returns a predicate that passes an event which none of the predicates passes:
//
//	predicate.None(predicate.InNamespaces("kube-system"))
//
// See [All] for which of them are asked. So None of a filter for changes drops these
// changes, and no create or delete, as Not would; nor does it drop an update that
// starts the deletion or in which another object has taken the name, unless it is None
// of DeletionStarted. None of none passes every event.
func None(predicates ...Predicate) Predicate {
	some := combine("None", predicates, pass)
	return &filter{fit: some.fit, decide: func(e occasion) verdict {
		e.turned = !e.turned
		return opposite(some.judge(e))
	}}
}

// combine returns a filter whose verdict is the decisive one if a predicate's is, and
// else the other one if a predicate's is.
func combine(name string, predicates []Predicate, decisive verdict) *filter {
	parts := make([]judge, len(predicates))
	for i, p := range predicates {
		if null.Is(p) {
			panic(fmt.Errorf("predicate: %s: predicate %d is nil", name, i))
		}
		parts[i] = judged(p)
	}
	return &filter{
		decide: func(e occasion) verdict {
			sum := abstain
			for _, p := range parts {
				v := p.judge(e)
				if v == decisive {
					return v
				}
				if v != abstain {
					sum = v
				}
			}
			return sum
		},
		fit: func(t reflect.Type) error {
			for _, p := range parts {
				if err := p.fits(t); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
