package queue

import (
	"fmt"

	"github.com/trimtab/trimtab/internal/keyed"
	"github.com/trimtab/trimtab/internal/named"
)

// group is what takes turns with others: the requests of a namespace, a tenant,
// an account. Without Options.Group all requests are of one.
type group[T comparable] struct {
	name    string
	lanes   keyed.Map[int, *lane[T]] // by priority
	recent  *lane[T]                 // that was looked for last
	items   int                      // of the group that exist
	running int                      // of the group that are in flight
	urgent  int                      // of the group that are ready, not for a resync alone
	full    bool                     // as many are in flight as may be
}

// keepLanes is how many lanes of a group may stay though empty, so that the usual
// handful of priorities is not made again and again.
const keepLanes = 8

// groups holds the groups that have items.
type groups[T comparable] struct {
	one    group[T] // of all items, if they are not grouped
	byName keyed.Map[string, *group[T]]
}

// join returns the group of that name for one more item, or the only group if
// there is no name.
func (gs *groups[T]) join(name *string) *group[T] {
	g := &gs.one
	if name != nil {
		known, ok := gs.byName.Get(*name)
		if !ok {
			known = &group[T]{name: *name}
			gs.byName.Put(*name, known)
		}
		g = known
	}
	g.items++
	return g
}

// leave forgets one item of g, and reports whether g is gone.
func (gs *groups[T]) leave(g *group[T]) bool {
	g.items--
	if g == &gs.one || g.items > 0 {
		return false
	}
	gs.byName.Delete(g.name)
	return true
}

// nameIf returns the name of g as join wants it.
func (g *group[T]) nameIf(grouped bool) *string {
	if !grouped {
		return nil
	}
	return &g.name
}

// group returns the name of the group of request, or nil without Options.Group. It
// is asked outside the lock.
func (q *Queue[T]) group(request T) *string {
	if q.opts.Group == nil {
		return nil
	}
	name := q.groupName(request)
	return &name
}

func (q *Queue[T]) groupName(request T) string {
	defer func() {
		if p := recover(); p != nil {
			q.opts.Log.Error(fmt.Errorf("panic: %v", p), "Options.Group panicked", "queue", q.name, "request", named.Of(request))
		}
	}()
	return q.opts.Group(request)
}
