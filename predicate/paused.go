package predicate

import (
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NotPaused returns a predicate that drops the events of paused objects: those
// that have this annotation with any value but "false". Of the others it passes
// what all the predicates pass, and every update that ends a pause: what has
// changed meanwhile, the start of a deletion among it, is known then. The
// update that begins a pause does not pass; the delete of a paused object does,
// as there is nothing left to be paused. Give it the predicates that go with
// it, rather than put them beside it: a filter for other changes would drop the
// end of a pause.
//
//	predicate.NotPaused("example.com/paused", predicate.SpecChanged())
//
// It filters creates and generic events, too. Ask [Matches] in the reconciler
// as well: a run that is due later comes in the pause. NotPaused panics if no
// annotation can have the key, and if a predicate is nil.
func NotPaused(annotation string, predicates ...Predicate) Predicate {
	mustBeKey("NotPaused", annotation)
	t := tableOf("annotations")
	isPaused := func(o client.Object) bool {
		value, ok := t.value(o, annotation)
		return ok && !strings.EqualFold(value, "false")
	}
	all := combine("NotPaused", predicates, drop)
	return &filter{
		decide: func(e occasion) verdict {
			switch {
			case e.kind == Deletes:
				return all.judge(e)
			case isPaused(e.after):
				return drop
			case e.kind == Updates && isPaused(e.before):
				return pass
			}
			return verdictOf(all.judge(e) != drop)
		},
		fit: all.fit,
	}
}
