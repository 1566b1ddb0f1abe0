package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/certcheck"
)

// managed selects the Secrets that the operator wrote.
const managed = "app.kubernetes.io/managed-by=certrotator"

// Counts is how many certificates there are in which state.
type Counts struct {
	Certificates int // that exist
	Ready        int // whose status says that the present spec is served
	Current      int // whose Secret names the current CA
}

// Ledger is what was seen so far. Safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	ca      [sha256.Size]byte
	ready   map[types.NamespacedName]bool
	served  map[types.NamespacedName]entry
	expired map[types.NamespacedName]time.Time
}

// entry is one Secret: the end of its certificate, zero if it holds none, and
// a digest of its ca.crt.
type entry struct {
	end time.Time
	ca  [sha256.Size]byte
}

// New returns a Ledger with nothing in it.
func New() *Ledger {
	return &Ledger{
		ready:   map[types.NamespacedName]bool{},
		served:  map[types.NamespacedName]entry{},
		expired: map[types.NamespacedName]time.Time{},
	}
}

// Follow watches everything until ctx ends; it returns as soon as all that is
// there was seen.
func (l *Ledger) Follow(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) error {
	selector, err := labels.Parse(managed)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	informers, err := cache.New(config, cache.Options{
		Scheme:   scheme,
		ByObject: map[client.Object]cache.ByObject{&corev1.Secret{}: {Label: selector}},
	})
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for _, object := range []client.Object{&certv1.Certificate{}, &corev1.Secret{}} {
		if err := l.listen(ctx, informers, object); err != nil {
			return err
		}
	}
	go func() { _ = informers.Start(ctx) }() // ends with ctx; its only error is a second Start
	if !informers.WaitForCacheSync(ctx) {
		return errors.New("ledger: the watch did not start")
	}
	return nil
}

// SetCA says which CA, in PEM, is the current one from now on.
func (l *Ledger) SetCA(pem []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ca = digest(pem)
}

// Counts returns how many certificates are in which state.
func (l *Ledger) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := Counts{Certificates: len(l.ready)}
	for _, ready := range l.ready {
		if ready {
			counts.Ready++
		}
	}
	for _, secret := range l.served {
		if secret.ca == l.ca {
			counts.Current++
		}
	}
	return counts
}

// Expired names the Secrets that held a certificate after its end at any time
// until now, and when that end was.
func (l *Ledger) Expired(now time.Time) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, secret := range l.served {
		l.judge(key, secret, now)
	}
	lines := make([]string, 0, len(l.expired))
	for key, end := range l.expired {
		lines = append(lines, fmt.Sprintf("%s held a certificate after its end at %s", key, end.Format(time.RFC3339)))
	}
	slices.Sort(lines)
	return lines
}

// See records a Certificate or Secret as it is now, or that it is gone.
func (l *Ledger) See(object client.Object, gone bool, now time.Time) {
	key := client.ObjectKeyFromObject(object)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch o := object.(type) {
	case *certv1.Certificate:
		l.ready[key] = certcheck.Ready(o)
		if gone {
			delete(l.ready, key)
		}
	case *corev1.Secret:
		l.judge(key, l.served[key], now)
		l.served[key] = newEntry(o)
		if gone {
			delete(l.served, key)
		}
	}
}

// judge remembers a Secret whose certificate had ended by now.
func (l *Ledger) judge(key types.NamespacedName, secret entry, now time.Time) {
	if !secret.end.IsZero() && now.After(secret.end) {
		l.expired[key] = secret.end
	}
}

func (l *Ledger) listen(ctx context.Context, informers cache.Cache, object client.Object) error {
	informer, err := informers.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { l.see(o, false) },
		UpdateFunc: func(_, o any) { l.see(o, false) },
		DeleteFunc: func(o any) { l.see(o, true) },
	})
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// see is See for what an informer tells, which may be the last known state of
// an object whose deletion was missed.
func (l *Ledger) see(o any, gone bool) {
	if last, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	if object, ok := o.(client.Object); ok {
		l.See(object, gone, time.Now())
	}
}

func newEntry(secret *corev1.Secret) entry {
	e := entry{ca: digest(secret.Data["ca.crt"])}
	if leaf := certcheck.Leaf(secret); leaf != nil {
		e.end = leaf.NotAfter
	}
	return e
}

func digest(pem []byte) [sha256.Size]byte {
	return sha256.Sum256(bytes.TrimSpace(pem))
}
