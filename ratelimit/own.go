package ratelimit

import (
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
)

// Own makes a queue the only one that uses l, until it calls release. Package queue
// does so: the success of a request in one queue must not end the backoff of the same
// request in another. If another queue has l, or a limiter in it, Own returns shared, and
// a limiter with the same numbers that counts for itself; it follows a Tunable, and shares
// a bucket and a budget, which are there to be shared, but for those that PerGroup makes.
//
// A limiter of a type that this package does not know is returned as it is, and so is
// what is in it: wrap it anew for each queue. Own panics if l is nil. Release may be
// called more than once. It is safe for concurrent use.
func Own[T comparable](l workqueue.TypedRateLimiter[T]) (own workqueue.TypedRateLimiter[T], release func(), shared bool) {
	mustBeThere("Own", 0, l)
	marks := marksOf(l)
	for i, mark := range marks {
		if !mark.CompareAndSwap(false, true) {
			free(marks[:i])
			own, release = fresh(l)
			return own, sync.OnceFunc(release), true
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

// fresh returns a limiter with the numbers of l and none of its counts, and what ends
// that.
func fresh[T comparable](l workqueue.TypedRateLimiter[T]) (own workqueue.TypedRateLimiter[T], end func()) {
	none := func() {}
	switch l := l.(type) {
	case *Exponential[T]:
		return NewExponential[T](l.opts), none
	case *FastSlow[T]:
		return NewFastSlow[T](l.opts), none
	case *Constant[T]:
		return NewConstant[T](l.opts), none
	case *Bucket[T]:
		return &Bucket[T]{tokens: l.tokens}, none
	case *PerGroup[T]:
		return NewPerGroup(l.opts), none
	case *MaxOf[T]:
		all, end := freshAll(l.limiters)
		return NewMaxOf(all...), end
	case *Capped[T]:
		inner, end := fresh(l.limiter)
		return NewCapped(inner, l.maxDelay), end
	case *Observed[T]:
		inner, end := fresh(l.limiter)
		return Observe(inner, l.observe), end
	case *RetryAfter[T]:
		opts := l.opts
		opts.Limiter, end = fresh(opts.Limiter)
		return NewRetryAfter(opts), end
	case *ByError[T]:
		return freshByError(l)
	case *Budgeted[T]:
		opts := l.opts
		opts.Limiter, end = fresh(opts.Limiter)
		b := NewBudgeted(opts)
		return b, func() { b.Close(); end() }
	case *Tunable[T]:
		return l.sibling()
	default:
		return l, none
	}
}

func freshAll[T comparable](limiters []workqueue.TypedRateLimiter[T]) (all []workqueue.TypedRateLimiter[T], end func()) {
	var ends []func()
	for _, l := range limiters {
		own, end := fresh(l)
		all, ends = append(all, own), append(ends, end)
	}
	return all, func() {
		for _, end := range ends {
			end()
		}
	}
}

// freshByError keeps it that two classes share a limiter.
func freshByError[T comparable](b *ByError[T]) (own workqueue.TypedRateLimiter[T], end func()) {
	all, end := freshAll(b.distinct)
	of := func(l workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimiter[T] {
		for i, was := range b.distinct {
			if same(was, l) {
				return all[i]
			}
		}
		return l
	}
	opts := ByErrorOptions[T]{Default: of(b.opts.Default), Classes: make(map[string]workqueue.TypedRateLimiter[T])}
	for class, l := range b.opts.Classes {
		opts.Classes[class] = of(l)
	}
	return NewByError(opts), end
}
