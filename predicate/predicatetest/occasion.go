package predicatetest

import (
	"fmt"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/predicate"
)

// occasion is an event that a predicate is asked about.
type occasion struct {
	name    string
	objects []client.Object // in it
	event   func(p predicate.Predicate) bool
}

// ask returns the answer, or an error if p panics.
func (o occasion) ask(p predicate.Predicate) (admitted bool, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("predicatetest: %s: panics: %v", o.name, panicked)
		}
	}()
	return o.event(p), nil
}

// check returns the answer, and an error if p does what no predicate should.
func (o occasion) check(p predicate.Predicate) (admitted bool, err error) {
	before := copies(o.objects)
	if admitted, err = o.ask(p); err != nil {
		return false, err
	}
	const callers = 4
	var others [callers]bool
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() { others[i], _ = o.ask(p) })
	}
	wg.Wait()
	for _, other := range others {
		if other != admitted {
			return false, fmt.Errorf("predicatetest: %s: passes %t, and asked again %t", o.name, admitted, other)
		}
	}
	for i, object := range o.objects {
		if !reflect.DeepEqual(object, before[i]) {
			return false, fmt.Errorf("predicatetest: %s: changes the object", o.name)
		}
	}
	return admitted, nil
}

func copies(objects []client.Object) []client.Object {
	copied := make([]client.Object, len(objects))
	for i, o := range objects {
		copied[i] = o
		if !null.Is(o) {
			copied[i] = o.DeepCopyObject().(client.Object)
		}
	}
	return copied
}

// matrix returns every kind of event with every form of object.
func matrix(opts Options) []occasion {
	var all []occasion
	for _, form := range formsOf(opts.Object) {
		all = append(all, events(form.name, form.object)...)
		all = append(all, update("of "+form.name, form.object, touched(form.object)))
	}
	for _, u := range opts.Updates {
		before, after := formsOf(u.Before), formsOf(u.After)
		for i := range min(len(before), len(after)) {
			all = append(all, update(u.Name+" of "+before[i].name, before[i].object, after[i].object))
		}
	}
	typedNil, _ := reflect.TypeAssert[client.Object](reflect.Zero(reflect.TypeOf(opts.Object)))
	for _, none := range []form{{"no object", nil}, {fmt.Sprintf("a nil %T", opts.Object), typedNil}} {
		all = append(all, events(none.name, none.object)...)
		all = append(all,
			update("from "+none.name, none.object, opts.Object),
			update("to "+none.name, opts.Object, none.object))
	}
	return all
}

// events returns one event of each kind with that object.
func events(name string, o client.Object) []occasion {
	objects := []client.Object{o}
	return []occasion{
		created("create of "+name, o, false),
		created("create of "+name+" in the initial list", o, true),
		{"resync of " + name, objects, func(p predicate.Predicate) bool {
			return p.Update(event.UpdateEvent{ObjectOld: o, ObjectNew: o})
		}},
		{"delete of " + name, objects, func(p predicate.Predicate) bool {
			return p.Delete(event.DeleteEvent{Object: o})
		}},
		{"missed delete of " + name, objects, func(p predicate.Predicate) bool {
			return p.Delete(event.DeleteEvent{Object: o, DeleteStateUnknown: true})
		}},
		{"generic event of " + name, objects, func(p predicate.Predicate) bool {
			return p.Generic(event.GenericEvent{Object: o})
		}},
	}
}

// form is an object as one of the types in which a cache can hold it.
type form struct {
	name   string
	object client.Object
}

// formsOf returns o as it is, and if that can be, as unstructured and as
// metadata only.
func formsOf(o client.Object) []form {
	forms := []form{{fmt.Sprintf("a %T", o), o}}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return forms
	}
	forms = append(forms, form{"an unstructured object", &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}})
	partial := &metav1.PartialObjectMetadata{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(content, partial) == nil {
		forms = append(forms, form{"metadata only", partial})
	}
	return forms
}
