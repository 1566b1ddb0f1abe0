package ratelimit

import (
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
)

// Own makes a queue the only one that uses l, until it calls release. Package queue
// does so: the success of a request in one queue must not end the backoff of the
// same request in another. If another queue has l, or a limiter in it, Own returns
// shared, and a limiter with the same numbers that counts for itself; it follows a
// Tunable, and shares a bucket and a budget, which are there to be shared, but for
// those that PerGroup makes.
//
// A limiter of a type that this package does not know is returned as it is, and so
// is what is in it: wrap it anew for each queue. Own panics if l is nil. Release
// may be called more than once. It is safe for concurrent use.
func Own[T comparable](l workqueue.TypedRateLimiter[T]) (own workqueue.TypedRateLimiter[T], release func(), shared bool) {
	mustBeThere("Own", 0, l)
	marks := marksOf(l)
	for i, mark := range marks {
		if !mark.CompareAndSwap(false, true) {
			free(marks[:i])
			own = fresh(l)
			return own, sync.OnceFunc(func() { end(own) }), true
		}
	}
	return l, sync.OnceFunc(func() { free(marks) }), false
}

func free(marks []*atomic.Bool) {
	for _, mark := range marks {
		mark.Store(false)
	}
}

// marksOf returns the marks, each once, of all in l that is counted by item.
func marksOf[T comparable](l workqueue.TypedRateLimiter[T]) (marks []*atomic.Bool) {
	for one := range all(l, "") {
		var mark *atomic.Bool
		switch one := one.(type) {
		case *Tunable[T]:
			mark = &one.owned
		case *PerGroup[T]:
			mark = &one.owned
		case counter[T]:
			mark = &one.rows().owned
		default:
			continue
		}
		if !slices.Contains(marks, mark) {
			marks = append(marks, mark)
		}
	}
	return marks
}

// fresh returns a limiter with the numbers of l and none of its counts.
func fresh[T comparable](l workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimiter[T] {
	switch l := l.(type) {
	case *Exponential[T]:
		return NewExponential[T](l.opts)
	case *FastSlow[T]:
		return NewFastSlow[T](l.opts)
	case *Constant[T]:
		return NewConstant[T](l.opts)
	case *Bucket[T]:
		return &Bucket[T]{tokens: l.tokens}
	case *PerGroup[T]:
		return NewPerGroup(l.opts)
	case *MaxOf[T]:
		return NewMaxOf(freshAll(l.limiters)...)
	case *Capped[T]:
		return NewCapped(fresh(l.limiter), l.maxDelay)
	case *Observed[T]:
		return Observe(fresh(l.limiter), l.observe)
	case *RetryAfter[T]:
		opts := l.opts
		opts.Limiter = fresh(opts.Limiter)
		return NewRetryAfter(opts)
	case *ByError[T]:
		return freshByError(l)
	case *Budgeted[T]:
		opts := l.opts
		opts.Limiter = fresh(opts.Limiter)
		return NewBudgeted(opts)
	case *Tunable[T]:
		return l.sibling()
	default:
		return l
	}
}

// end ends what fresh has begun.
func end[T comparable](own workqueue.TypedRateLimiter[T]) {
	for l := range all(own, "") {
		switch l := l.(type) {
		case *Budgeted[T]:
			l.Close()
		case *Tunable[T]:
			l.leave()
		}
	}
}

func freshAll[T comparable](limiters []workqueue.TypedRateLimiter[T]) (own []workqueue.TypedRateLimiter[T]) {
	for _, l := range limiters {
		own = append(own, fresh(l))
	}
	return own
}

// freshByError keeps it that two classes share a limiter.
func freshByError[T comparable](b *ByError[T]) *ByError[T] {
	own := freshAll(b.distinct)
	of := func(l workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimiter[T] {
		for i, was := range b.distinct {
			if same(was, l) {
				return own[i]
			}
		}
		return l // It can't be compared: a user's.
	}
	opts := ByErrorOptions[T]{Default: own[0], Classes: make(map[string]workqueue.TypedRateLimiter[T])}
	for class, l := range b.opts.Classes {
		opts.Classes[class] = of(l)
	}
	return NewByError(opts)
}
