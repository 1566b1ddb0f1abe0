package reconcile

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
)

// Options configures New and Instrument. The zero value is the default.
type Options[request comparable] struct {
	// Queue is the work queue of the controller. Nil means another queue than
	// Trimtab's: what caused a run, how long it waited and which attempt it is, is
	// unknown then. So no conflict is quiet, nothing is known of convergence, and a
	// RequeueAfter beside an error is dropped.
	Queue Queue[request]

	// Observer is told of every run. Nil means nobody is.
	Observer Observer

	// Tracer makes spans of the runs. Nil means there are none.
	Tracer Tracer

	// TraceID returns the trace that a context belongs to, and "" if there is none.
	// It is called at the end of each run, with the run's context, for
	// trigger.Run.TraceID: exemplars carry it. A panic of it is logged. Nil means there
	// is none.
	TraceID func(context.Context) string

	// For is an object of the kind that the reconciler is for; only its type, or
	// its GroupVersionKind if it is unstructured or metadata only, counts. It
	// needs requests that are reconcile.Request. Nil means unknown. With it, and a
	// client of Client, the queue learns of each run what the run's own object is
	// like: see queue.Object. A client whose scheme lacks the kind does not
	// recognise the object in another form than For's, nor in an apply.
	For client.Object

	// Deadline is how long a run may take. Only New reads it.
	Deadline DeadlineOptions

	// Class names classes of the user's own: what it returns for an error, which it
	// must not change, is the class of the run, for metrics, the log and the rate
	// limiter; "" means the built-in one. It is not asked about a terminal error, a
	// panic, what a stopping manager cancelled, or a missing own object; "success" and
	// "requeue", which no failure is, count as "". After a panic of it, which is
	// logged, the class is the built-in one. Keep the classes few: each is a label.
	// Nil means the built-in ones.
	Class func(error) string

	// Quiet chooses failures that the controller does not see as errors: by their
	// class and the attempt, which counts the failures in a row from 1. They are
	// retried and counted by the queue like others. It is not asked about a
	// terminal error, nor by a chain that does not know the attempt, so it needs
	// Queue. The attempt is the limiter's, see trigger.Info: with a limiter that
	// remembers no failure it is always 1. After a panic of Quiet, which is logged,
	// the failure is seen. Nil means conflicts, except when the fourth attempt in a
	// row fails with one: one line for each such row, also if it goes on.
	Quiet func(class string, attempt int) bool

	// ConvertPanics makes Recover return a panic as a *PanicError, for a host that
	// does not recover. The default panics again, which controller-runtime counts,
	// logs and turns into an error itself.
	ConvertPanics bool
}

// Validate returns an error that names the first impossible field and its value.
func (o Options[request]) Validate() error {
	if o.Queue != nil && null.Is(o.Queue) {
		return fmt.Errorf("reconcile: Queue (%T)(nil): must point to a queue", o.Queue)
	}
	if o.Observer != nil && null.Is(o.Observer) {
		return fmt.Errorf("reconcile: Observer (%T)(nil): must point to an observer", o.Observer)
	}
	if o.Tracer != nil && null.Is(o.Tracer) {
		return fmt.Errorf("reconcile: Tracer (%T)(nil): must point to a tracer", o.Tracer)
	}
	if err := o.validateFor(); err != nil {
		return err
	}
	if o.Quiet != nil && o.Queue == nil {
		return errors.New("reconcile: Quiet without Queue: needs Trimtab's queue, which knows the attempt")
	}
	return o.Deadline.validate("Deadline.")
}

func (o Options[request]) validateFor() error {
	if o.For == nil {
		return nil
	}
	if null.Is(o.For) {
		return fmt.Errorf("reconcile: For (%T)(nil): must point to an object", o.For)
	}
	if kindless(o.For) {
		return fmt.Errorf("reconcile: For %T without a kind: must have its GroupVersionKind set", o.For)
	}
	if _, ok := any(*new(request)).(Request); !ok {
		return fmt.Errorf("reconcile: For %T: needs requests of type reconcile.Request, not %T", o.For, *new(request))
	}
	return nil
}

// kindless reports whether neither obj nor its Go type says what kind it is.
func kindless(obj client.Object) bool {
	return generic(obj) && obj.GetObjectKind().GroupVersionKind().Kind == ""
}

func (o Options[request]) settings() *settings {
	s := &settings{
		observer:      o.Observer,
		tracer:        o.Tracer,
		traceID:       o.TraceID,
		class:         o.Class,
		quiet:         o.Quiet,
		convertPanics: o.ConvertPanics,
	}
	if o.For != nil {
		s.own = ownKind{like: o.For, goType: reflect.TypeOf(o.For), typeName: typeName(reflect.TypeOf(o.For))}
	}
	if s.observer == nil {
		s.observer = nobody{}
	}
	if s.quiet == nil {
		s.quiet = quietConflicts
	}
	return s
}
