package predicate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// IgnoreFieldManagers returns a predicate that drops the updates which only
// these field managers have made, such as your own: a manager's name is what
// client.FieldOwner says, or else the name of the program that wrote.
//
// It goes by managedFields: an update is dropped if an entry of one of these
// managers is other than before, and no entry of anybody else. In doubt it
// passes: if the objects have no managedFields, as a cache has none with
// TransformStripManagedFields; if your write took fields over from another
// manager; and if no entry tells who has written, since their times are of
// seconds. A resync passes, as nobody has written: see [DropResync].
//
// Updates that start the deletion pass, whoever did it, and so do creates,
// deletes and generic events. It panics without managers, and if one is empty.
func IgnoreFieldManagers(managers ...string) Predicate {
	switch {
	case len(managers) == 0:
		panic(errors.New("predicate: IgnoreFieldManagers(): must have at least one manager"))
	case slices.Contains(managers, ""):
		panic(fmt.Errorf("predicate: IgnoreFieldManagers(%q): no manager may be empty", managers))
	}
	managers = slices.Clone(managers)
	return &changes{changed: func(before, after client.Object) bool {
		b, a := before.GetManagedFields(), after.GetManagedFields()
		mine, others := false, false
		for _, entries := range [2]struct{ from, in []metav1.ManagedFieldsEntry }{{b, a}, {a, b}} {
			for i := range entries.from {
				switch e := &entries.from[i]; {
				case hasEntry(entries.in, e):
				case slices.Contains(managers, e.Manager):
					mine = true
				default:
					others = true
				}
			}
		}
		return others || !mine
	}}
}

// hasEntry tells whether the very entry is among entries.
func hasEntry(entries []metav1.ManagedFieldsEntry, e *metav1.ManagedFieldsEntry) bool {
	for i := range entries {
		if o := &entries[i]; o.Manager == e.Manager && o.Operation == e.Operation && o.Subresource == e.Subresource &&
			o.APIVersion == e.APIVersion && o.Time.Equal(e.Time) && sameFieldSet(o.FieldsV1, e.FieldsV1) {
			return true
		}
	}
	return false
}

func sameFieldSet(a, b *metav1.FieldsV1) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Raw, b.Raw)
}
