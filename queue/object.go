package queue

import "k8s.io/apimachinery/pkg/types"

// Object is what the client of a run learned of the request's own object. The zero
// value says that nothing is known of it.
type Object struct {
	// Found is whether the object is there: the run read or wrote it, and neither
	// missed nor released it after that.
	Found bool

	// Gone is whether the object is known not to be there: a call of the run missed it,
	// or took its last finalizer off. It is not so if Found is.
	Gone bool

	// UID tells an object from one of the same name before it. It is empty if the
	// run neither read nor wrote the object.
	UID types.UID

	// Generation is the object's metadata.generation as the run last read it; what
	// the run wrote before does not replace what it had read. Zero means that it
	// did not read the object, or that its kind has no generation.
	Generation int64

	// Written is the generation that the run's last own change of the object
	// returned. Zero means that it changed none: a write of labels or of the status
	// makes no generation.
	Written int64

	// Deleting is whether the object's deletion has started.
	Deleting bool
}
