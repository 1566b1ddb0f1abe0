package predicate

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
)

// InSelector returns a predicate that passes the events of objects which the
// selector matches, as far as all the predicates pass them, and every update by
// which an object enters or leaves: so one that leaves passes once more, for
// you to clean up. Ask [Matches] which it is. Give it the predicates that go
// with it, rather than put them beside it: a filter for other changes would
// drop an update of the labels alone.
//
//	predicate.InSelector(selector, predicate.SpecChanged())
//
// labels.Parse("app=web"), labels.SelectorFromSet and
// metav1.LabelSelectorAsSelector make a selector; an empty one matches all. It
// filters creates, deletes and generic events, too. If the cache itself has the
// selector, leaving comes as a delete. InSelector panics if the selector or a
// predicate is nil.
func InSelector(selector labels.Selector, predicates ...Predicate) Predicate {
	if null.Is(selector) {
		panic(errors.New("predicate: InSelector(nil): the selector must not be nil"))
	}
	return objectsOnly("InSelector", func(o client.Object) bool {
		if u, ok := o.(*unstructured.Unstructured); ok {
			return selector.Matches(rawLabels(tableOf("labels").raw(u)))
		}
		return selector.Matches(labels.Set(o.GetLabels()))
	}, predicates...)
}

// rawLabels are the labels of an Unstructured, not a copy.
type rawLabels map[string]any

// Has implements labels.Labels.
func (r rawLabels) Has(key string) bool { _, ok := r.Lookup(key); return ok }

// Get implements labels.Labels.
func (r rawLabels) Get(key string) string { value, _ := r.Lookup(key); return value }

// Lookup implements labels.Labels.
func (r rawLabels) Lookup(key string) (value string, ok bool) {
	value, ok = r[key].(string)
	return value, ok
}

// InNamespaces returns a predicate that passes the events of objects in these
// namespaces. An object without a namespace is in none.
//
// It filters creates, updates, deletes and generic events. A cache that holds
// these namespaces only, by cache.Options, spares more. It panics without
// namespaces, and if no namespace can have one of the names.
func InNamespaces(namespaces ...string) Predicate {
	if len(namespaces) == 0 {
		panic(errors.New("predicate: InNamespaces(): must have at least one namespace"))
	}
	for _, name := range namespaces {
		if faults := validation.IsDNS1123Label(name); len(faults) > 0 {
			panic(fmt.Errorf("predicate: InNamespaces: namespace %q: %s", name, faults[0]))
		}
	}
	namespaces = slices.Clone(namespaces)
	return objectsOnly("InNamespaces", func(o client.Object) bool { return slices.Contains(namespaces, o.GetNamespace()) })
}

// Named returns a predicate that passes the events of objects with these names,
// in whatever namespace:
//
//	predicate.All(predicate.InNamespaces("cert-system"), predicate.Named("ca"))
//
// It filters creates, updates, deletes and generic events. A cache that holds
// these objects only, by a field selector, spares more. It panics without
// names, and if one is empty.
func Named(names ...string) Predicate {
	switch {
	case len(names) == 0:
		panic(errors.New("predicate: Named(): must have at least one name"))
	case slices.Contains(names, ""):
		panic(fmt.Errorf("predicate: Named(%q): no name may be empty", names))
	}
	names = slices.Clone(names)
	return objectsOnly("Named", func(o client.Object) bool { return slices.Contains(names, o.GetName()) })
}
