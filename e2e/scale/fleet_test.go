package scale_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/predicate"
	"github.com/trimtab/trimtab/reconcile"
)

// fleet is the reconciler of a child, and what it has seen. Objects are known by their
// numbers.
type fleet struct {
	client   client.Client
	metadata bool          // the cache has nothing else
	mark     string        // what a status must say, if anything
	service  atomic.Int64  // how long a run takes besides, as a time.Duration
	once     []atomic.Bool // the objects that have run
	left     atomic.Int64  // how many have not
	all      chan struct{} // closed when there are none left
	resyncs  resyncs

	mu      sync.Mutex
	asked   map[int]*change // what users have asked for, and no run has seen
	waits   []time.Duration
	failure error // the first
}

// change is one by a user.
type change struct {
	name     string // the first of the names that the certificate is to have
	kept     bool   // whether its wait counts
	answered time.Time
	seen     time.Time
}

func newFleet(objects int, metadata bool, mark string) *fleet {
	f := &fleet{
		metadata: metadata,
		mark:     mark,
		once:     make([]atomic.Bool, objects),
		all:      make(chan struct{}),
		resyncs:  resyncs{objects: objects, waiting: make([]bool, objects), ended: make(chan resynced, 1)},
		asked:    map[int]*change{},
	}
	f.left.Store(int64(objects))
	return f
}

// nameOf is the name of an object, and numberOf its number.
func nameOf(i int) string { return fmt.Sprintf("cert-%06d", i) }

func numberOf(name string) int {
	i, err := strconv.Atoi(strings.TrimPrefix(name, "cert-"))
	if err != nil {
		panic(err) // who has made such an object?
	}
	return i
}

// Reconcile implements reconcile.Reconciler: it reads its object, from the cache, and
// writes the status if that lacks the mark.
func (f *fleet) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	i := numberOf(req.Name)
	err := f.run(ctx, i, req.NamespacedName)
	if err != nil {
		f.mu.Lock()
		if f.failure == nil {
			f.failure = err
		}
		f.mu.Unlock()
		return reconcile.Result{}, err
	}
	if f.once[i].CompareAndSwap(false, true) && f.left.Add(-1) == 0 {
		close(f.all)
	}
	f.resyncs.ran(i)
	return reconcile.Result{}, nil
}

func (f *fleet) run(ctx context.Context, i int, key types.NamespacedName) error {
	if f.metadata {
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(certv1.GroupVersion.WithKind("Certificate"))
		return f.client.Get(ctx, key, m)
	}
	cert := &certv1.Certificate{}
	if err := f.client.Get(ctx, key, cert); err != nil {
		return err
	}
	f.see(i, cert.Spec.DNSNames[0])
	if service := f.service.Load(); service > 0 {
		time.Sleep(time.Duration(service))
	}
	if f.mark == "" || cert.Status.SerialNumber == f.mark {
		return nil
	}
	before := client.MergeFrom(cert.DeepCopy())
	cert.Status = issued(cert, f.mark)
	return f.client.Status().Patch(ctx, cert, before)
}

// issued is the status of a certificate as the example's operator writes it.
func issued(cert *certv1.Certificate, mark string) certv1.CertificateStatus {
	now := metav1.Now()
	later := metav1.NewTime(now.Add(cert.Spec.Duration.Duration))
	return certv1.CertificateStatus{
		ObservedGeneration: cert.Generation,
		Conditions: []metav1.Condition{{
			Type: certv1.ConditionReady, Status: metav1.ConditionTrue, Reason: certv1.ReasonIssued,
			Message: "The Secret holds a certificate that is valid", LastTransitionTime: now, ObservedGeneration: cert.Generation,
		}},
		NotBefore: &now, NotAfter: &later, RenewalTime: &later, SerialNumber: mark,
	}
}

// admit returns a predicate that passes changes of the spec, and resyncs while
// f.resyncs.admitted. Each contestant's is of its own means.
func (f *fleet) admit(by string) predicate.Predicate {
	changed := predicate.SpecChanged()
	both := predicate.Any(changed, predicate.OnlyResync())
	if by == stock {
		changed = predicate.GenerationChangedPredicate{}
		both = predicate.Or(changed, predicate.Not[client.Object](predicate.ResourceVersionChangedPredicate{}))
	}
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		passes := changed
		if f.resyncs.admitted.Load() {
			passes = both
		}
		ok := passes.Update(e)
		if e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion() {
			f.resyncs.saw(numberOf(e.ObjectNew.GetName()), ok)
		}
		return ok
	}}
}
