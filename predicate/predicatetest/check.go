package predicatetest

import (
	"errors"
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/predicate"
)

// Options configures Check.
type Options struct {
	// Object is an object of the kind that the predicate is for, as full as in
	// life. It must be set, and for a predicate that filters objects it should
	// be one that passes.
	Object client.Object

	// Updates are pairs of objects and what the predicate should say of them.
	Updates []Update

	// DropsCreates is whether the predicate may drop all creates. The default
	// is that this is a fault.
	DropsCreates bool
}

// Validate returns an error that names the first impossible field and its value.
func (o Options) Validate() error {
	if null.Is(o.Object) {
		return fmt.Errorf("predicatetest: Object (%T)(nil): must be set", o.Object)
	}
	for i, u := range o.Updates {
		if null.Is(u.Before) || null.Is(u.After) {
			return fmt.Errorf("predicatetest: Updates[%d] %q: Before and After must be set", i, u.Name)
		}
	}
	return nil
}

// Update is a pair of objects.
type Update struct {
	// Name is what an error calls it.
	Name string

	// Before and After are the objects.
	Before, After client.Object

	// Want is whether the update should pass.
	Want bool
}

// Check returns an error that joins all that is wrong with p, and nil if that
// is nothing. It asks p about a create, one of the initial list, an update, a
// resync, a delete, one that the watch has missed and a generic event: of
// Object and of each update, as they are, as unstructured objects and as
// metadata only; and with no object, and with a nil pointer for one. It is a
// fault
//
//   - to panic, which would end the informer, and with it the process;
//   - to change an object, which is the cache's;
//   - to say something else when asked again, or at the same time: run it with -race;
//   - to say of one of Updates what Want does not;
//   - to drop all creates of the initial list, where updates pass.
//
// A predicate that is asked for its side effects would fail in life: an event
// is asked about once or not at all, depending on the others in the list.
//
// Check panics with the error of Options.Validate if an option is impossible,
// and if p is nil.
func Check(p predicate.Predicate, opts Options) error {
	if null.Is(p) {
		panic(errors.New("predicatetest: Check(nil, …): the predicate must not be nil"))
	}
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	var faults []error
	for _, e := range matrix(opts) {
		_, err := e.check(p)
		faults = append(faults, err)
	}
	for _, u := range opts.Updates {
		e := update(u.Name, u.Before, u.After)
		if admitted, err := e.check(p); err == nil && admitted != u.Want {
			faults = append(faults, fmt.Errorf("predicatetest: %s: passes %t, want %t", e.name, admitted, u.Want))
		}
	}
	if !opts.DropsCreates {
		faults = append(faults, checkCreates(p, opts))
	}
	return errors.Join(faults...)
}

// checkCreates returns an error if updates pass and no create of what is there
// before the process starts does.
func checkCreates(p predicate.Predicate, opts Options) error {
	objects := []client.Object{opts.Object}
	updates := []occasion{update("an update", opts.Object, touched(opts.Object))}
	for _, u := range opts.Updates {
		objects = append(objects, u.Before, u.After)
		updates = append(updates, update(u.Name, u.Before, u.After))
	}
	for _, o := range objects {
		if admitted, err := created("", o, true).ask(p); admitted || err != nil { // a panic has been told
			return nil
		}
	}
	for _, u := range updates {
		if admitted, _ := u.ask(p); admitted {
			return fmt.Errorf("predicatetest: %s passes, and no create of the initial list: what is left undone when the process ends is never taken up; "+
				"let creates pass, or set DropsCreates if that is meant", u.name)
		}
	}
	return nil
}

// touched is an update of o that changes what nearly every filter for changes
// looks at.
func touched(o client.Object) client.Object {
	o = o.DeepCopyObject().(client.Object)
	o.SetResourceVersion(o.GetResourceVersion() + "1")
	o.SetGeneration(o.GetGeneration() + 1)
	o.SetLabels(with(o.GetLabels()))
	o.SetAnnotations(with(o.GetAnnotations()))
	return o
}

func with(entries map[string]string) map[string]string {
	more := map[string]string{"predicatetest": "touched"}
	maps.Copy(more, entries)
	return more
}

func created(name string, o client.Object, initial bool) occasion {
	return occasion{name, []client.Object{o}, func(p predicate.Predicate) bool {
		return p.Create(event.CreateEvent{Object: o, IsInInitialList: initial})
	}}
}

func update(name string, before, after client.Object) occasion {
	return occasion{"update " + name, []client.Object{before, after}, func(p predicate.Predicate) bool {
		return p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
	}}
}
