package requeue_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/requeue"
	"github.com/trimtab/trimtab/trigger"
)

// host is controller-runtime's own controller with Trimtab's queue and chain.
type host struct {
	*queue.Queue[string]
	stop func() // ends it, and waits for that
}

// start runs r for keys, as a start of an operator does: all of them at once.
func start(t *testing.T, r reconcile.TypedFunc[string], keys []string, sources ...source.TypedSource[string]) *host {
	t.Helper()
	h := &host{Queue: queue.New("", queue.Options[string]{RateLimiter: ratelimit.NewExponential[string](ratelimit.ExponentialOptions{})})}
	skip := true
	c, err := controller.NewTypedUnmanaged(t.Name(), controller.TypedOptions[string]{
		SkipNameValidation: &skip,
		LogConstructor:     func(*string) logr.Logger { return logr.Discard() },
		Reconciler:         reconcile.New(r, reconcile.Options[string]{Queue: h.Queue}),
		NewQueue: func(string, workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
			return h.Queue
		},
	})
	require.NoError(t, err)
	sources = append(sources, source.TypedFunc[string](func(context.Context, workqueue.TypedRateLimitingInterface[string]) error {
		for _, key := range keys {
			h.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, key)
		}
		return nil
	}))
	for _, s := range sources {
		require.NoError(t, c.Watch(s))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(quiet(t.Context())))
	ended := make(chan error, 1)
	go func() { ended <- c.Start(ctx) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(h.stop)
	return h
}

var errBroken = errors.New("broken")

// RQ03: a delay after failures ends their row.
func TestDelayEndsTheFailures_RQ03(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, runs := time.Now(), 0
		var at []time.Duration
		h := start(t, func(context.Context, string) (reconcile.Result, error) {
			at = append(at, time.Since(begin))
			if runs++; runs == 6 {
				return requeue.After(30 * time.Second), nil
			}
			return requeue.Done(), errBroken
		}, []string{"k"})
		sleep(30*time.Second + 155*time.Millisecond + 4*time.Millisecond)
		require.Equal(t, 1, h.NumRequeues("k"))
		sleep(time.Millisecond)
		require.Equal(t, []time.Duration{5, 10, 20, 40, 80}, gaps(at[:6], time.Millisecond))
		require.Equal(t, []time.Duration{30_000, 5}, gaps(at[5:8], time.Millisecond))
	})
}

// gaps returns the times between those, in units.
func gaps(at []time.Duration, unit time.Duration) (all []time.Duration) {
	for i := range at[1:] {
		all = append(all, (at[i+1]-at[i])/unit)
	}
	return all
}

// JT02: jitter is of the delay that a success asks for, and leaves the backoff alone.
func TestJitterLeavesTheBackoff_JT02(t *testing.T) {
	for _, fraction := range []float64{0, 0.5, 1} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			var at []time.Duration
			start(t, func(context.Context, string) (reconcile.Result, error) {
				at = append(at, time.Since(begin))
				if len(at)%5 == 1 {
					return requeue.Jitter(time.Minute, fraction), nil
				}
				return requeue.Done(), errBroken
			}, []string{"k"})
			sleep(time.Hour)
			require.Greater(t, len(at), 100)
			exact := true
			for i := 1; i+4 < len(at); i += 5 {
				require.Equal(t, []time.Duration{5, 10, 20, 40}, gaps(at[i:i+5], time.Millisecond))
				exact = exact && at[i]-at[i-1] == time.Minute
			}
			require.Equal(t, fraction == 0, exact)
		})
	}
}

// certificates are what an issuer has issued, and a fleet renews. They outlive the
// controllers.
type certificates struct {
	t  *testing.T
	up time.Time // since when a controller runs

	mu       sync.Mutex
	lives    map[string]requeue.Expiry
	renewals map[string]int
	lost     int // renewals that failed
	r        *rand.Rand
}

func issue(r *rand.Rand, key string, now time.Time) requeue.Expiry {
	life := time.Duration(30+r.IntN(450)) * time.Minute // half an hour to eight hours
	return requeue.Expiry{NotBefore: now, NotAfter: now.Add(life), Jitter: 0.2, Key: key}
}

// reconcile renews what is due. Some renewals fail.
func (c *certificates) reconcile(_ context.Context, key string) (reconcile.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, life := time.Now(), c.lives[key]
	renewal, err := requeue.BeforeExpiry(life)
	require.NoError(c.t, err)
	if !renewal.Due {
		require.True(c.t, now.Before(renewal.At))
		require.True(c.t, now.Add(renewal.Result.RequeueAfter).Equal(renewal.At))
		return renewal.Result, nil
	}
	if c.r.IntN(20) == 0 {
		c.lost++
		return renewal.Result, errBroken
	}
	// Its window begins at the renewal time, and it is taken as soon as somebody is there.
	require.False(c.t, now.Before(renewal.At), "%s is renewed too early", key)
	require.True(c.t, now.Before(life.NotAfter), "%s is renewed too late", key)
	require.LessOrEqual(c.t, now.Sub(later(renewal.At, c.up)), 2*time.Minute, key)
	c.lives[key] = issue(c.r, key, now)
	c.renewals[key]++
	renewal, err = requeue.BeforeExpiry(c.lives[key])
	require.NoError(c.t, err)
	return renewal.Result, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// A day of a thousand certificates, with restarts at random times and a Ticker that
// looks at all of them: each is renewed inside its window, and none twice.
func TestDayOfRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fleet = 1000
		r := rand.New(rand.NewPCG(7, 7))
		c := &certificates{t: t, lives: map[string]requeue.Expiry{}, renewals: map[string]int{}, r: rand.New(rand.NewPCG(8, 8))}
		var keys []string
		for n := range fleet {
			keys = append(keys, uid(n))
			c.lives[uid(n)] = issue(r, uid(n), time.Now())
		}
		begin, restarts := time.Now(), 0
		for time.Since(begin) < 24*time.Hour {
			ticker := requeue.NewTicker(requeue.TickerOptions[string]{
				Period: time.Hour,
				List:   func(context.Context) ([]string, error) { return keys, nil },
			})
			c.mu.Lock()
			c.up = time.Now()
			c.mu.Unlock()
			h := start(t, c.reconcile, keys, ticker)
			sleep(time.Duration(1+r.IntN(4*3600)) * time.Second)
			h.stop()
			synctest.Wait()
			time.Sleep(time.Duration(r.IntN(180_000)) * time.Millisecond)
			restarts++
		}
		for _, key := range keys {
			life := c.lives[key]
			require.True(t, time.Now().Before(life.NotAfter), "%s has ended", key)
			require.GreaterOrEqual(t, c.renewals[key], 3, "of at most eight hours each")
		}
		require.Greater(t, restarts, 5)
		require.Greater(t, c.lost, 100, "failures were part of it")
	})
}
