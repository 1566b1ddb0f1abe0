package requeue

import (
	"math/bits"
	"time"
)

// phase returns the point of key in [0, span): always the same, and even over
// many keys. It is zero if span is.
//
// The hash is FNV-1a, stable across processes as hash/maphash is not, and
// written out since hash/fnv needs the key copied to a byte slice. Its high
// bits hardly change between keys that differ in their last characters, so they
// are mixed as MurmurHash3 does at its end; the product's high word then scales
// the hash to span, without the bias of a remainder.
func phase(key string, span time.Duration) time.Duration {
	high, _ := bits.Mul64(hash(key), uint64(span))
	return time.Duration(high)
}

func hash(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}
