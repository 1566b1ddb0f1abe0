package handler_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/handler"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

func ExampleAs() {
	// One line of an operator's set-up:
	//
	//	Watches(&corev1.ConfigMap{}, handler.As(trigger.Watched, handler.EnqueueRequestsFromMapFunc(users)))
	users := func(_ context.Context, config client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: config.GetNamespace(), Name: "user-of-" + config.GetName()}}}
	}
	h := handler.As(trigger.Watched, handler.EnqueueRequestsFromMapFunc(users))

	q := queue.New("example", queue.Options[reconcile.Request]{})
	defer q.ShutDown()
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "config"}}
	h.Create(context.Background(), event.CreateEvent{Object: config}, q)

	request, priority, _ := q.GetWithPriority()
	info, _ := q.Running(request)
	fmt.Println(request, info.Sources, priority)
	// Output: default/user-of-config watched -20
}

func ExampleOwned() {
	// One line of an operator's set-up, in place of Owns(&corev1.Secret{}):
	//
	//	Watches(&corev1.Secret{}, handler.Owned(mgr, &corev1.ConfigMap{}))
	mgr := stubCluster{scheme: scheme.Scheme}
	h := handler.Owned(mgr, &corev1.ConfigMap{})

	q := queue.New("example", queue.Options[reconcile.Request]{})
	defer q.ShutDown()
	yes := true
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "child",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "parent", Controller: &yes}},
	}}
	h.Delete(context.Background(), event.DeleteEvent{Object: secret}, q)

	request, priority, _ := q.GetWithPriority()
	info, _ := q.Running(request)
	fmt.Println(request, info.Sources, priority)
	// Output: default/parent watched -20
}

func ExampleSpread() {
	// One line of an operator's set-up:
	//
	//	Watches(&corev1.Secret{}, handler.Spread(time.Minute, handler.EnqueueRequestsFromMapFunc(allCertificates)))
	allCertificates := func(context.Context, client.Object) []reconcile.Request {
		requests := make([]reconcile.Request, 600)
		for i := range requests {
			requests[i].Name = fmt.Sprint("certificate-", i)
		}
		return requests
	}
	h := handler.Spread(time.Minute, handler.EnqueueRequestsFromMapFunc(allCertificates))

	q := queue.New("example", queue.Options[reconcile.Request]{})
	defer q.ShutDown()
	ca := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "ca"}}
	h.Create(context.Background(), event.CreateEvent{Object: ca}, q)

	request, priority, _ := q.GetWithPriority()
	info, _ := q.Running(request)
	fmt.Println(request.Name, info.Sources, priority)
	fmt.Println(q.Snapshot().Delayed, "come within the minute, ten in a second")
	// Output:
	// certificate-0 resync -100
	// 599 come within the minute, ten in a second
}
