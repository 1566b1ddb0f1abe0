package trimtab

import (
	"reflect"
	"sync/atomic"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/queue"
)

// enoughRuns is how many runs must show that something is missing before the log
// says so: one alone may have had its reasons.
const enoughRuns = 10

// sight finds out whether the runs of a loop see their own objects, as an option
// needs it, or says once that they do not. That the reconciler has another client
// than the loop's shows only then.
type sight struct {
	log  logr.Logger
	kind string // of the loop's objects

	clear atomic.Bool  // a run has seen its object, or nobody needs that
	blind atomic.Int64 // successful runs until then
}

func newSight(own client.Object, needed bool, log logr.Logger) *sight {
	s := &sight{log: log}
	if needed {
		s.kind = kindOf(own)
	}
	s.clear.Store(!needed)
	return s
}

// called notes a call by the loop's client. One that looks for an object of the
// loop's kind will do, although that may be gone.
func (s *sight) called(verb, kind string) {
	if !s.clear.Load() && verb == "get" && kind == s.kind {
		s.clear.Store(true)
	}
}

// ended notes how a run ended.
func (s *sight) ended(o queue.Outcome) {
	switch {
	case s.clear.Load():
	case o.Object != queue.Object{}:
		s.clear.Store(true)
	case o.Err == nil && !o.Stopped && s.blind.Add(1) == enoughRuns:
		s.log.Info("No run has looked for its own object by the loop's client: use manager.Options{NewClient: trimtab.NewClient}, or loop.Client(c). Until then Queue.MaxInterval does nothing",
			"runs", enoughRuns, "for", s.kind)
	}
}

// kindOf returns the kind that obj says it is of, or else the name of its Go type,
// as the loop's client tells kinds.
func kindOf(obj client.Object) string {
	if kind := obj.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.Indirect(reflect.ValueOf(obj)).Type().Name()
}
