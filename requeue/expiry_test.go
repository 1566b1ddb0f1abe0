package requeue_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trimtab/trimtab/requeue"
)

const day = 24 * time.Hour

// issued is the life of a certificate of 90 days.
func issued(change func(*requeue.Expiry)) requeue.Expiry {
	e := requeue.Expiry{NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	e.NotAfter = e.NotBefore.Add(90 * day)
	if change != nil {
		change(&e)
	}
	return e
}

func TestBeforeExpiry(t *testing.T) {
	zone := time.FixedZone("", -7*3600)
	for _, tt := range []struct {
		name   string
		change func(*requeue.Expiry)
		want   time.Duration // from NotBefore to the renewal
	}{
		{"default lead", nil, 60 * day},
		{"lead", func(e *requeue.Expiry) { e.Lead = day }, 89 * day},
		{"fraction", func(e *requeue.Expiry) { e.LeadFraction = 0.1 }, 81 * day},
		{"largest fraction", func(e *requeue.Expiry) { e.LeadFraction = math.Nextafter(1, 0) }, 0},
		{"smallest fraction", func(e *requeue.Expiry) { e.LeadFraction = math.SmallestNonzeroFloat64 }, 90 * day},
		{"skew", func(e *requeue.Expiry) { e.Lead, e.Skew = day, time.Hour }, 89*day - time.Hour},
		{"skew of a third", func(e *requeue.Expiry) { e.Skew = 3 * time.Hour }, 60*day - 2*time.Hour},
		{"JT02 no jitter with a key", func(e *requeue.Expiry) { e.Lead, e.Key = day, "k" }, 89 * day},
		{"other zones", func(e *requeue.Expiry) { e.NotBefore = e.NotBefore.In(zone) }, 60 * day},
		{"RQ15 cut to the second", func(e *requeue.Expiry) { e.NotAfter = e.NotAfter.Add(1500 * time.Millisecond) }, 60*day + time.Second},
		{"longest lead", func(e *requeue.Expiry) { e.Lead = 90*day - 1 }, 0},
		{"without end", func(e *requeue.Expiry) {
			e.NotAfter, e.Lead = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), 365*day
		}, -1},
		{"life of a second", func(e *requeue.Expiry) { e.NotAfter = e.NotBefore.Add(time.Second) }, 666666667},
		{"life of a nanosecond", func(e *requeue.Expiry) { e.NotAfter = e.NotBefore.Add(1) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := issued(tt.change)
			now := e.NotBefore.Add(-time.Hour)
			got, err := requeue.BeforeExpiryAt(now, e)
			require.NoError(t, err)
			want := e.NotBefore.Add(tt.want).UTC()
			if tt.want < 0 {
				want = time.Date(9998, 12, 31, 23, 59, 59, 0, time.UTC)
			}
			require.Equal(t, want, got.At)
			require.False(t, got.Due)
			require.Equal(t, requeue.After(want.Sub(now)), got.Result)
		})
	}
}

func TestExpiryValidate(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*requeue.Expiry)
	}{
		{"requeue: NotBefore is zero, want when the life began", func(e *requeue.Expiry) { e.NotBefore = time.Time{} }},
		{"requeue: NotAfter is zero, want when the life ends", func(e *requeue.Expiry) { e.NotAfter = time.Time{} }},
		{
			"requeue: NotAfter is 2026-01-01T00:00:00Z, want a time after NotBefore, 2026-01-01T00:00:00Z",
			func(e *requeue.Expiry) { e.NotAfter = e.NotBefore },
		},
		{
			"requeue: NotAfter is 1999-12-31T23:59:59.5Z, want a time after NotBefore, 2026-01-01T00:00:00Z",
			func(e *requeue.Expiry) { e.NotAfter = time.Date(1999, 12, 31, 23, 59, 59, 5e8, time.UTC) },
		},
		{"requeue: Lead is -1ns, want at least 0", func(e *requeue.Expiry) { e.Lead = -1 }},
		{"requeue: Lead is 2160h0m0s, want less than the life, 2160h0m0s", func(e *requeue.Expiry) { e.Lead = 90 * day }},
		{"requeue: Lead is 3000h0m0s, want less than the life, 2160h0m0s", func(e *requeue.Expiry) { e.Lead = 125 * day }},
		{
			"requeue: Lead is 2159h0m0s, want less than the life without Skew, 2159h0m0s",
			func(e *requeue.Expiry) { e.Lead, e.Skew = 90*day-time.Hour, time.Hour },
		},
		{"requeue: Skew is -1ns, want at least 0", func(e *requeue.Expiry) { e.Skew = -1 }},
		{"requeue: Skew is 2160h0m0s, want less than the life, 2160h0m0s", func(e *requeue.Expiry) { e.Skew = 90 * day }},
		{"requeue: LeadFraction is -0.1, want a number from 0 to less than 1", func(e *requeue.Expiry) { e.LeadFraction = -0.1 }},
		{"requeue: LeadFraction is 1, want a number from 0 to less than 1", func(e *requeue.Expiry) { e.LeadFraction = 1 }},
		{"requeue: LeadFraction is NaN, want a number from 0 to less than 1", func(e *requeue.Expiry) { e.LeadFraction = math.NaN() }},
		{
			"requeue: LeadFraction is 0.5 beside a Lead of 24h0m0s, want one of them",
			func(e *requeue.Expiry) { e.Lead, e.LeadFraction = day, 0.5 },
		},
		{"requeue: LastResort is -1ns, want at least 0", func(e *requeue.Expiry) { e.LastResort = -1 }},
		{"requeue: Jitter is -0.1, want a number from 0 to 1", func(e *requeue.Expiry) { e.Jitter = -0.1 }},
		{"requeue: Jitter is 1.1, want a number from 0 to 1", func(e *requeue.Expiry) { e.Jitter = 1.1 }},
		{"requeue: Jitter is NaN, want a number from 0 to 1", func(e *requeue.Expiry) { e.Jitter = math.NaN() }},
		{"requeue: Key is empty, want one for each object with a Jitter of 0.1", func(e *requeue.Expiry) { e.Jitter = 0.1 }},
	} {
		t.Run(tt.want, func(t *testing.T) {
			e := issued(tt.change)
			require.EqualError(t, e.Validate(), tt.want)
			got, err := requeue.BeforeExpiryAt(e.NotBefore, e)
			require.EqualError(t, err, tt.want)
			require.Zero(t, got)
		})
	}
	require.NoError(t, issued(nil).Validate())
	require.NoError(t, issued(func(e *requeue.Expiry) { e.Jitter, e.Key = 1, "k" }).Validate())
}

// RQ15: the wake-up at the stored second finds the renewal due, and one that
// comes early asks for what is left.
func TestBeforeExpiryAtTheSecond_RQ15(t *testing.T) {
	e := issued(func(e *requeue.Expiry) { e.NotAfter = e.NotAfter.Add(400 * time.Millisecond) })
	first, err := requeue.BeforeExpiryAt(e.NotBefore, e)
	require.NoError(t, err)
	stored := metav1.NewTime(first.At)
	raw, err := stored.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, stored.UnmarshalJSON(raw))
	require.True(t, stored.Time.Equal(first.At), "storing it loses nothing")

	for _, tt := range []struct {
		early, want time.Duration
	}{
		{0, 0},
		{1, time.Millisecond},
		{time.Microsecond, time.Millisecond},
		{400 * time.Millisecond, 400 * time.Millisecond},
	} {
		got, err := requeue.BeforeExpiryAt(stored.Add(-tt.early), e)
		require.NoError(t, err)
		require.Equal(t, tt.want == 0, got.Due, "%v early", tt.early)
		if !got.Due {
			require.Equal(t, tt.want, got.Result.RequeueAfter)
		}
	}
}

// RQ14: a renewal that is due and never happens comes back ever more rarely.
func TestBeforeExpiryOverdue_RQ14(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		e := requeue.Expiry{NotBefore: start.Add(-time.Hour), NotAfter: start.Add(29 * time.Minute)} // due 1m ago
		urgent := e.NotAfter.Add(-e.NotAfter.Sub(e.NotBefore) / 30)
		var last time.Duration
		for range 100 {
			got, err := requeue.BeforeExpiry(e)
			require.NoError(t, err)
			require.True(t, got.Due)
			require.Equal(t, !time.Now().Before(urgent), got.Urgent)
			if got.Urgent || time.Now().Add(got.Result.RequeueAfter).Before(urgent) {
				require.GreaterOrEqual(t, got.Result.RequeueAfter, max(last, time.Second))
			} else {
				require.True(t, time.Now().Add(got.Result.RequeueAfter).Equal(urgent), "it comes when it becomes urgent")
			}
			require.LessOrEqual(t, got.Result.RequeueAfter, time.Hour)
			last = got.Result.RequeueAfter
			time.Sleep(last)
		}
		require.Equal(t, time.Hour, last)
		require.Greater(t, time.Since(start), 24*time.Hour)
	})
	justDue := issued(nil)
	got, err := requeue.BeforeExpiryAt(justDue.NotBefore.Add(60*day), justDue)
	require.NoError(t, err)
	require.True(t, got.Due)
	require.Equal(t, time.Second, got.Result.RequeueAfter)
}

// RQ18: the time in the status is the time of the wake-up, at which the
// renewal is due, restarts included.
func TestBeforeExpiryWakesAtStatus_RQ18(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		e := requeue.Expiry{NotBefore: now, NotAfter: now.Add(90 * day), Jitter: 0.2, Key: uid(1)}
		status, err := requeue.BeforeExpiry(e)
		require.NoError(t, err)
		for !time.Now().After(status.At.Add(-day)) {
			time.Sleep(7*time.Hour + 123456789) // a restart
			again, err := requeue.BeforeExpiry(e)
			require.NoError(t, err)
			require.Equal(t, status.At, again.At)
			require.True(t, time.Now().Add(again.Result.RequeueAfter).Equal(status.At))
			require.False(t, again.Due)
		}
		last, err := requeue.BeforeExpiry(e)
		require.NoError(t, err)
		time.Sleep(last.Result.RequeueAfter)
		due, err := requeue.BeforeExpiry(e)
		require.NoError(t, err)
		require.True(t, due.Due)
		require.True(t, time.Now().Equal(status.At))
	})
}

// JT01: what was issued together is renewed evenly spread, and only earlier.
func TestBeforeExpiryEven_JT01(t *testing.T) {
	const fleet = 1000
	var days [6]int
	for n := range fleet {
		e := issued(func(e *requeue.Expiry) { e.Jitter, e.Key = 0.2, uid(n) }) // 6 of 30 days
		got, err := requeue.BeforeExpiryAt(e.NotBefore, e)
		require.NoError(t, err)
		require.False(t, got.At.After(e.NotAfter.Add(-30*day)))
		days[int(got.At.Sub(e.NotAfter.Add(-36*day))/day)%6]++
	}
	for n, got := range days {
		require.InDelta(t, fleet/6, got, 60, "day %d: five standard deviations", n)
	}
}

// The clock that is set back makes what was due wait again, until the same
// time; set forward, it makes it due.
func TestBeforeExpiryClockJumps(t *testing.T) {
	e := issued(nil)
	at := e.NotBefore.Add(60 * day)
	for now, due := range map[time.Time]bool{
		{}:                     false,
		time.Unix(0, 0):        false,
		at.Add(-1):             false,
		at:                     true,
		e.NotAfter:             true,
		e.NotAfter.Add(1):      true,
		at.AddDate(300, 0, 0):  true,
		at.AddDate(7000, 0, 0): true,
	} {
		got, err := requeue.BeforeExpiryAt(now, e)
		require.NoError(t, err)
		require.Equal(t, at, got.At)
		require.Equal(t, due, got.Due, "%v", now)
		require.Positive(t, got.Result.RequeueAfter)
	}
}

// Times that carry a monotonic reading, as from time.Now, give the same.
func TestBeforeExpiryMonotonic(t *testing.T) {
	now := time.Now()
	now = now.Add(100*time.Millisecond - time.Duration(now.Nanosecond())) // no whole second within the life
	e := requeue.Expiry{NotBefore: now, NotAfter: now.Add(500 * time.Millisecond)}
	got, err := requeue.BeforeExpiryAt(now, e)
	require.NoError(t, err)
	e.NotBefore, e.NotAfter = e.NotBefore.Round(0), e.NotAfter.Round(0)
	stripped, err := requeue.BeforeExpiryAt(now, e)
	require.NoError(t, err)
	require.Equal(t, stripped, got)
}

func TestBeforeExpiryAllocs(t *testing.T) {
	e := issued(func(e *requeue.Expiry) { e.Jitter, e.Key = 0.2, uid(1) })
	for now, want := range map[time.Time]float64{
		e.NotBefore:                   0,
		e.NotBefore.Add(80 * day):     0, // due
		e.NotAfter.Add(-time.Hour):    1, // urgent: the priority
		e.NotAfter.Add(9 * time.Hour): 1,
	} {
		require.Equal(t, want, testing.AllocsPerRun(1000, func() { _, _ = requeue.BeforeExpiryAt(now, e) }), now)
	}
}

// From the beginning of the last resort on, and at that moment in any case, the request
// comes back at the priority of a user's change.
func TestBeforeExpiryLastResort(t *testing.T) {
	for _, tt := range []struct{ lead, lastResort, want time.Duration }{
		{30 * day, 0, 3 * day},
		{20 * time.Second, 0, 2 * time.Second},
		{day, time.Hour, time.Hour},
		{day, 1, 1},
		{day, 2 * day, day},
		{day, math.MaxInt64, day},
	} {
		e := issued(func(e *requeue.Expiry) { e.Lead, e.LastResort = tt.lead, tt.lastResort })
		urgent := e.NotAfter.Add(-tt.want)
		now, came := e.NotAfter.Add(-tt.lead), false
		for now.Before(e.NotAfter) {
			got, err := requeue.BeforeExpiryAt(now, e)
			require.NoError(t, err)
			require.True(t, got.Due)
			require.Equal(t, !now.Before(urgent), got.Urgent, "%+v at %v", tt, now)
			if got.Urgent {
				require.NotNil(t, got.Result.Priority)
				require.Zero(t, *got.Result.Priority)
			} else {
				require.Nil(t, got.Result.Priority)
			}
			came = came || now.Equal(urgent)
			now = now.Add(got.Result.RequeueAfter)
		}
		require.True(t, came, "%+v", tt)
		after, err := requeue.BeforeExpiryAt(e.NotAfter.Add(day), e)
		require.NoError(t, err)
		require.True(t, after.Urgent, "when it has ended it is no less urgent")
	}
	early, err := requeue.BeforeExpiryAt(issued(nil).NotBefore, issued(nil))
	require.NoError(t, err)
	require.False(t, early.Urgent)
	require.Nil(t, early.Result.Priority)
}

func FuzzBeforeExpiry(f *testing.F) {
	f.Add(int64(0), int64(0), int64(3600), int64(0), int64(60), int64(0), int64(1), 0.1, "k")
	f.Add(int64(9e9), int64(9e9), int64(99e9), int64(1), int64(99e9), int64(math.MaxInt64), int64(math.MaxInt64), 1.0, "past 2262")
	f.Add(int64(-62135596800), int64(-62135596800), int64(0), int64(0), int64(0), int64(0), int64(0), 0.0, "")
	f.Add(int64(0), int64(-9e11), int64(9e11), int64(0), int64(9e11), int64(math.MaxInt64-1), int64(5), 0.9999999999, "k")
	f.Fuzz(func(t *testing.T, now, from, to, nanos, lag, lead, more int64, jitter float64, key string) {
		const years = 1_000_000_000_000 // 31,700 of them, in seconds
		e := requeue.Expiry{
			NotBefore: time.Unix(from%years, 0), NotAfter: time.Unix(to%years, nanos%1_000_000_000),
			Lead: time.Duration(lead), Jitter: jitter, Key: key,
		}
		switch more % 3 { // Each of the others is in a third of the inputs.
		case 0:
			e.Skew, e.LastResort = time.Duration(more), time.Duration(lag)
		case 1:
			e.Lead, e.LeadFraction = 0, float64(more)/math.MaxInt64
		}
		at := time.Unix(now%years, nanos%1_000_000_000)
		got, err := requeue.BeforeExpiryAt(at, e)
		if err != nil {
			require.Equal(t, requeue.Renewal{}, got)
			require.EqualError(t, e.Validate(), err.Error())
			return
		}
		end := e.NotAfter.Add(-e.Skew)
		life := end.Sub(e.NotBefore)
		given := e
		switch {
		case e.LeadFraction > 0:
			e.Lead = min(time.Duration(e.LeadFraction*float64(life)), life-1)
		case e.Lead == 0:
			e.Lead = life / 3
		}
		switch {
		case got.At.After(end.Add(-e.Lead)):
			t.Fatalf("%+v: at %v, later than Lead says", e, got.At)
		case got.At.Before(e.NotBefore.Add((life - e.Lead) / 2)):
			t.Fatalf("%+v: at %v, in the first half of the time before Lead", e, got.At)
		case got.Due == at.Before(got.At):
			t.Fatalf("%+v: due at %v, and at %v it is %v", e, got.At, at, got.Due)
		case got.Due && (got.Result.RequeueAfter < time.Second || got.Result.RequeueAfter > time.Hour),
			got.Result.RequeueAfter < time.Millisecond:
			t.Fatalf("%+v: at %v, asks for %v", e, at, got.Result.RequeueAfter)
		}
		later, err := requeue.BeforeExpiryAt(at.Add(time.Duration(lag)), given)
		require.NoError(t, err)
		if got.At.Equal(later.At) {
			return
		}
		t.Fatalf("%+v: at %v, later %v", e, got.At, later.At)
	})
}

func BenchmarkBeforeExpiry(b *testing.B) {
	e := issued(func(e *requeue.Expiry) { e.Jitter, e.Key = 0.2, uid(1) })
	b.ReportAllocs()
	for b.Loop() {
		_, _ = requeue.BeforeExpiry(e)
	}
}
