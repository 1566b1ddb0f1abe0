package requeue_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

func ExampleDone() {
	fmt.Println(requeue.Done().RequeueAfter)
	// Output: 0s
}

// A deadline that has just passed is looked at again, not lost.
func ExampleAfter() {
	fmt.Println(requeue.After(30 * time.Second).RequeueAfter)
	fmt.Println(requeue.After(-time.Second).RequeueAfter)
	// Output:
	// 30s
	// 1ms
}

// Each object is polled every ten minutes, at its own moments.
func ExampleEvery() {
	uid := "9c6d1a0e-5a0f-4a53-8a4e-3f7f1c0b2d11" // string(obj.GetUID())
	result := requeue.Every(10*time.Minute, uid)

	moment := time.Now().Add(result.RequeueAfter).Round(time.Second)
	fmt.Println(moment.Sub(moment.Truncate(10 * time.Minute)))
	// Output: 5m59s
}

// What a reconciler of certificates decides, shows and asks for.
func ExampleBeforeExpiry() {
	renewal, err := requeue.BeforeExpiry(requeue.Expiry{
		NotBefore: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(2100, 4, 1, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		fmt.Println(err) // a condition, and reconcile.TerminalError
		return
	}
	if renewal.Due {
		fmt.Println("renew, and ask again with the new life")
	}
	fmt.Println("status.renewalTime:", renewal.At)
	fmt.Println(renewal.Result.RequeueAfter > 0) // return renewal.Result, nil
	// Output:
	// status.renewalTime: 2100-03-02 00:00:00 +0000 UTC
	// true
}

// A spec is checked before anything is issued for it.
func ExampleExpiry_Validate() {
	now := time.Now()
	fmt.Println(requeue.Expiry{
		NotBefore: now,
		NotAfter:  now.Add(time.Hour), // spec.duration
		Lead:      90 * time.Minute,   // spec.renewBefore
	}.Validate())
	// Output: requeue: Lead is 1h30m0s, want less than the life, 1h0m0s
}

// Work that goes on in the next run, behind what is ready by then.
func ExampleNow() {
	fmt.Println(requeue.Now().RequeueAfter)
	// Output: 1ms
}

// A lease is looked at when it ends, also if that has just passed.
func ExampleAt() {
	ends := time.Now().Add(-time.Second)
	fmt.Println(requeue.At(ends).RequeueAfter)
	// Output: 1ms
}

// A poll every ten minutes or so.
func ExampleJitter() {
	result := requeue.Jitter(10*time.Minute, 0.1)
	fmt.Println(result.RequeueAfter >= 9*time.Minute, result.RequeueAfter <= 11*time.Minute)
	fmt.Println(requeue.Jitter(10*time.Minute, 0).RequeueAfter)
	// Output:
	// true true
	// 10m0s
}

// A server that asks to be left alone for a minute is left alone for a minute.
func ExampleJitterLater() {
	result := requeue.JitterLater(time.Minute, 0.5)
	fmt.Println(result.RequeueAfter >= time.Minute, result.RequeueAfter <= 90*time.Second)
	// Output: true true
}

// Of several reasons to come back the first counts.
func ExampleSoonest() {
	renewal, poll, nothing := requeue.After(time.Hour), requeue.After(30*time.Second), requeue.Done()
	fmt.Println(requeue.Soonest(renewal, poll, nothing).RequeueAfter)
	// Output: 30s
}

// The steps of a reconciler each return a Result and an error.
func ExampleMerge() {
	var results []reconcile.Result
	var errs []error
	for _, step := range []func() (reconcile.Result, error){
		func() (reconcile.Result, error) { return requeue.After(time.Hour), nil },
		func() (reconcile.Result, error) { return requeue.Done(), errors.New("no such volume") },
		func() (reconcile.Result, error) {
			return requeue.Done(), reconcile.TerminalError(errors.New("bad name"))
		},
	} {
		result, err := step()
		results, errs = append(results, result), append(errs, err)
	}
	result, err := requeue.Merge(results, errs)
	fmt.Println(result.RequeueAfter)
	fmt.Println(err)
	fmt.Println("terminal:", errors.Is(err, reconcile.TerminalError(nil)))
	// Output:
	// 1h0m0s
	// no such volume
	// terminal error: bad name
	// terminal: false
}

// A user waits for this one.
func ExampleWithPriority() {
	result := requeue.WithPriority(requeue.After(time.Second), 0)
	fmt.Println(result.RequeueAfter, *result.Priority)
	// Output: 1s 0
}

// A user has asked for a poll in each nanosecond.
func ExampleGuard() {
	result := requeue.After(1) // spec.interval
	fmt.Println(requeue.Guard(result, 10*time.Second, 24*time.Hour).RequeueAfter)
	// Output: 10s
}

// A failure that has a time of its own.
func ExampleAfterError() {
	err := error(requeue.AfterError{After: time.Minute, Err: errors.New("the volume is busy")})
	err = fmt.Errorf("attach: %w", err) // return requeue.Done(), err

	var after requeue.AfterError
	fmt.Println(err, errors.As(err, &after), after.After)
	// Output: attach: the volume is busy true 1m0s
}

// nightly is what a cron library makes of "30 2 * * *".
type nightly struct{}

func (nightly) Next(t time.Time) time.Time {
	next := time.Date(t.Year(), t.Month(), t.Day(), 2, 30, 0, 0, t.Location())
	if !next.After(t) {
		next = next.AddDate(0, 0, 1)
	}
	return next
}

// A backup each night. Who was down all the time makes up for the last night alone.
func ExampleSchedule() {
	turn, err := requeue.Schedule(requeue.Plan{
		Slots: nightly{},                                    // cron.ParseStandard(spec.schedule)
		Zone:  time.UTC,                                     // time.LoadLocation(spec.timeZone)
		Last:  time.Date(2020, 1, 1, 2, 30, 0, 0, time.UTC), // status.lastSlot, or metadata.creationTimestamp
	})
	if err != nil {
		fmt.Println(err) // a condition, and reconcile.TerminalError
		return
	}
	if turn.Due {
		fmt.Println("run it, and write turn.Slot to the status")
	}
	fmt.Println(turn.Next.Sub(turn.Slot)) // return turn.Result, nil
	// Output:
	// run it, and write turn.Slot to the status
	// 24h0m0s
}

// A load balancer takes its time, and nobody tells when it is ready.
func ExampleNewPoll() {
	poll := requeue.NewPoll(requeue.PollOptions{DisableJitter: true}) // a field of the reconciler

	changed := time.Now().Add(-7 * time.Second) // the condition's lastTransitionTime
	result := poll.Since(changed)
	fmt.Println(result.RequeueAfter.Round(time.Second), *result.Priority)
	// Output: 7s -20
}

// A server's answer has no time of its last change: the Poll keeps it.
func ExamplePoll_Kept() {
	poll := requeue.NewPoll(requeue.PollOptions{DisableJitter: true})
	fmt.Println(poll.Kept("default/shop", "provisioning").RequeueAfter)
	// Output: 1s
}

// Every object is enqueued once in ten minutes, one after the other.
func ExampleNewTicker() {
	ticker := requeue.NewTicker(requeue.TickerOptions[string]{
		Period: 10 * time.Minute,
		List:   func(context.Context) ([]string, error) { return []string{"one", "two"}, nil },
	})
	// WatchesRawSource(ticker)
	fmt.Println(ticker.SetPeriod(0))
	// Output: requeue: Period is 0s, want at least 1s
}

// The objects that the controller watches, from the manager's cache.
func ExampleObjects() {
	var certificates client.ObjectList // &certv1.CertificateList{}
	defer func() { fmt.Println(recover()) }()
	requeue.Objects(nil, certificates) // requeue.Objects(mgr.GetCache(), certificates)
	// Output: requeue: Objects: the reader and the list must not be nil
}
