package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// turn is the sharder's: it asks that many living shards to let an object go, and gives
// whatever is nobody's, or a dead shard's, to a living one. A conflict is for the next
// turn.
func (r *ring) turn(ctx context.Context, moves int) error {
	var all corev1.ConfigMapList
	if err := world.List(ctx, &all, client.InNamespace(r.namespace)); err != nil {
		return err
	}
	var errs []error
	for i := range all.Items {
		errs = append(errs, r.assign(ctx, &all.Items[i]))
	}
	for range moves {
		errs = append(errs, r.drain(ctx, &all.Items[r.random.IntN(len(all.Items))]))
	}
	return errors.Join(errs...)
}

func (r *ring) assign(ctx context.Context, m *corev1.ConfigMap) error {
	owner, owned := m.Labels[mainLabel]
	if owned && r.alive[owner] {
		return nil
	}
	target := r.target[m.Name]
	if !r.alive[target] {
		target = r.someone()
	}
	written, err := r.label(ctx, m, func(l map[string]string) {
		l[mainLabel] = target
		delete(l, goLabel)
	})
	if written {
		if owned {
			r.orphaned++
		} else if r.target[m.Name] != "" {
			r.drained++
		}
		delete(r.target, m.Name)
	}
	return err
}

func (r *ring) drain(ctx context.Context, m *corev1.ConfigMap) error {
	owner := m.Labels[mainLabel]
	target := r.someone()
	if _, leaving := m.Labels[goLabel]; leaving || !r.alive[owner] || target == owner {
		return nil
	}
	written, err := r.label(ctx, m, func(l map[string]string) { l[goLabel] = "true" })
	if written {
		r.target[m.Name] = target
	}
	return err
}

// label writes other labels, unless m has changed meanwhile.
func (r *ring) label(ctx context.Context, m *corev1.ConfigMap, edit func(l map[string]string)) (written bool, err error) {
	before := m.DeepCopy()
	if m.Labels == nil {
		m.Labels = map[string]string{}
	}
	edit(m.Labels)
	err = world.Patch(ctx, m, exactly(before))
	if apierrors.IsConflict(err) {
		return false, nil
	}
	return err == nil, err
}

// someone is one of the living.
func (r *ring) someone() string {
	return slices.Sorted(maps.Keys(r.alive))[r.random.IntN(len(r.alive))]
}

// change changes objects, as users do, until ctx is done.
func (r *ring) change(ctx context.Context, random *rand.Rand) error {
	for ctx.Err() == nil {
		m := &corev1.ConfigMap{ObjectMeta: r.object(fmt.Sprintf("object-%d", random.IntN(r.objects)))}
		patch := fmt.Appendf(nil, `{"data":{"n":"%d"}}`, r.changes.Add(1))
		if err := world.Patch(context.WithoutCancel(ctx), m, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}

// settled takes a turn without a move, and returns an error while somebody lets go of an
// object, or has not seen the last of it.
func (r *ring) settled(ctx context.Context) error {
	if err := r.turn(ctx, 0); err != nil {
		return err
	}
	var all corev1.ConfigMapList
	if err := world.List(ctx, &all, client.InNamespace(r.namespace)); err != nil {
		return err
	}
	for _, m := range all.Items {
		_, leaving := m.Labels[goLabel]
		want := fmt.Sprintf("%s by %s", number(m.Data["n"]), m.Labels[mainLabel])
		if got := r.served.last(m.Name); leaving || got != want {
			return fmt.Errorf("%s (leaving: %t): seen %q last, not %q", m.Name, leaving, got, want)
		}
	}
	return nil
}

func number(n string) string {
	if n == "" {
		return "0"
	}
	return n
}

// serving is who serves what now, who did last, and what it saw. Safe for concurrent
// use.
type serving struct {
	mu     sync.Mutex
	now    map[string]string
	seen   map[string]string
	count  map[string]int
	faults []string
}

// begin returns what ends the run that begins.
func (s *serving) begin(object, shard string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.now, s.seen, s.count = map[string]string{}, map[string]string{}, map[string]int{}
	}
	if other, busy := s.now[object]; busy {
		s.faults = append(s.faults, fmt.Sprintf("%s is served by %s and %s", object, other, shard))
	}
	s.now[object] = shard
	s.count[shard]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.now, object)
	}
}

func (s *serving) see(object, shard string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[object] = fmt.Sprintf("%d by %s", n, shard)
}

func (s *serving) last(object string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[object]
}

func (s *serving) runs(shard string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[shard]
}

// overlaps returns what must not have been.
func (s *serving) overlaps() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}
