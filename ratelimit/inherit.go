package ratelimit

import (
	"iter"
	"maps"
	"slices"

	"k8s.io/client-go/util/workqueue"
)

// heir is a limiter, or a part of one, that can take over what an earlier one
// knows.
type heir interface {
	// inherit takes over what old knows, if that is of its sort.
	inherit(old heir)
}

// counter is a limiter that counts the failures of each item.
type counter[T comparable] interface {
	heir
	rows() *failures[T]
}

// inherit makes l, which is new, take over what old knows: of each place in it, the
// failures of the items, the tokens and the groups. The place is the classes of the
// error by which it is reached, and what stands around it there does not count. So
// counts stay when a bucket, say, is put beside the limiter that has them.
func inherit[T comparable](l, old workqueue.TypedRateLimiter[T]) {
	before := heirsOf(old)
	for place, heirs := range heirsOf(l) {
		for i, h := range heirs[:min(len(heirs), len(before[place]))] {
			h.inherit(before[place][i])
		}
	}
}

// heirsOf returns all heirs in l by their places.
func heirsOf[T comparable](l workqueue.TypedRateLimiter[T]) map[string][]heir {
	heirs := make(map[string][]heir)
	for one, place := range all(l, "") {
		switch one := one.(type) {
		case *Budgeted[T]:
			heirs[place+" budget"] = append(heirs[place+" budget"], one)
		case *PerGroup[T]:
			heirs[place+" groups"] = append(heirs[place+" groups"], one)
		case *Bucket[T]:
			heirs[place+" bucket"] = append(heirs[place+" bucket"], one)
		case counter[T]:
			heirs[place] = append(heirs[place], one)
		}
	}
	return heirs
}

// all yields the limiters of this package in l, the outermost first, each with its
// place. What a Tunable or a PerGroup has in it is its own.
func all[T comparable](l workqueue.TypedRateLimiter[T], place string) iter.Seq2[workqueue.TypedRateLimiter[T], string] {
	return func(yield func(workqueue.TypedRateLimiter[T], string) bool) { walkAll(l, place, yield) }
}

func walkAll[T comparable](l workqueue.TypedRateLimiter[T], place string, yield func(workqueue.TypedRateLimiter[T], string) bool) bool {
	switch l := l.(type) {
	case *MaxOf[T]:
		for _, one := range l.limiters {
			if !walkAll(one, place, yield) {
				return false
			}
		}
		return true
	case *Capped[T]:
		return walkAll(l.limiter, place, yield)
	case *Observed[T]:
		return walkAll(l.limiter, place, yield)
	case *RetryAfter[T]:
		return walkAll(l.opts.Limiter, place, yield)
	case *ByError[T]:
		if !walkAll(l.opts.Default, place, yield) {
			return false
		}
		for _, class := range slices.Sorted(maps.Keys(l.opts.Classes)) {
			if !walkAll(l.opts.Classes[class], place+"/"+class, yield) {
				return false
			}
		}
		return true
	case *Budgeted[T]:
		return yield(l, place) && walkAll(l.opts.Limiter, place, yield)
	case *Exponential[T], *FastSlow[T], *Constant[T], *Bucket[T], *PerGroup[T], *Tunable[T]:
		return yield(l, place)
	default: // A user's: it may have one of ours embedded, which is not all of it.
		return true
	}
}

func (e *Exponential[T]) rows() *failures[T] { return e.failures }
func (l *FastSlow[T]) rows() *failures[T]    { return l.failures }
func (l *Constant[T]) rows() *failures[T]    { return l.failures }

func (e *Exponential[T]) inherit(old heir) { e.failures = rowsOf(old, e.failures) }
func (l *FastSlow[T]) inherit(old heir)    { l.failures = rowsOf(old, l.failures) }
func (l *Constant[T]) inherit(old heir)    { l.failures = rowsOf(old, l.failures) }

// rowsOf returns the failures that old counts, bounded as those which are new.
func rowsOf[T comparable](old heir, fresh *failures[T]) *failures[T] {
	o, ok := old.(counter[T])
	if !ok {
		return fresh
	}
	o.rows().bound(fresh.period, fresh.limit)
	return o.rows()
}

func (b *Bucket[T]) inherit(old heir) {
	if o, ok := old.(*Bucket[T]); ok {
		o.tokens.tune(b.tokens.opts)
		b.tokens = o.tokens
	}
}

func (b *Budgeted[T]) inherit(old heir) {
	if o, ok := old.(*Budgeted[T]); ok {
		b.Close() // It is the old member from now on.
		o.opts.Budget.tune(b.opts.Budget.opts)
		b.opts.Budget, b.account = o.opts.Budget, o.account
	}
}

func (p *PerGroup[T]) inherit(old heir) {
	o, ok := old.(*PerGroup[T])
	if !ok {
		return
	}
	for group, was := range o.all() {
		l := p.opts.New(group)
		inherit(l, was)
		p.rejuvenate(group, l)
	}
}
