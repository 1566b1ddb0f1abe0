package bench_test

import (
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

// returned is where a Result goes: a reconciler's caller, which the compiler can't see.
var returned reconcile.Result

func call(b *testing.B, name string, f func() reconcile.Result) {
	b.Helper()
	b.Run(name+"/by="+ours, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			returned = f()
		}
	})
}

// BenchmarkReturn asks when to come back.
func BenchmarkReturn(b *testing.B) {
	now := time.Now()
	uid := uids()[0]
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(b, err)
	life := requeue.Expiry{NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(0, 3, 0), Jitter: 0.1, Key: uid}
	night := requeue.Hours{Zone: berlin, From: 22 * time.Hour, To: 6 * time.Hour, Key: uid, Last: now.Add(-30 * time.Hour)}
	weekend := night
	weekend.Days = []time.Weekday{time.Saturday, time.Sunday}
	poll := requeue.NewPoll(requeue.PollOptions{})
	hour := requeue.After(time.Hour)
	results, errs := []reconcile.Result{hour, requeue.Done(), requeue.After(time.Minute)}, make([]error, 3)

	call(b, "op=After", func() reconcile.Result { return requeue.After(time.Hour) })
	call(b, "op=At", func() reconcile.Result { return requeue.At(now) })
	call(b, "op=Every", func() reconcile.Result { return requeue.Every(10*time.Minute, uid) })
	call(b, "op=Jitter", func() reconcile.Result { return requeue.Jitter(time.Hour, 0.1) })
	call(b, "op=JitterLater", func() reconcile.Result { return requeue.JitterLater(time.Hour, 0.1) })
	call(b, "op=BeforeExpiry", func() reconcile.Result { r, _ := requeue.BeforeExpiry(life); return r.Result })
	call(b, "op=Window", func() reconcile.Result { o, _ := requeue.Window(night); return o.Result })
	call(b, "op=Window-of-two-days", func() reconcile.Result { o, _ := requeue.Window(weekend); return o.Result })
	call(b, "op=Poll.Since", func() reconcile.Result { return poll.Since(now) })
	call(b, "op=Poll.Kept", func() reconcile.Result { return poll.Kept(uid, "provisioning") })
	call(b, "op=Soonest-of-3", func() reconcile.Result { return requeue.Soonest(results...) })
	call(b, "op=Merge-of-3", func() reconcile.Result { r, _ := requeue.Merge(results, errs); return r })
	call(b, "op=Guard", func() reconcile.Result { return requeue.Guard(hour, time.Minute, time.Hour) })
}

// BenchmarkPriority is of calls that need a pointer for the priority.
func BenchmarkPriority(b *testing.B) {
	now := time.Now()
	ending := requeue.Expiry{NotBefore: now.Add(-90 * 24 * time.Hour), NotAfter: now.Add(time.Hour), Jitter: 0.1, Key: "k"}
	call(b, "op=WithPriority", func() reconcile.Result { return requeue.WithPriority(requeue.After(time.Hour), -7) })
	call(b, "op=BeforeExpiry,-urgent", func() reconcile.Result { r, _ := requeue.BeforeExpiry(ending); return r.Result })
}

// BenchmarkPlan asks a schedule of robfig/cron's, whose own time is in it.
func BenchmarkPlan(b *testing.B) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(b, err)
	for _, c := range []struct {
		name, spec string
		ago        time.Duration
	}{
		{"nightly,-not-due", "30 2 * * *", 0},
		{"nightly,-due", "30 2 * * *", 25 * time.Hour},
		{"every-minute,-8-days-missed", "* * * * *", 8 * 24 * time.Hour},
		{"weekdays,-a-year-missed", "30 2 * * 1-5", 365 * 24 * time.Hour},
	} {
		schedule, err := cron.ParseStandard(c.spec)
		require.NoError(b, err)
		p := requeue.Plan{Slots: schedule, Zone: berlin, Last: time.Now().Add(-c.ago)}
		call(b, "op="+c.name, func() reconcile.Result { turn, _ := requeue.Schedule(p); return turn.Result })
	}
}
