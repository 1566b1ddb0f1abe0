package predicate

import (
	"errors"
	"fmt"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/trigger"
)

// Observer is told what predicates decide. Its methods are called in the informer's
// goroutine, and from several at once. A metrics.Controller is one.
type Observer interface {
	// Filtered is told of each event of a watch of that source that the predicate
	// has admitted or dropped.
	Filtered(source trigger.Source, predicate string, admitted bool)

	// PredicatePanicked is told of each panic of the predicate. Its name is empty if
	// that is unknown.
	PredicatePanicked(predicate string)
}

// Guard returns a predicate that survives the panics of p: the event passes, and the
// panic is logged, by controller-runtime's logger, with its stack. Predicates run in
// the informer's goroutine, where a panic ends the process; and an event too many is
// noise, where one too few is lost. p is asked about no event that lacks its object;
// the answer is no.
//
// The observer is told of panics, without a name, and of nothing else; nil means
// nobody. [Observe] guards, too. Guard panics if p is nil.
func Guard(o Observer, p Predicate) Predicate {
	if null.Is(p) {
		panic(errors.New("predicate: Guard(…, nil): the predicate must not be nil"))
	}
	g := newGuard(o, "", p)
	return &filter{decide: g.judge, fit: g.p.fits}
}

// guard ends the panics of p.
type guard struct {
	o    Observer // nil if nobody wants to know
	name string
	p    judge
}

func newGuard(o Observer, name string, p Predicate) *guard {
	if null.Is(o) {
		o = nil
	}
	return &guard{o, name, judged(p)}
}

func (g *guard) judge(e occasion) (v verdict) {
	if e.guarded && g.o == nil { // who stands further out tells somebody
		return g.p.judge(e)
	}
	defer g.end(e.kind, &v)
	e.guarded = true
	return g.p.judge(e)
}

// end, deferred, ends a panic.
func (g *guard) end(kind Events, v *verdict) {
	p := recover()
	if p == nil {
		return
	}
	*v = pass
	if g.o != nil {
		g.o.PredicatePanicked(g.name)
	}
	log.Log.Error(fmt.Errorf("panic: %v", p), "A predicate panicked: the event passes",
		"predicate", g.name, "event", kind.String(), "stack", string(debug.Stack()))
}
