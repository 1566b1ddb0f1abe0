package predicate

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/internal/null"
)

// verdict is what a predicate says. One that does not look at events of a kind
// abstains there, which lets an event pass that no other predicate drops.
type verdict uint8

const (
	abstain verdict = iota
	drop
	pass
)

// verdictOf returns the verdict for what a predicate of controller-runtime says.
func verdictOf(admitted bool) verdict {
	if admitted {
		return pass
	}
	return drop
}

// opposite returns the verdict turned round. To abstain stays that.
func opposite(v verdict) verdict {
	switch v {
	case drop:
		return pass
	case pass:
		return drop
	default:
		return abstain
	}
}

// occasion is what a predicate is asked about. No object in it is nil.
type occasion struct {
	kind          Events        // one of them, or none: an object alone, which Matches asks about
	before, after client.Object // before only of an update

	isInInitialList, deleteStateUnknown bool

	turned  bool // None stands further out, and turns the verdict round
	guarded bool // a Guard stands further out
}

// judge is one of our predicates, or another's as they see it.
type judge interface {
	judge(e occasion) verdict

	// fits returns an error if the predicate has nothing to go by in objects of
	// the Go type t.
	fits(t reflect.Type) error
}

// filter is the predicate that asks its function. Without an object it says no.
type filter struct {
	decide func(e occasion) verdict
	fit    func(t reflect.Type) error // nil if it fits all
}

func (f *filter) judge(e occasion) verdict { return f.decide(e) }

func (f *filter) fits(t reflect.Type) error {
	if f.fit == nil {
		return nil
	}
	return f.fit(t)
}

func (f *filter) Create(e event.CreateEvent) bool {
	return !null.Is(e.Object) &&
		f.decide(occasion{kind: Creates, after: e.Object, isInInitialList: e.IsInInitialList}) != drop
}

func (f *filter) Update(e event.UpdateEvent) bool {
	return !null.Is(e.ObjectOld) && !null.Is(e.ObjectNew) &&
		f.decide(occasion{kind: Updates, before: e.ObjectOld, after: e.ObjectNew}) != drop
}

func (f *filter) Delete(e event.DeleteEvent) bool {
	return !null.Is(e.Object) &&
		f.decide(occasion{kind: Deletes, after: e.Object, deleteStateUnknown: e.DeleteStateUnknown}) != drop
}

func (f *filter) Generic(e event.GenericEvent) bool {
	return !null.Is(e.Object) && f.decide(occasion{kind: Generics, after: e.Object}) != drop
}

// updatesOnly is the predicate that asks its function about updates and lets the
// rest pass. What it says of the start of a deletion is up to the function.
func updatesOnly(passes func(before, after client.Object) bool) Predicate {
	return &filter{decide: func(e occasion) verdict {
		if e.kind != Updates {
			return abstain
		}
		return verdictOf(passes(e.before, e.after))
	}}
}

// objectsOnly is the predicate that asks its function about the object, whatever
// has happened to it. Of the objects that match it passes what the predicates let
// pass, and in any case an update that makes the object match, or match no longer:
// the others can't know that this is one.
func objectsOnly(name string, matches func(o client.Object) bool, predicates ...Predicate) *filter {
	all := combine(name, predicates, drop)
	return &filter{
		decide: func(e occasion) verdict {
			is := matches(e.after)
			switch {
			case e.kind == Updates && matches(e.before) != is:
				return verdictOf(!e.turned) // so that it passes None, too
			case !is:
				return drop
			}
			return verdictOf(all.judge(e) != drop)
		},
		fit: all.fit,
	}
}
