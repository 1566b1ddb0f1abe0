// Command zz is thrown away.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/e2e/internal/browser"
	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/ratelimit"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

func main() {
	reg := prometheus.NewRegistry()
	m := metrics.New(metrics.Options{})
	reg.MustRegister(m)
	var storm atomic.Bool
	var loops []loopz.Loop
	n := 1
	if len(os.Args) > 2 {
		fmt.Sscan(os.Args[2], &n)
	}
	for i := range n {
		name := "certificate"
		if i > 0 {
			name = fmt.Sprintf("loop-%02d", i)
		}
		loop := trimtab.New(name, trimtab.Options{Registerer: reg, RateLimiter: ratelimit.NewExponential[reconcile.Request](ratelimit.ExponentialOptions{BaseDelay: 20 * time.Millisecond, MaxDelay: 500 * time.Millisecond, Jitter: 0.2}),
			Reconcile: reconcile.Options[reconcile.Request]{Deadline: reconcile.DeadlineOptions{Timeout: 30 * time.Second}}})
		r := loop.Reconciler(reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
			if req.Name == "checkout" {
				time.Sleep(5 * time.Millisecond)
				return reconcile.Result{}, apierrors.NewInvalid(schema.GroupKind{}, "x", nil)
			}
			if storm.Load() {
				time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond)
				if rand.IntN(2) == 0 {
					return reconcile.Result{}, context.DeadlineExceeded
				}
			} else {
				time.Sleep(time.Duration(2+rand.IntN(20)) * time.Millisecond)
			}
			return reconcile.Result{RequeueAfter: time.Duration(20+rand.IntN(20)) * time.Second}, nil
		}))
		o := loop.ControllerOptions(controller.Options{})
		q := o.NewQueue(name, o.RateLimiter)
		for range 4 {
			go func() {
				for {
					req, priority, _ := q.(priorityqueue.PriorityQueue[reconcile.Request]).GetWithPriority()
					res, err := r.Reconcile(context.Background(), req)
					switch {
					case err != nil:
						q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, req)
					default:
						q.Forget(req)
						q.(priorityqueue.PriorityQueue[reconcile.Request]).AddWithOpts(priorityqueue.AddOpts{After: res.RequeueAfter, Priority: &priority}, req)
					}
					q.Done(req)
				}
			}()
		}
		add := q.(interface {
			AddWithSource(source trigger.Source, o priorityqueue.AddOpts, requests ...reconcile.Request)
		})
		req := func(name string) reconcile.Request {
			return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}}
		}
		add.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, req("checkout"))
		for i := range 200 {
			add.AddWithSource(trigger.Resync, priorityqueue.AddOpts{}, req(fmt.Sprint([]string{"web", "cart", "search", "billing", "mail"}[i%5], "-", i/5)))
		}
		go func() {
			c := m.Controller(name)
			for {
				src := trigger.Primary
				if rand.IntN(3) > 0 {
					src = trigger.Watched
				}
				c.Filtered(src, "SpecChanged", true)
				for range 5 {
					c.Filtered(src, "SpecChanged", false)
				}
				c.Called(trigger.SetOf(src), "get", "Certificate")
				c.Called(trigger.SetOf(src), "patch", "Certificate/status")
				add.AddWithSource(src, priorityqueue.AddOpts{}, req(fmt.Sprint([]string{"web", "cart", "search", "billing", "mail"}[rand.IntN(5)], "-", rand.IntN(40))))
				if storm.Load() {
					time.Sleep(20 * time.Millisecond)
				} else {
					time.Sleep(150 * time.Millisecond)
				}
			}
		}()
		loops = append(loops, loop)
	}
	go http.ListenAndServe("127.0.0.1:18999", loopz.New(loopz.Options{Loops: loops}))
	time.Sleep(200 * time.Millisecond)
	b, err := browser.Start(context.Background())
	check(err)
	defer b.Stop()
	check(b.Look(1280, 1500, "light"))
	check(b.Open("http://127.0.0.1:18999/"))
	time.Sleep(40 * time.Second)
	shot(b, "calm")
	storm.Store(true)
	time.Sleep(75 * time.Second)
	shot(b, "light")
	check(b.Look(1280, 1500, "dark"))
	shot(b, "dark")
	check(b.Look(390, 3600, "light"))
	shot(b, "phone")
	fmt.Println(b.Complaints())
}

func shot(b *browser.Browser, name string) {
	time.Sleep(2500 * time.Millisecond)
	png, err := b.Screenshot()
	check(err)
	check(os.WriteFile("/tmp/h/loopz-shots/"+os.Args[1]+"-"+name+".png", png, 0o644))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

var _ = errors.New
