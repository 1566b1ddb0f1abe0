package predicate

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
)

// Matches tells whether p lets o, as it is, pass: whether the filters for objects in
// it, such as InSelector, NotPaused or Shard, do. Filters for changes and for kinds of
// events have no say.
//
// Predicates see events only. A request that comes back by RequeueAfter or after an
// error, or from the event of a related object, has seen none: so ask in the
// reconciler, too, with the same predicate, or a key whose object has left goes round
// for ever:
//
//	if !predicate.Matches(r.Mine, cert) {
//		return requeue.Done(), nil
//	}
//
// A predicate of another package is asked about a generic event. Nothing is counted by
// [Observe]. No object, or a nil pointer for one, does not match. Matches panics if p
// is nil.
func Matches(p Predicate, o client.Object) bool {
	if null.Is(p) {
		panic(errors.New("predicate: Matches(nil, …): the predicate must not be nil"))
	}
	return !null.Is(o) && judged(p).judge(occasion{after: o}) != drop
}
