package ratelimit

import (
	"fmt"
	"reflect"

	"k8s.io/client-go/util/workqueue"
)

// Build returns the limiter that c describes, without any failure: an [ErrorAware]
// in every case. It returns the error of [Config.Validate], and one if c asks for a
// limiter of each namespace and T has none.
func Build[T comparable](c Config) (ErrorAware[T], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := builder[T]{}
	l := b.limiter(c, "")
	if b.err != nil {
		return nil, b.err
	}
	if aware, ok := l.(ErrorAware[T]); ok {
		return aware, nil
	}
	return NewMaxOf(l), nil
}

// builder builds a limiter from a config that is valid.
type builder[T comparable] struct{ err error }

func (b *builder[T]) limiter(c Config, path string) workqueue.TypedRateLimiter[T] {
	switch {
	case c.Exponential != nil:
		return NewExponential[T](*c.Exponential)
	case c.FastSlow != nil:
		return NewFastSlow[T](*c.FastSlow)
	case c.Constant != nil:
		return NewConstant[T](*c.Constant)
	case c.Bucket != nil:
		return NewBucket[T](*c.Bucket)
	case c.PerNamespace != nil:
		return b.perNamespace(*c.PerNamespace, at(path, "perNamespace"))
	case c.MaxOf != nil:
		return b.maxOf(c.MaxOf, at(path, "maxOf"))
	case c.Capped != nil:
		return NewCapped(b.limiter(c.Capped.Limiter, at(path, "capped.limiter")), c.Capped.MaxDelay)
	case c.ByError != nil:
		return b.byError(*c.ByError, at(path, "byError"))
	case c.RetryAfter != nil:
		return NewRetryAfter(RetryAfterOptions[T]{
			Limiter:  b.limiter(c.RetryAfter.Limiter, at(path, "retryAfter.limiter")),
			MaxDelay: c.RetryAfter.MaxDelay,
			Jitter:   c.RetryAfter.Jitter,
		})
	case c.Budget != nil:
		return NewBudgeted(BudgetedOptions[T]{
			Budget:  NewBudget(c.Budget.BudgetOptions),
			Limiter: b.limiter(c.Budget.Limiter, at(path, "budget.limiter")),
		})
	default:
		preset, _ := c.Preset.Config()
		return b.limiter(preset, path)
	}
}

func (b *builder[T]) maxOf(configs []Config, path string) workqueue.TypedRateLimiter[T] {
	var all []workqueue.TypedRateLimiter[T]
	for i, c := range configs {
		all = append(all, b.limiter(c, element(path, i)))
	}
	return NewMaxOf(all...)
}

func (b *builder[T]) byError(c ByErrorConfig, path string) workqueue.TypedRateLimiter[T] {
	opts := ByErrorOptions[T]{
		Default: b.limiter(c.Default, at(path, "default")),
		Classes: make(map[string]workqueue.TypedRateLimiter[T], len(c.Classes)),
	}
	for class, l := range c.Classes {
		opts.Classes[class] = b.limiter(l, key(at(path, "classes"), class))
	}
	return NewByError(opts)
}

func (b *builder[T]) perNamespace(c Config, path string) workqueue.TypedRateLimiter[T] {
	field, ok := reflect.TypeFor[T](), false
	var namespace reflect.StructField
	if field.Kind() == reflect.Struct {
		namespace, ok = field.FieldByName("Namespace")
	}
	if !ok || namespace.Type.Kind() != reflect.String {
		b.fail(fmt.Errorf("ratelimit: %s: the items, %s, have no field Namespace", path, field))
	}
	one := b.limiter(c, path) // finds what else is wrong
	if b.err != nil {
		return one
	}
	return NewPerGroup(PerGroupOptions[T]{
		Group: func(item T) string {
			v, err := reflect.ValueOf(item).FieldByIndexErr(namespace.Index)
			if err != nil { // An embedded pointer is nil.
				return ""
			}
			return v.String()
		},
		New: func(string) workqueue.TypedRateLimiter[T] { return (&builder[T]{}).limiter(c, path) },
		TTL: lifetime(c.longest(), defaultTTL),
	})
}

func (b *builder[T]) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}
