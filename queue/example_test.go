package queue_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

func ExampleNew() {
	q := queue.New("certificates", queue.Options[string]{})
	defer q.ShutDown()

	q.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, "a", "b")  // the initial list
	q.AddWithSource(trigger.Watched, priorityqueue.AddOpts{}, "c", "b") // owned objects changed
	q.Add("d")                                                          // a user's change

	for q.Len() > 0 {
		request, priority, _ := q.GetWithPriority()
		info, _ := q.Running(request)
		fmt.Println(request, priority, info.Sources)
		q.Done(request)
	}
	// Output:
	// d 0 primary
	// c -20 watched
	// b -20 watched+resync
	// a -100 resync
}

// The namespaces take turns, and each has at most ten requests in flight.
func ExampleNew_groups() {
	q := queue.New("certificates", queue.Options[reconcile.Request]{
		Group:       func(r reconcile.Request) string { return r.Namespace },
		MaxPerGroup: 10,
	})
	defer q.ShutDown()

	for _, key := range []types.NamespacedName{{Namespace: "big", Name: "a"}, {Namespace: "big", Name: "b"}, {Namespace: "big", Name: "c"}, {Namespace: "small", Name: "a"}} {
		q.Add(reconcile.Request{NamespacedName: key})
	}

	for q.Len() > 0 {
		request, _ := q.Get()
		fmt.Println(request)
		q.Done(request)
	}
	// Output:
	// big/a
	// small/a
	// big/b
	// big/c
}

// A controller of controller-runtime makes its queue itself. trimtab.Loop sets
// these options for you.
func ExampleNew_controller() {
	options := controller.Options{
		NewQueue: func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
			return queue.New(name, queue.Options[reconcile.Request]{RateLimiter: limiter})
		},
	}
	q := options.NewQueue("certificates", nil)
	defer q.ShutDown()
	q.Add(reconcile.Request{})
	fmt.Println(q.Len())
	// Output: 1
}

func ExampleDefaultPriority() {
	for source := range trigger.All.Sources() {
		fmt.Println(source, queue.DefaultPriority(source))
	}
	// Output:
	// primary 0
	// external 0
	// watched -20
	// retry -10
	// periodic -100
	// resync -100
}
