package predicate

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/event"
)

// judged returns p as ours see it. Of a predicate of somebody else's it must be
// known, or guessed, about which kinds of events it has something to say.
func judged(p Predicate) judge {
	switch p := p.(type) {
	case judge:
		return p
	case Funcs:
		return foreign{Predicate: p, kinds: kindsOf(p), changes: kindsOf(p) == Updates}
	case GenerationChangedPredicate, ResourceVersionChangedPredicate, AnnotationChangedPredicate, LabelChangedPredicate,
		*GenerationChangedPredicate, *ResourceVersionChangedPredicate, *AnnotationChangedPredicate, *LabelChangedPredicate:
		return foreign{Predicate: p, kinds: Updates, changes: true}
	default:
		return foreign{Predicate: p, kinds: allEvents, changes: true, doubtful: true}
	}
}

// kindsOf returns the kinds for which there is a function.
func kindsOf(f Funcs) (kinds Events) {
	for kind, has := range map[Events]bool{
		Creates:  f.CreateFunc != nil,
		Updates:  f.UpdateFunc != nil,
		Deletes:  f.DeleteFunc != nil,
		Generics: f.GenericFunc != nil,
	} {
		if has {
			kinds |= kind
		}
	}
	return kinds
}

// foreign is a predicate that is not ours.
type foreign struct {
	Predicate
	kinds   Events // of which it says something
	changes bool   // it looks at what has changed, not at what the object is

	// doubtful is whether its yes to other events than updates can be the yes of an
	// embedded Funcs, and so mean nothing.
	doubtful bool
}

func (f foreign) fits(reflect.Type) error { return nil }

func (f foreign) judge(e occasion) verdict {
	kind := e.kind
	if kind == 0 {
		kind = Generics
	}
	if f.kinds&kind == 0 {
		return abstain
	}
	if e.turned && f.changes && kind == Updates && lifeChanged(e.before, e.after) {
		return drop
	}
	admitted := f.ask(kind, e)
	if admitted && e.turned && f.doubtful && kind != Updates {
		return abstain
	}
	return verdictOf(admitted)
}

func (f foreign) ask(kind Events, e occasion) bool {
	switch kind {
	case Creates:
		return f.Create(event.CreateEvent{Object: e.after, IsInInitialList: e.isInInitialList})
	case Updates:
		return f.Update(event.UpdateEvent{ObjectOld: e.before, ObjectNew: e.after})
	case Deletes:
		return f.Delete(event.DeleteEvent{Object: e.after, DeleteStateUnknown: e.deleteStateUnknown})
	default:
		return f.Generic(event.GenericEvent{Object: e.after})
	}
}
