package predicate

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// SpecChanged returns a predicate that passes an update which changes what a
// user asks for:
//
//   - of a kind with a generation, one that raises it and changes more than
//     metadata and status: kinds without a status subresource raise the
//     generation with each write of their status, and Deployments with each
//     annotation;
//   - of a kind without one, as Secret, Service, Node or Namespace, one that
//     changes more than status, managedFields and resourceVersion. Labels,
//     annotations, finalizers and owners count here, since nothing else tells
//     whether they are meant; see [DataChanged] for a filter without them;
//   - of any kind, one that starts the deletion, or in which another object has
//     taken the name, as with all filters for changes.
//
// So a resync does not pass, nor an apply that changes managedFields alone. The
// content of PartialObjectMetadata is not there to compare: it counts as
// changed when the generation does, and without a generation when the
// resourceVersion does.
//
// Creates, deletes and generic events pass. At equal generations it allocates
// nothing and costs a few nanoseconds more than GenerationChangedPredicate; it
// compares content only where the generation can't decide.
func SpecChanged() Predicate {
	s := &spec{}
	s.changed = s.specChanged
	return s
}

// spec is the predicate of SpecChanged, which most watches have: its Update goes by no
// function where the generation decides.
type spec struct {
	changes
	layouts
}

func (s *spec) Update(e event.UpdateEvent) bool {
	if isNil(e.ObjectOld) || isNil(e.ObjectNew) {
		return false
	}
	if was, is := e.ObjectOld.GetGeneration(), e.ObjectNew.GetGeneration(); was == is && is > 0 {
		return lifeChanged(e.ObjectOld, e.ObjectNew)
	}
	return lifeChanged(e.ObjectOld, e.ObjectNew) || s.specChanged(e.ObjectOld, e.ObjectNew)
}

func (l *layouts) specChanged(before, after client.Object) bool {
	switch was, is := before.GetGeneration(), after.GetGeneration(); {
	case is != was:
		return !l.sameContent(before, after)
	case is > 0 || sameVersion(before, after):
		return false
	default:
		return !sameMetadata(before, after) || !l.sameContent(before, after)
	}
}
