package predicate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/trimtab/trimtab/predicate"
)

const manyObjects = 10_000

// shardsOf returns to which of so many shards each object falls. It fails unless that
// is exactly one.
func shardsOf(t *testing.T, total int, of func(index, total int) predicate.Predicate) []int {
	t.Helper()
	shards := make([]predicate.Predicate, total)
	for i := range shards {
		shards[i] = of(i, total)
	}
	owners := make([]int, manyObjects)
	for i := range owners {
		o := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: fmt.Sprintf("team-%d", i%7), Name: fmt.Sprintf("object-%d", i), UID: types.UID(fmt.Sprintf("0000-%d", i)),
		}}
		found := 0
		for index, p := range shards {
			if predicate.Matches(p, o) {
				owners[i] = index
				found++
			}
		}
		require.Equal(t, 1, found, o.Name)
	}
	return owners
}

// Each object falls to one shard, as many to each, and when a shard comes few move: only
// to the new one.
func TestShards(t *testing.T) {
	for name, of := range map[string]func(index, total int) predicate.Predicate{"Shard": predicate.Shard, "ShardByUID": predicate.ShardByUID} {
		before := shardsOf(t, 1, of)
		for total := 2; total <= 12; total++ {
			after := shardsOf(t, total, of)
			size := make([]int, total)
			for i, owner := range after {
				size[owner]++
				if owner != before[i] {
					require.Equal(t, total-1, owner, "%s: an object moved between shards that were there before", name)
				}
			}
			for _, n := range size {
				require.InDelta(t, manyObjects/total, n, 0.15*float64(manyObjects/total), "%s: %v", name, size)
			}
			before = after
		}
	}
}

// Which object falls to which shard must never change: processes of two versions run
// side by side.
func TestShardsStayTheSame(t *testing.T) {
	got, gotByUID := "", ""
	for i := range 16 {
		o := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: fmt.Sprintf("web-%d", i), UID: types.UID(fmt.Sprint(i))}}
		for index := range 5 {
			if predicate.Matches(predicate.Shard(index, 5), o) {
				got += fmt.Sprint(index)
			}
			if predicate.Matches(predicate.ShardByUID(index, 5), o) {
				gotByUID += fmt.Sprint(index)
			}
		}
	}
	require.Equal(t, "4301121212134031", got)
	require.Equal(t, "3301232014210124", gotByUID)

	// Namespace and name are told apart: ns "a/b" is none, but hashing knows nothing of that.
	anew := change(secret(), func(s *corev1.Secret) { s.UID = "another" })
	for index := range 3 {
		require.Equal(t, predicate.Matches(predicate.Shard(index, 3), secret()), predicate.Matches(predicate.Shard(index, 3), anew))
	}
}

const (
	shardLabel = "shard.alpha.sharding.timebertt.dev/ring"
	drainLabel = "drain.alpha.sharding.timebertt.dev/ring"
)

// The protocol of kubernetes-controller-sharding: a shard hears of its own objects as far
// as its predicates let it, and of those that it must let go in any case.
func TestShardLabel(t *testing.T) {
	p := predicate.ShardLabel("ring", "mine", predicate.DataChanged(), predicate.InNamespaces("ns"))
	nobodys := secret()
	mine := labelled(map[string]string{shardLabel: "mine"})
	theirs := labelled(map[string]string{shardLabel: "theirs"})
	draining := labelled(map[string]string{shardLabel: "mine", drainLabel: "true"})
	theirsDraining := labelled(map[string]string{shardLabel: "theirs", drainLabel: "true"})
	elsewhere := func(s *corev1.Secret) *corev1.Secret {
		return change(s, func(s *corev1.Secret) { s.Namespace = "other" })
	}
	data := func(s *corev1.Secret) *corev1.Secret { return as(s, func(s *corev1.Secret) { s.Data = nil }) }
	written := func(s *corev1.Secret) *corev1.Secret { return as(s, func(*corev1.Secret) {}) }

	for name, tt := range map[string]struct {
		before, after *corev1.Secret
		want          bool
	}{
		"mine, data":                 {mine, data(mine), true},
		"mine, a label":              {mine, written(labelled(map[string]string{shardLabel: "mine", "a": "b"})), false},
		"mine, data, elsewhere":      {elsewhere(mine), elsewhere(data(mine)), false},
		"another's, data":            {theirs, data(theirs), false},
		"nobody's, data":             {nobodys, data(nobodys), false},
		"draining begins":            {mine, written(draining), true},
		"draining begins, elsewhere": {elsewhere(mine), elsewhere(written(draining)), true},
		"draining goes on":           {draining, written(draining), true},
		"drained: let go":            {draining, written(nobodys), true},
		"moves away":                 {mine, written(theirs), true},
		"moves away with other data": {mine, data(theirs), true},
		"another's, draining":        {theirs, written(theirsDraining), false},
		"comes":                      {nobodys, written(mine), true},
		"deletion of mine":           {mine, ending(mine), true},
		"deletion of another's":      {theirs, ending(theirs), false},
	} {
		require.Equal(t, tt.want, update(t, p, tt.before, tt.after), name)
		require.Equal(t, tt.want, update(t, p, asUnstructured(t, tt.before), asUnstructured(t, tt.after)), name)
	}
	for o, want := range map[*corev1.Secret]bool{mine: true, elsewhere(mine): false, draining: true, elsewhere(draining): true, theirs: false, theirsDraining: false, nobodys: false} {
		require.Equal(t, want, p.Create(event.CreateEvent{Object: o}), o.Labels)
		require.Equal(t, want, p.Delete(event.DeleteEvent{Object: o}), o.Labels)
		require.Equal(t, want, p.Generic(event.GenericEvent{Object: o}), o.Labels)
		require.Equal(t, want, predicate.Matches(p, client.Object(o)), o.Labels)
	}
	require.True(t, predicate.ShardLabel("ring", "mine").Create(event.CreateEvent{Object: mine}))
}
