package topk

import (
	"cmp"
	"fmt"
	"slices"
)

// Entry is a key and what is known of the weight that was added to it: at most
// Count, at least Count - Error.
type Entry[K comparable] struct {
	Key   K
	Count uint64
	Error uint64
}

// Sure is the weight that the key has at the least: the one to show to people.
// With many more keys than places, the Count of one that has just come in is as
// large as everybody's, and nearly all of it is Error.
func (e Entry[K]) Sure() uint64 { return e.Count - e.Error }

// Sketch counts the k heaviest keys. Once weights that sum to n have been
// added, each key with more than n/k of them is among the k. It is not safe for
// concurrent use. Make one with New.
type Sketch[K comparable] struct {
	nodes map[K]*node[K]
	// heap has the smallest count first. Beyond its length, up to k, stand the
	// nodes that are free.
	heap []*node[K]
	// evicted is the largest count that a key ever lost its place with: the
	// most that a key without a place can have.
	evicted uint64
}

type node[K comparable] struct {
	Entry[K]
	pos int
}

// New returns an empty sketch with a place for k keys, whose memory it takes at
// once. It panics if k is less than 1.
func New[K comparable](k int) *Sketch[K] {
	if k < 1 {
		panic(fmt.Errorf("topk: k %d: must be at least 1", k))
	}
	s := &Sketch[K]{nodes: make(map[K]*node[K], k), heap: make([]*node[K], k)}
	nodes := make([]node[K], k)
	for i := range nodes {
		s.heap[i] = &nodes[i]
	}
	s.heap = s.heap[:0]
	return s
}

// Add adds weight to key; a weight of zero changes nothing. It costs O(log k).
// All weights together must stay below 2^64.
func (s *Sketch[K]) Add(key K, weight uint64) {
	if weight == 0 {
		return
	}
	n, ok := s.nodes[key]
	if !ok {
		n = s.place(key)
	}
	n.Count += weight
	s.down(n.pos)
}

// place returns the node of a key that has none: a free one, or that of the
// lightest key. It counts what key can have had before.
func (s *Sketch[K]) place(key K) *node[K] {
	var n *node[K]
	if last := len(s.heap); last < cap(s.heap) {
		s.heap = s.heap[:last+1]
		n = s.heap[last]
		n.pos = last
	} else {
		n = s.heap[0]
		s.evicted = max(s.evicted, n.Count)
		delete(s.nodes, n.Key)
	}
	n.Entry = Entry[K]{Key: key, Count: s.evicted, Error: s.evicted}
	s.nodes[key] = n
	s.up(n.pos)
	return n
}

// Remove forgets key, if it is there: what is added to it later counts from
// zero. It costs O(log k).
func (s *Sketch[K]) Remove(key K) {
	n, ok := s.nodes[key]
	if !ok {
		return
	}
	delete(s.nodes, key)
	pos, last := n.pos, len(s.heap)-1
	s.swap(pos, last)
	s.heap = s.heap[:last]
	if pos < last {
		s.down(pos)
		s.up(pos)
	}
	n.Entry = Entry[K]{} // holds on to nothing of the key
}

// Halve takes off half of all weight that was added so far. What is known of a key
// is rounded to its disadvantage: Count up, Sure down. It costs O(k).
func (s *Sketch[K]) Halve() {
	for _, n := range s.heap { // Their order stays as it is.
		sure := n.Sure() / 2
		n.Count = half(n.Count)
		n.Error = n.Count - sure
	}
	s.evicted = half(s.evicted)
}

// half is half of n, rounded up.
func half(n uint64) uint64 { return n - n/2 }

// Top returns the keys of the sketch by what is sure of them, the heaviest
// first; among equals, by what they may have. The slice is the caller's.
func (s *Sketch[K]) Top() []Entry[K] {
	top := make([]Entry[K], len(s.heap))
	for i, n := range s.heap {
		top[i] = n.Entry
	}
	slices.SortFunc(top, func(a, b Entry[K]) int {
		return cmp.Or(cmp.Compare(b.Sure(), a.Sure()), cmp.Compare(b.Count, a.Count))
	})
	return top
}

func (s *Sketch[K]) up(pos int) {
	for pos > 0 {
		parent := (pos - 1) / 2
		if s.heap[parent].Count <= s.heap[pos].Count {
			return
		}
		s.swap(pos, parent)
		pos = parent
	}
}

func (s *Sketch[K]) down(pos int) {
	for {
		least := pos
		for child := 2*pos + 1; child <= 2*pos+2 && child < len(s.heap); child++ {
			if s.heap[child].Count < s.heap[least].Count {
				least = child
			}
		}
		if least == pos {
			return
		}
		s.swap(pos, least)
		pos = least
	}
}

func (s *Sketch[K]) swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.heap[i].pos, s.heap[j].pos = i, j
}
