package ratelimit

import "k8s.io/client-go/util/workqueue"

// heir is a limiter, or a part of one, that can take over what an earlier one knows.
type heir interface {
	// inherit takes over what old knows, if that is of its sort.
	inherit(old heir)
}

// inherit makes l, which is new, take over what old knows: of each place in it, the
// failures of the items, the tokens and the groups. The place is the classes of the
// error by which it is reached, and what stands around it there does not count. So
// counts stay when a bucket, say, is put beside the limiter that has them.
func inherit[T comparable](l, old workqueue.TypedRateLimiter[T]) {
	before := make(map[string][]heir)
	collect(old, "", before)
	after := make(map[string][]heir)
	collect(l, "", after)
	for place, heirs := range after {
		for i, h := range heirs[:min(len(heirs), len(before[place]))] {
			h.inherit(before[place][i])
		}
	}
}

// collect adds all heirs in l to those at their places.
func collect[T comparable](l workqueue.TypedRateLimiter[T], place string, all map[string][]heir) {
	switch l := l.(type) {
	case *MaxOf[T]:
		for _, one := range l.limiters {
			collect(one, place, all)
		}
	case *Capped[T]:
		collect(l.limiter, place, all)
	case *Observed[T]:
		collect(l.limiter, place, all)
	case *RetryAfter[T]:
		collect(l.opts.Limiter, place, all)
	case *ByError[T]:
		collect(l.opts.Default, place, all)
		for class, one := range l.opts.Classes {
			collect(one, place+"/"+class, all)
		}
	case *Budgeted[T]:
		all[place+" budget"] = append(all[place+" budget"], l)
		collect(l.opts.Limiter, place, all)
	case *PerGroup[T]:
		all[place+" groups"] = append(all[place+" groups"], l)
	case *Bucket[T]:
		all[place+" bucket"] = append(all[place+" bucket"], l)
	case interface {
		heir
		rows() *failures[T]
	}:
		all[place] = append(all[place], l)
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
	o, ok := old.(interface{ rows() *failures[T] })
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
