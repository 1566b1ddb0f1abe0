package queue

import (
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/trimtab/trimtab/internal/keyed"
)

// The limit of failure resets. Three are enough for a user who mends an object in
// steps. An operator that writes its own spec, or two that fight over one, make
// a new generation with each run and must back off; 1000 s is the longest delay of
// controller-runtime's limiter.
const (
	freeResets   = 3
	resetSpacing = 1000 * time.Second
)

// failing remembers the requests that fail, as far as giving up, the failure reset
// and trigger.Info.First need it. The queue's lock guards it, but for some.
type failing[T comparable] struct {
	records keyed.Map[T, record]
	some    atomic.Bool // there is a record
}

// record is what is known of a request since it last succeeded.
type record struct {
	attempts int  // that were retried, in a row, since a reset
	failures int  // of these, what counts for giving up; only if there is a limit
	gaveUp   bool // told, and not retried any more

	seen   bool      // what follows is of an object that was seen
	object objectAge // as the failing runs saw it

	resets  int           // how often the failures were reset
	resetAt time.Duration // when last

	lastClass string // of the last failure that counted

	first time.Duration // where the first run in a row that failed began to wait
}

// objectAge is how far an object has come, as failing runs saw it.
type objectAge struct {
	uid        types.UID
	generation int64 // the highest that was read
	written    int64 // the highest that an own write returned
	deleting   bool
}

// verdict is what a run that the controller wants to retry leads to.
type verdict struct {
	reset    bool // the limiter must forget the request first
	giveUp   bool // no retry
	tell     bool // that was decided just now
	failures int  // in a row, if it gives up
}

// note counts a run that ended as e says, and returns what follows. It began to wait
// at since.
func (f *failing[T]) note(request T, e echo, since, now time.Duration, giveUp int, resets bool) verdict {
	resets = resets && e.object != (Object{})
	rec, known := f.records.Get(request)
	if !known && !e.reported && giveUp == 0 {
		return verdict{}
	}
	var v verdict
	if resets {
		v.reset = rec.seen && rec.object.older(e.object) && rec.mayReset(now)
		rec.object, rec.seen = rec.object.next(e.object), true
	}
	if v.reset || !known {
		rec.first = since
	}
	if v.reset {
		rec.attempts, rec.failures, rec.gaveUp, rec.lastClass = 0, 0, false, ""
		rec.resets++
		rec.resetAt = now
	}
	if giveUp > 0 && e.failed() {
		rec.fail(&v, giveUp)
		rec.lastClass = e.class
	}
	if !v.giveUp { // As the limiter, which is asked then.
		rec.attempts++
	}
	f.records.Put(request, rec)
	f.some.Store(true)
	return v
}

// fail counts a failure. One after the limit earns no retry, and is not news.
func (r *record) fail(v *verdict, giveUp int) {
	if !r.gaveUp {
		r.failures++
		r.gaveUp = r.failures > giveUp
		v.tell = r.gaveUp
	}
	v.giveUp, v.failures = r.gaveUp, r.failures
}

func (r *record) mayReset(now time.Duration) bool {
	return r.resets < freeResets || now-r.resetAt >= resetSpacing
}

// older reports whether o shows that somebody else wants something new of the
// object: it was made anew, it has a generation that no own write returned, or its
// deletion has started. A lower generation comes from a cache that lags.
func (a objectAge) older(o Object) bool {
	last := max(a.generation, a.written)
	changed := last > 0 && o.Generation > last && o.Generation != o.Written
	return changed || a.remade(o) || o.Deleting && !a.deleting
}

func (a objectAge) remade(o Object) bool { return o.UID != "" && a.uid != "" && o.UID != a.uid }

// next returns a after o was seen.
func (a objectAge) next(o Object) objectAge {
	if a.remade(o) {
		a = objectAge{}
	}
	if o.UID != "" {
		a.uid = o.UID
	}
	a.generation, a.written = max(a.generation, o.Generation), max(a.written, o.Written)
	a.deleting = a.deleting || o.Deleting
	return a
}

// forget ends the row of failures of request.
func (f *failing[T]) forget(request T) {
	if !f.some.Load() {
		return
	}
	f.records.Delete(request)
	f.some.Store(f.records.Len() > 0)
}

// lastClass returns the class of the last failure of request, which is not queued: it
// was given up.
func (f *failing[T]) lastClass(request T) string {
	if !f.some.Load() {
		return ""
	}
	rec, _ := f.records.Get(request)
	return rec.lastClass
}

// row returns where the row of failures of request began, and how many there are. It
// returns false if there are none.
func (f *failing[T]) row(request T) (first time.Duration, attempts int, ok bool) {
	rec, ok := f.records.Get(request)
	return rec.first, rec.attempts, ok
}

// clear forgets all.
func (f *failing[T]) clear() {
	f.records = keyed.Map[T, record]{}
	f.some.Store(false)
}
