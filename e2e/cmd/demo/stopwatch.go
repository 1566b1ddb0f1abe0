package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/certcheck"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
)

// revision is one state of a certificate's spec.
type revision struct {
	key        types.NamespacedName
	generation int64
}

// stopwatch notes when the API server first told that a certificate is served:
// what any user sees, whatever the operator's queue is. Safe for concurrent use.
type stopwatch struct {
	mu     sync.Mutex
	served map[revision]time.Time
	issued map[string]map[types.NamespacedName]time.Time // by the CA's fingerprint
}

func newStopwatch() *stopwatch {
	return &stopwatch{
		served: map[revision]time.Time{},
		issued: map[string]map[types.NamespacedName]time.Time{},
	}
}

// follow watches all certificates until ctx ends; it returns as soon as all that
// are there were seen.
func (s *stopwatch) follow(ctx context.Context, c *cluster.Cluster) error {
	kinds, err := cluster.Scheme()
	if err != nil {
		return err
	}
	informers, err := cache.New(c.Config(), cache.Options{Scheme: kinds})
	if err != nil {
		return fmt.Errorf("watch the certificates: %w", err)
	}
	informer, err := informers.GetInformer(ctx, &certv1.Certificate{}, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch the certificates: %w", err)
	}
	see := func(object any) {
		if cert, ok := object.(*certv1.Certificate); ok {
			s.see(cert, time.Now())
		}
	}
	handler, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    see,
		UpdateFunc: func(_, object any) { see(object) },
	})
	if err != nil {
		return fmt.Errorf("watch the certificates: %w", err)
	}
	go func() { _ = informers.Start(ctx) }() // ends with ctx; its only error is a second Start
	if !toolscache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		return errors.New("watch the certificates: the watch did not start")
	}
	return nil
}

// see takes what the API server told of a certificate at that time.
func (s *stopwatch) see(cert *certv1.Certificate, at time.Time) {
	if !certcheck.Ready(cert) {
		return
	}
	key := types.NamespacedName{Namespace: cert.Namespace, Name: cert.Name}
	s.mu.Lock()
	defer s.mu.Unlock()
	rev := revision{key, cert.Generation}
	if _, ok := s.served[rev]; !ok {
		s.served[rev] = at
	}
	ca := s.issued[cert.Status.IssuerFingerprint]
	if ca == nil {
		ca = map[types.NamespacedName]time.Time{}
		s.issued[cert.Status.IssuerFingerprint] = ca
	}
	if _, ok := ca[key]; !ok {
		ca[key] = at
	}
}

// rotated returns how many certificates were served by a CA, and when the last
// of them came.
func (s *stopwatch) rotated(fingerprint string) (n int, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := range maps.Values(s.issued[fingerprint]) {
		if at.After(last) {
			last = at
		}
	}
	return len(s.issued[fingerprint]), last
}

// took returns how long each change took that is served, from when it was sent.
func (s *stopwatch) took(sent map[revision]time.Time) []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var took []time.Duration
	for rev, at := range sent {
		if served, ok := s.served[rev]; ok {
			took = append(took, served.Sub(at))
		}
	}
	return took
}
