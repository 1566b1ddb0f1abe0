package predicate

import (
	"errors"
	"fmt"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/trigger"
)

// Observe returns p, guarded as by [Guard], with each of its answers told to o under
// the source of the watch and a name for p. A trimtab.Loop has a method Observe that
// counts into the loop's metrics.
//
// Of predicates in a list, later ones see only what the earlier ones have admitted.
// To count a whole, observe All of them. An event without an object is told to nobody,
// nor is a question of [Matches].
//
// It panics if o or p is nil, if source is none of the constants of package trigger,
// and if the name is empty.
func Observe(o Observer, source trigger.Source, name string, p Predicate) Predicate {
	switch {
	case null.Is(o):
		panic(fmt.Errorf("predicate: Observe(nil, %s, %q, …): the observer must not be nil", source, name))
	case int(source) >= trigger.Count:
		panic(fmt.Errorf("predicate: Observe(…, %d, %q, …): no such trigger.Source", source, name))
	case name == "":
		panic(errors.New(`predicate: Observe: name "": must not be empty`))
	case null.Is(p):
		panic(fmt.Errorf("predicate: Observe(…, %s, %q, nil): the predicate must not be nil", source, name))
	}
	g := newGuard(o, name, p)
	return &filter{
		decide: func(e occasion) verdict {
			v := g.judge(e)
			if e.kind != 0 {
				o.Filtered(source, name, v != drop)
			}
			return v
		},
		fit: g.p.fits,
	}
}
