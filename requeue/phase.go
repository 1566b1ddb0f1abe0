package requeue

import (
	"math/bits"
	"time"
)

// phase returns the point of key in [0, span): always the same, and even over
// many keys. It is zero if span is.
//
// The product's high word scales the hash to span, without the bias of a remainder.
func phase(key string, span time.Duration) time.Duration {
	high, _ := bits.Mul64(hash(key), uint64(span))
	return time.Duration(high)
}

// hash is stable across processes, as hash/maphash is not, and takes eight bytes at a
// time, as FNV does not: a UID takes five steps. Each step multiplies and rotates, as
// MurmurHash3's do, and so does its end, since keys that differ in their last
// characters must be far apart.
func hash(key string) uint64 {
	h := uint64(len(key)) * 0x9e3779b97f4a7c15
	for ; len(key) >= 8; key = key[8:] {
		h = step(h, uint64(key[0])|uint64(key[1])<<8|uint64(key[2])<<16|uint64(key[3])<<24|
			uint64(key[4])<<32|uint64(key[5])<<40|uint64(key[6])<<48|uint64(key[7])<<56)
	}
	rest := uint64(0)
	for i := range len(key) {
		rest |= uint64(key[i]) << (8 * i)
	}
	h = step(h, rest)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func step(h, word uint64) uint64 {
	word = bits.RotateLeft64(word*0x87c37b91114253d5, 31) * 0x4cf5ad432745937f
	return bits.RotateLeft64(h^word, 27)*5 + 0x52dce729
}
