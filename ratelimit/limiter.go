package ratelimit

import (
	"fmt"
	"reflect"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/internal/null"
)

// whenError asks l, which is told of the error if it wants to be.
func whenError[T comparable](l workqueue.TypedRateLimiter[T], item T, err error, class string) time.Duration {
	if aware, ok := l.(ErrorAware[T]); ok {
		return aware.WhenError(item, err, class)
	}
	return l.When(item)
}

// mustBeThere panics if the argument at index i of a constructor is nil.
func mustBeThere[T comparable](constructor string, i int, l workqueue.TypedRateLimiter[T]) {
	if null.Is(l) {
		panic(fmt.Errorf("ratelimit: %s: limiter %d %T(nil): must be a limiter", constructor, i, l))
	}
}

// same reports whether a and b are one: a limiter of a user's may be of a type that
// can't be compared.
func same(a, b any) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}
