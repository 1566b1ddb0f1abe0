package ratelimit_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/trimtab/trimtab/ratelimit"
)

type (
	durationHint time.Duration
	headerHint   string
	badHint      struct{ error }
	badUnwrap    struct{ error }
	ring         struct{ hint time.Duration }
	thicket      struct{}
	both         struct{ *apierrors.StatusError }
	list         []error // can't be compared
)

func (durationHint) Error() string               { return "duration" }
func (h durationHint) RetryAfter() time.Duration { return time.Duration(h) }

func (headerHint) Error() string        { return "header" }
func (h headerHint) RetryAfter() string { return string(h) }

func (badHint) RetryAfter() time.Duration { panic("RetryAfter") }
func (b badHint) Unwrap() error           { return b.error }

func (badUnwrap) RetryAfter() time.Duration { return 3 * time.Second }
func (badUnwrap) Unwrap() error             { panic("Unwrap") }

func (*ring) Error() string               { return "ring" }
func (r *ring) RetryAfter() time.Duration { return r.hint }
func (r *ring) Unwrap() error             { return r }

func (*thicket) Error() string     { return "thicket" }
func (h *thicket) Unwrap() []error { return []error{h, h} }

func (both) RetryAfter() time.Duration { return 0 }

func (list) Error() string     { return "list" }
func (l list) Unwrap() []error { return l }

func retryAfter(opts ratelimit.RetryAfterOptions[string]) *ratelimit.RetryAfter[string] {
	if opts.Limiter == nil {
		opts.Limiter = exponential(ratelimit.ExponentialOptions{})
	}
	return ratelimit.NewRetryAfter(opts)
}

func TestRetryAfterHints(t *testing.T) {
	busy := apierrors.NewTooManyRequests("slow down", 7)
	deep := error(durationHint(time.Minute))
	for range 500 {
		deep = fmt.Errorf("wrapped: %w", deep)
	}
	const own = 5 * time.Millisecond // what the limiter says
	for name, tt := range map[string]struct {
		err  error
		want time.Duration
	}{
		"nil":                        {nil, own},
		"plain":                      {errBroken, own},
		"status":                     {busy, 7 * time.Second},
		"status, wrapped":            {fmt.Errorf("get: %w", busy), 7 * time.Second},
		"status, joined":             {errors.Join(errBroken, nil, busy), 7 * time.Second},
		"status, of several":         {several{errBroken, busy}, 7 * time.Second},
		"status, aggregate":          {utilerrors.NewAggregate([]error{errBroken, busy}), 7 * time.Second},
		"status, aggregate, wrapped": {fmt.Errorf("all: %w", utilerrors.NewAggregate([]error{busy})), 7 * time.Second},
		"status, server timeout":     {apierrors.NewServerTimeout(schema.GroupResource{}, "get", 9), 9 * time.Second},
		"status, negative":           {apierrors.NewTooManyRequests("slow down", -7), own},
		"status, none":               {apierrors.NewBadRequest("no"), own},
		"status, no details":         {&apierrors.StatusError{ErrStatus: metav1.Status{}}, own},
		"status, largest":            {apierrors.NewTooManyRequests("slow down", math.MaxInt32), time.Hour},
		"status, nil":                {(*apierrors.StatusError)(nil), own},
		"status and method":          {both{busy}, 7 * time.Second},
		"longest of several":         {errors.Join(durationHint(time.Second), busy, durationHint(3*time.Second)), 7 * time.Second},
		"outer beside inner":         {badHint{durationHint(time.Second)}, own},
		"deep":                       {deep, time.Minute},
		"duration":                   {durationHint(2 * time.Second), 2 * time.Second},
		"duration, short":            {durationHint(1), own},
		"duration, zero":             {durationHint(0), own},
		"duration, negative":         {durationHint(math.MinInt64), own},
		"duration, huge":             {durationHint(math.MaxInt64), time.Hour},
		"seconds":                    {headerHint("120"), 2 * time.Minute},
		"seconds, spaces":            {headerHint(" 120\t"), 2 * time.Minute},
		"seconds, zero":              {headerHint("0"), own},
		"seconds, negative":          {headerHint("-1"), own},
		"seconds, over an hour":      {headerHint("3601"), time.Hour},
		"seconds, overflow":          {headerHint("9223372037"), time.Hour},
		"seconds, huge":              {headerHint("99999999999999999999999"), time.Hour},
		"seconds, hugely negative":   {headerHint("-99999999999999999999999"), own},
		"seconds, fraction":          {headerHint("1.5"), own},
		"empty":                      {headerHint(""), own},
		"garbage":                    {headerHint("soon"), own},
		"long garbage":               {headerHint(strings.Repeat("9 ", 1<<16)), own},
		"unwrap panics":              {badUnwrap{errBroken}, 3 * time.Second},
		"ring":                       {&ring{4 * time.Second}, 4 * time.Second},
		"thicket":                    {&thicket{}, own},
		"list":                       {list{busy, errBroken}, 7 * time.Second},
		"typed nil":                  {(*ring)(nil), own},
	} {
		t.Run(name, func(t *testing.T) {
			l := retryAfter(ratelimit.RetryAfterOptions[string]{})
			require.Equal(t, tt.want, l.WhenError("k", tt.err, "throttled"))
			require.Equal(t, 1, l.NumRequeues("k"))
			require.Equal(t, 2*own, l.When("k"), "without the error it is its limiter")
		})
	}
}

// A date is compared with the wall clock, in each of the formats that HTTP has.
func TestRetryAfterDates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, format := range []string{http.TimeFormat, time.RFC850, time.ANSIC} {
			for in, want := range map[time.Duration]time.Duration{
				time.Minute:                time.Minute,
				2 * time.Hour:              time.Hour,
				0:                          5 * time.Millisecond,
				-time.Minute:               5 * time.Millisecond,
				-20 * 365 * 24 * time.Hour: 5 * time.Millisecond,
			} {
				date := time.Now().Add(in).UTC().Format(format)
				date = strings.Replace(date, "UTC", "GMT", 1)
				require.Equal(t, want, retryAfter(ratelimit.RetryAfterOptions[string]{}).WhenError("k", headerHint(date), ""), date)
			}
		}
		require.Equal(t, 5*time.Millisecond, retryAfter(ratelimit.RetryAfterOptions[string]{}).WhenError("k", headerHint("Fri, 31 Dec 0001 23:59:59 GMT"), ""))
		require.Equal(t, time.Hour, retryAfter(ratelimit.RetryAfterOptions[string]{}).WhenError("k", headerHint("Fri, 31 Dec 9999 23:59:59 GMT"), ""))
	})
}

// A hint is a floor: it never shortens what the limiter says, which its bound does not
// bound either.
func TestRetryAfterIsAFloor(t *testing.T) {
	l := retryAfter(ratelimit.RetryAfterOptions[string]{
		Limiter: exponential(ratelimit.ExponentialOptions{BaseDelay: time.Minute}), MaxDelay: time.Second,
	})
	require.Equal(t, time.Minute, l.WhenError("k", durationHint(time.Hour), ""))
	require.Equal(t, 2*time.Minute, l.WhenError("k", durationHint(1), ""))
}

func TestRetryAfterJitterAddsAndIsBounded(t *testing.T) {
	l := retryAfter(ratelimit.RetryAfterOptions[string]{Limiter: exponential(ratelimit.ExponentialOptions{MaxDelay: time.Second}), Jitter: 0.5, MaxDelay: 70 * time.Second})
	var longest time.Duration
	for range 1000 {
		d := l.WhenError("k", durationHint(40*time.Second), "")
		require.GreaterOrEqual(t, d, 40*time.Second)
		require.Less(t, d, 60*time.Second)
		longest = max(longest, d)
		require.LessOrEqual(t, l.WhenError("k", durationHint(60*time.Second), ""), 70*time.Second)
	}
	require.Greater(t, longest, 55*time.Second)
}

func TestRetryAfterValidate_RL02(t *testing.T) {
	inner := exponential(ratelimit.ExponentialOptions{})
	for want, opts := range map[string]ratelimit.RetryAfterOptions[string]{
		"ratelimit: Limiter <nil>(nil): must be a limiter":                          {},
		"ratelimit: Limiter *ratelimit.Exponential[string](nil): must be a limiter": {Limiter: (*ratelimit.Exponential[string])(nil)},
		"ratelimit: MaxDelay is -1ns, want at least 0":                              {Limiter: inner, MaxDelay: -1},
		"ratelimit: Jitter is -1, want a number from 0 to 1":                        {Limiter: inner, Jitter: -1},
	} {
		require.EqualError(t, opts.Validate(), want)
		require.PanicsWithError(t, want, func() { ratelimit.NewRetryAfter(opts) })
	}
}

// FuzzRetryAfterNeverShortens: whatever a server says, the delay is at least the
// limiter's and at most the bound, and nothing panics.
func FuzzRetryAfterNeverShortens(f *testing.F) {
	f.Add("120", int64(0), int32(0), 0.0, int64(0))
	f.Add("Wed, 21 Oct 2099 07:28:00 GMT", int64(math.MaxInt64), int32(math.MaxInt32), 1.0, int64(math.MaxInt64))
	f.Add("-1", int64(math.MinInt64), int32(math.MinInt32), 0.5, int64(1))
	f.Fuzz(func(t *testing.T, header string, duration int64, seconds int32, jitter float64, ceiling int64) {
		const own = 5 * time.Millisecond
		opts := ratelimit.RetryAfterOptions[string]{Limiter: exponential(ratelimit.ExponentialOptions{}), MaxDelay: time.Duration(ceiling), Jitter: jitter}
		if opts.Validate() != nil {
			return
		}
		if ceiling == 0 {
			ceiling = int64(time.Hour)
		}
		err := errors.Join(headerHint(header), durationHint(duration), apierrors.NewTooManyRequests("", int(seconds)))
		d := ratelimit.NewRetryAfter(opts).WhenError("k", err, "throttled")
		if d < own || d > max(own, time.Duration(ceiling)) {
			t.Fatalf("%v of %v", d, err)
		}
		if floor := max(time.Duration(duration), time.Duration(seconds)*time.Second); d < min(floor, time.Duration(ceiling)) {
			t.Fatalf("%v is shorter than %v", d, floor)
		}
	})
}

// several is an error that holds others as go-multierror's does.
type several []error

func (several) Error() string            { return "several" }
func (s several) WrappedErrors() []error { return s }
