package predicate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
)

// isA is a filter for objects as authors write it: with Funcs, or a type of their own.
type isA struct{}

func (isA) Create(e event.CreateEvent) bool   { return e.Object.GetName() == "a" }
func (isA) Update(e event.UpdateEvent) bool   { return e.ObjectNew.GetName() == "a" }
func (isA) Delete(e event.DeleteEvent) bool   { return e.Object.GetName() == "a" }
func (isA) Generic(e event.GenericEvent) bool { return e.Object.GetName() == "a" }

// labelChanged is a filter for changes as authors write it: an embedded Funcs says yes
// to what is not in it.
type labelChanged struct{ predicate.Funcs }

func (labelChanged) Update(e event.UpdateEvent) bool {
	return e.ObjectOld.GetLabels()["a"] != e.ObjectNew.GetLabels()["a"]
}

// answers is what a predicate says of the events of objects that are named a and z, and
// of updates without a change, with a new label, and with the start of a deletion.
type answers struct {
	createA, createZ, deleteZ, genericZ, same, label, deletion bool
}

func answersOf(p predicate.Predicate) answers {
	a, z := secret(), change(client.Object(secret()), func(o client.Object) { o.SetName("z") })
	labelled := as(client.Object(a), func(o client.Object) { o.SetLabels(map[string]string{"a": "b"}) })
	deleted := as(client.Object(a), func(o client.Object) { o.SetDeletionTimestamp(&deletedAt) })
	return answers{
		createA:  p.Create(event.CreateEvent{Object: a, IsInInitialList: true}),
		createZ:  p.Create(event.CreateEvent{Object: z}),
		deleteZ:  p.Delete(event.DeleteEvent{Object: z}),
		genericZ: p.Generic(event.GenericEvent{Object: z}),
		same:     p.Update(event.UpdateEvent{ObjectOld: a, ObjectNew: as(client.Object(a), func(client.Object) {})}),
		label:    p.Update(event.UpdateEvent{ObjectOld: a, ObjectNew: labelled}),
		deletion: p.Update(event.UpdateEvent{ObjectOld: a, ObjectNew: deleted}),
	}
}

// A combination asks each predicate only of what it looks at: no kind of event is lost,
// or let through, by a predicate that says nothing of it.
func TestCombinations_PR12(t *testing.T) {
	labels, generation := predicate.LabelsChanged("a"), predicate.GenerationChangedPredicate{}
	onlyA := predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool { return e.Object.GetName() == "a" }}
	funcA := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetName() == "a" })
	all := answers{true, true, true, true, true, true, true}
	onlyThoseOfA := answers{createA: true, same: true, label: true, deletion: true}
	onlyCreatesOfA := answers{true, false, true, true, true, true, true}
	noLabels := answers{true, true, true, true, true, false, true}
	changesOnly := answers{true, true, true, true, false, true, true}
	for name, tt := range map[string]struct {
		p    predicate.Predicate
		want answers
	}{
		"All of none":                         {predicate.All(), all},
		"None of none":                        {predicate.None(), all},
		"All, object and change":              {predicate.All(predicate.Named("a"), labels), answers{createA: true, label: true, deletion: true}},
		"All, foreign object and change":      {predicate.All(isA{}, labels), answers{createA: true, label: true, deletion: true}},
		"Any of changes":                      {predicate.Any(labels, predicate.SpecChanged()), answers{true, true, true, true, true, true, true}.but(func(a *answers) { a.same = false })},
		"Any, object and change":              {predicate.Any(predicate.Named("a"), labels), onlyThoseOfA},
		"Any, creates and change":             {predicate.Any(onlyA, labels), onlyCreatesOfA.but(func(a *answers) { a.same = false })},
		"Any, creates and a stock change":     {predicate.Any(onlyA, generation), onlyCreatesOfA.but(func(a *answers) { a.same, a.label, a.deletion = false, false, false })},
		"Any, Funcs for objects and change":   {predicate.Any(funcA, labels), onlyThoseOfA},
		"Any, foreign object and change":      {predicate.Any(isA{}, labels), onlyThoseOfA},
		"Any, object and foreign change":      {predicate.Any(predicate.Named("a"), labelChanged{}), all}, // in doubt it passes
		"Any, kinds and change":               {predicate.Any(predicate.On(predicate.Deletes), labels), answers{deleteZ: true, label: true, deletion: true}},
		"None of a change":                    {predicate.None(labels), noLabels},
		"None of a stock change":              {predicate.None(generation), all},
		"None of a stock change, by pointer":  {predicate.None(&generation), all},
		"None of Funcs for updates":           {predicate.None(predicate.Funcs{UpdateFunc: labelChanged{}.Update}), noLabels},
		"None of a foreign change":            {predicate.None(labelChanged{}), noLabels},
		"None of changes":                     {predicate.None(predicate.Any(labels, predicate.OwnersChanged())), noLabels},
		"None of the start of a deletion":     {predicate.None(predicate.DeletionStarted()), all.but(func(a *answers) { a.deletion = false })},
		"None of an object":                   {predicate.None(predicate.Named("a")), answers{createZ: true, deleteZ: true, genericZ: true}},
		"None of Funcs for objects":           {predicate.None(funcA), answers{createZ: true, deleteZ: true, genericZ: true}},
		"None of a foreign object":            {predicate.None(isA{}), answers{true, true, true, true, false, false, true}}, // in doubt it passes
		"None of object and change":           {predicate.None(predicate.All(predicate.Named("a"), labels)), answers{createZ: true, deleteZ: true, genericZ: true, same: true, deletion: true}},
		"None of None of a change":            {predicate.None(predicate.None(labels)), changesOnly},
		"OnUpdate of an object":               {predicate.OnUpdate(predicate.Named("z")), answers{createA: true, createZ: true, deleteZ: true, genericZ: true}},
		"OnUpdate of a foreign object":        {predicate.OnUpdate(isA{}), all},
		"OnUpdate of a change":                {predicate.OnUpdate(labels), changesOnly},
		"None of OnUpdate of a change":        {predicate.None(predicate.OnUpdate(labels)), noLabels},
		"On creates":                          {predicate.On(predicate.Creates), answers{createA: true, createZ: true}},
		"On updates and deletes":              {predicate.On(predicate.Updates | predicate.Deletes), answers{deleteZ: true, same: true, label: true, deletion: true}},
		"On generic events":                   {predicate.On(predicate.Generics), answers{genericZ: true}},
		"controller-runtime's And with ours":  {predicate.And(predicate.Named("a"), labels), answers{createA: true, label: true, deletion: true}},
		"Guard and Observe change nothing":    {predicate.None(predicate.Guard(nil, predicate.Observe(&counts{}, 0, "p", labels))), noLabels},
		"Any, object and change, in disguise": {predicate.Any(predicate.Guard(nil, predicate.Named("a")), predicate.All(labels)), onlyThoseOfA},
	} {
		require.Equal(t, tt.want, answersOf(tt.p), name)
	}

	// What the stock ones do.
	not := predicate.Not[client.Object](generation)
	require.False(t, not.Create(event.CreateEvent{Object: secret()}))
	or := predicate.Or[client.Object](onlyA, generation)
	require.True(t, or.Create(event.CreateEvent{Object: change(client.Object(secret()), func(o client.Object) { o.SetName("z") })}))
}

func (a answers) but(f func(*answers)) answers { f(&a); return a }

// The parts of a combination of predicates are handed all that an event holds.
func TestForeignSeesAll(t *testing.T) {
	var got []any
	spy := predicate.Funcs{
		CreateFunc:  func(e event.CreateEvent) bool { got = append(got, e); return true },
		UpdateFunc:  func(e event.UpdateEvent) bool { got = append(got, e); return true },
		DeleteFunc:  func(e event.DeleteEvent) bool { got = append(got, e); return true },
		GenericFunc: func(e event.GenericEvent) bool { got = append(got, e); return true },
	}
	a, b := secret(), secret()
	create, update := fill(t, event.CreateEvent{}, client.Object(a)), fill(t, event.UpdateEvent{}, client.Object(a), b)
	deletion, generic := fill(t, event.DeleteEvent{}, client.Object(a)), fill(t, event.GenericEvent{}, client.Object(a))
	p := predicate.All(spy)
	require.True(t, p.Create(create))
	require.True(t, p.Update(update))
	require.True(t, p.Delete(deletion))
	require.True(t, p.Generic(generic))
	require.Equal(t, []any{create, update, deletion, generic}, got)
}

func TestEventsString(t *testing.T) {
	for e, want := range map[predicate.Events]string{
		0: "none", predicate.Creates: "create", predicate.Updates | predicate.Deletes: "update|delete", predicate.Generics: "generic",
	} {
		require.Equal(t, want, e.String())
	}
}
