package scale_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// fewest is how many changes have to count.
const fewest = 20

// users change an object in each pace for some time, and return how long it took from
// the API server's answer until a run saw the change, which can be before. Those count
// that counts says; until there are enough, users go on.
func (f *fleet) users(ctx context.Context, c client.Client, namespace string, d, pace time.Duration, counts func() bool) (measures, error) {
	f.mu.Lock()
	f.waits = nil
	f.mu.Unlock()
	var failed error
	var once sync.Once
	var all sync.WaitGroup
	ticks := time.NewTicker(pace)
	defer ticks.Stop()
	count := 0
	for end := time.Now().Add(d); time.Now().Before(end) || count < fewest && ctx.Err() == nil; {
		<-ticks.C
		kept := counts()
		if kept {
			count++
		}
		all.Go(func() {
			if err := f.ask(ctx, c, namespace, kept); err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	all.Wait()
	if failed != nil {
		return nil, failed
	}
	return f.answered(ctx)
}

// ask changes an object that has no other change to wait for.
func (f *fleet) ask(ctx context.Context, c client.Client, namespace string, kept bool) error {
	i, name := f.choose(kept)
	cert := &certv1.Certificate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: nameOf(i)}}
	patch := fmt.Sprintf(`{"spec":{"dnsNames":[%q]}}`, name)
	if err := c.Patch(ctx, cert, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		return err
	}
	f.note(i, func(c *change) { c.answered = time.Now() })
	return nil
}

func (f *fleet) choose(kept bool) (i int, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		i = rand.IntN(len(f.once))
		if _, ok := f.asked[i]; !ok {
			break
		}
	}
	name = fmt.Sprintf("n%d.%s.example", rand.Uint64(), nameOf(i))
	f.asked[i] = &change{name: name, kept: kept}
	return i, name
}

// see tells that a run has seen an object with that name in it.
func (f *fleet) see(i int, name string) {
	f.note(i, func(c *change) {
		if c.name == name && c.seen.IsZero() {
			c.seen = time.Now()
		}
	})
}

// note notes something of a change, if there is one of the object, and keeps its wait
// once all of it is known.
func (f *fleet) note(i int, what func(*change)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.asked[i]
	if !ok {
		return
	}
	what(c)
	if c.seen.IsZero() || c.answered.IsZero() {
		return
	}
	delete(f.asked, i)
	if c.kept {
		f.waits = append(f.waits, max(0, c.seen.Sub(c.answered)))
	}
}

// answered returns the waits once all users have an answer.
func (f *fleet) answered(ctx context.Context) (measures, error) {
	for {
		f.mu.Lock()
		left, waits, failure := len(f.asked), f.waits, f.failure
		f.mu.Unlock()
		switch {
		case failure != nil:
			return nil, failure
		case left == 0:
			return measures{
				"changes": float64(len(waits)),
				"ms-P50":  milliseconds(quantile(waits, 0.5)),
				"ms-P99":  milliseconds(quantile(waits, 0.99)),
				"ms-max":  milliseconds(quantile(waits, 1)),
			}, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%d changes that no run has seen", left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
