package predicate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Shard returns a predicate that passes the events of the objects that fall to
// the process with this index, from 0, of so many in all. Namespace and name
// decide, by rendezvous hashing: each process knows alone what is its own, and
// when the total changes by one, only the objects of the process that came or
// went move. An object stays where it is when it is deleted and made anew.
//
// It filters creates, updates, deletes and generic events. Give it to the
// builder's For, and ask [Matches] in the reconciler: a related object falls to
// whom its own name says, so its events come to all. While the total is being
// changed two processes can hold the same object; what must not happen then
// needs a lease, or [ShardLabel].
//
// Which object falls to which index is the same in all versions of this
// package. It panics unless 0 ≤ index < total.
func Shard(index, total int) Predicate {
	mustBeShard("Shard", index, total)
	return objectsOnly("Shard", func(o client.Object) bool {
		return shardOf(hash(hash(hash(offset, o.GetNamespace()), "/"), o.GetName()), total) == index
	})
}

// ShardByUID is [Shard] where the UID decides, in place of namespace and name.
// So nobody can choose names to burden one process, and an object that is made
// anew can move.
func ShardByUID(index, total int) Predicate {
	mustBeShard("ShardByUID", index, total)
	return objectsOnly("ShardByUID", func(o client.Object) bool {
		return shardOf(hash(offset, string(o.GetUID())), total) == index
	})
}

func mustBeShard(name string, index, total int) {
	if index < 0 || index >= total {
		panic(fmt.Errorf("predicate: %s(%d, %d): must be 0 ≤ index < total", name, index, total))
	}
}

// offset and prime are those of the 64-bit FNV-1a hash.
const (
	offset uint64 = 14695981039346656037
	prime  uint64 = 1099511628211
)

func hash(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// shardOf returns the shard with the highest score for that hash.
func shardOf(h uint64, total int) (best int) {
	highest := uint64(0)
	for i := range total {
		if score := mix(h + uint64(i+1)*0x9E3779B97F4A7C15); i == 0 || score > highest {
			best, highest = i, score
		}
	}
	return best
}

// mix is the finalizer of SplitMix64, which makes of numbers that are alike
// ones that are not.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// ShardLabel returns a predicate for the controllers of a ring that
// kubernetes-controller-sharding shards: it passes the events of objects whose
// label shard.alpha.sharding.timebertt.dev/RING names this shard, as far as all
// the predicates pass them. An update by which an object comes to the shard or
// leaves it passes whatever they say; and so does an object of the shard that
// has the label drain.alpha.sharding.timebertt.dev/RING: the sharder waits for
// the shard to take both labels off and let go.
//
// It filters creates, deletes and generic events, too. The reconciler must look
// at the labels itself: Matches tells of the first one. ShardLabel panics if
// ring or shard is empty or no label can have it, and if a predicate is nil.
func ShardLabel(ring, shard string, predicates ...Predicate) Predicate {
	const domain = ".alpha.sharding.timebertt.dev/"
	main, drain := "shard"+domain+ring, "drain"+domain+ring
	if faults := validation.IsQualifiedName(main); len(faults) > 0 {
		panic(fmt.Errorf("predicate: ShardLabel: ring %q: %s", ring, strings.Join(faults, "; ")))
	}
	if faults := validation.IsValidLabelValue(shard); shard == "" || len(faults) > 0 {
		panic(fmt.Errorf("predicate: ShardLabel: shard %q: must not be empty, and be the value of a label", shard))
	}
	labels := tableOf("labels")
	assigned := func(o client.Object) bool {
		value, _ := labels.value(o, main)
		return value == shard
	}
	all := combine("ShardLabel", predicates, drop)
	drained := func(e occasion) bool { _, ok := labels.value(e.after, drain); return ok }
	return objectsOnly("ShardLabel", assigned, &filter{
		decide: func(e occasion) verdict { return verdictOf(drained(e) || all.judge(e) != drop) },
		fit:    all.fit,
	})
}
