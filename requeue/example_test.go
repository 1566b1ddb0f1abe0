package requeue_test

import (
	"fmt"
	"time"

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
	// Output: 6m7s
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
