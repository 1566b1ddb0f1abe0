package reconcile

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/internal/named"
)

// DeadlineOptions configures Deadline. The zero value sets no deadline.
type DeadlineOptions struct {
	// Timeout is how long a run may take. Zero means as long as it likes.
	Timeout time.Duration

	// LastWrite is how long a context of the function LastWrite lives at most. It
	// needs Timeout. Zero means 5s.
	LastWrite time.Duration
}

// Validate returns an error that names the first impossible field and its value.
func (o DeadlineOptions) Validate() error { return o.validate("") }

func (o DeadlineOptions) validate(path string) error {
	if o.Timeout < 0 {
		return fmt.Errorf("reconcile: %sTimeout %s: must not be negative", path, o.Timeout)
	}
	if o.LastWrite < 0 {
		return fmt.Errorf("reconcile: %sLastWrite %s: must not be negative", path, o.LastWrite)
	}
	if o.LastWrite > 0 && o.Timeout == 0 {
		return fmt.Errorf("reconcile: %sLastWrite %s: needs Timeout", path, o.LastWrite)
	}
	return nil
}

// grace is the time that a run has to return after its deadline, until everybody is
// told that it goes on.
const grace = time.Second

// defaultLastWrite is enough for one call to an API server that is slow.
const defaultLastWrite = 5 * time.Second

// Deadline returns middleware that cancels the context of a run which takes longer
// than Timeout, with a *DeadlineError as its cause. What the run returns reaches
// the controller as it is: an error that wraps the context's has the class
// "timeout", and a run without an error has succeeded. The context's own error does
// not say which deadline it was; return [context.Cause] for that.
//
// No context stops code that ignores it. Such a run keeps its worker, and its
// request has no other run meanwhile, but it is seen: a second after the time was up
// a line in the log names it, and it counts as overdue until it returns. A run that
// heeds its context has returned by then; when it does, it counts as one that passed
// its deadline, too.
//
// Deadline stands inside Instrument and Classify, else nothing counts it. Of several
// the shortest counts. It panics with the error of Validate if an option is
// impossible.
func Deadline[request comparable](opts DeadlineOptions) Middleware[request] {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	if opts.LastWrite == 0 {
		opts.LastWrite = defaultLastWrite
	}
	return func(next TypedReconciler[request]) TypedReconciler[request] {
		if opts.Timeout == 0 {
			return next
		}
		return &limited[request]{next: next, opts: opts, cause: &DeadlineError{Timeout: opts.Timeout}}
	}
}

type limited[request comparable] struct {
	next  TypedReconciler[request]
	opts  DeadlineOptions
	cause *DeadlineError
}

// Reconcile implements TypedReconciler.
func (l *limited[request]) Reconcile(ctx context.Context, req request) (Result, error) {
	d := &deadline{parent: ctx, run: runFrom(ctx), lastWrite: l.opts.LastWrite}
	d.outermost = d
	if around := deadlineFrom(ctx); around != nil && around.run == d.run {
		d.outermost = around.outermost
	}
	timer := time.AfterFunc(l.opts.Timeout+min(grace, math.MaxInt64-l.opts.Timeout), func() { d.expire(req, l.opts.Timeout) })
	defer func() {
		timer.Stop()
		if d.Err() == context.DeadlineExceeded && expired(d.Context) { //nolint:errorlint // A context's own.
			d.outermost.isOverdue() // It counts, though the timer has not come to it.
		}
		d.returned()
	}()
	var cancel context.CancelFunc
	d.Context, cancel = context.WithTimeoutCause(ctx, l.opts.Timeout, l.cause)
	defer cancel() // Before the rest: then the time is up no more.
	return l.next.Reconcile(d, req)
}

// deadline is the context of a run with a deadline, and what is known of that.
type deadline struct {
	context.Context                 // ends with the deadline, or with parent
	parent          context.Context //nolint:containedctx // LastWrite needs it.
	run             *run            // or nil
	lastWrite       time.Duration

	// outermost is the deadline around all others of the run. A run is overdue once,
	// from when the first of them has passed until it has returned from all.
	outermost *deadline

	// mu is held while the observer is told, so that it learns of the end of an
	// overdue run after its beginning. Nobody else waits for it.
	mu      sync.Mutex
	over    bool
	overdue bool
}

type deadlineKey struct{}

// Value implements [context.Context].
func (d *deadline) Value(key any) any {
	if key == (deadlineKey{}) {
		return d
	}
	return d.Context.Value(key)
}

// expire tells everybody who wants to know that the run goes on although its time
// is up. It has a goroutine of its own, where a panic would end the process.
func (d *deadline) expire(req any, timeout time.Duration) {
	defer survive(d.parent, "the logger")
	if d.outermost.isOverdue() {
		log.FromContext(d.parent).Info("A run has passed its deadline and goes on", "request", named.Of(req), "timeout", timeout.String())
	}
}

func (d *deadline) isOverdue() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.overdue {
		return false
	}
	d.overdue = true
	d.tell(1)
	return true
}

// returned ends what is within the deadline.
func (d *deadline) returned() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.overdue {
		d.tell(-1)
	}
}

// tell tells the observer of the run, if it has one.
func (d *deadline) tell(change int) {
	if d.run != nil {
		d.run.chain.overdue(d.parent, change)
	}
}
