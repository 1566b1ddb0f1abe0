package queue

import (
	"hash/maphash"
	"sync"
)

// table finds the items of a queue by their keys, and gives and takes back their
// memory. It beats a map of pointers where a queue spends its time: a new key is
// looked up and put in one probe, and items lie side by side, in blocks.
//
// Its memory follows its keys. Keys that come and go in order empty block after
// block; where a few are left in many blocks, those move together.
type table[T comparable] struct {
	seed  maphash.Seed
	slots []slot // hash table with linear probing; the length is a power of two
	len   int

	blocks []*block[T] // nil where one was given back
	open   []uint32    // the blocks that have room, each once, also those that are nil
	alive  int         // those that are not nil
	spare  *sync.Pool  // of blocks: the garbage collector gets those that are not needed soon

	moved moved[T]
}

// moved is told of every item when all are somewhere else: what refers to it must
// refer to it there, and what it refers to is now where forward says.
type moved[T comparable] func(to *item[T], forward func(ref) ref)

// ref refers to an item: its number in the table, plus one. Zero refers to none.
type ref uint32

// slot says where the item of a key is.
type slot struct {
	hash uint32
	item ref
}

// block is the memory of some items.
type block[T comparable] struct {
	items [blockSize]item[T]
	made  int // items that were ever given
	used  int // items that are given now
	free  ref // to those that came back, linked by next
}

const (
	blockSize = 64
	// keptBlocks stay though empty, so that a queue whose length swings by less
	// than they hold allocates nothing. The others are spare, which is enough for a
	// queue that fills and empties at a stretch.
	keptBlocks = 16
	minSlots   = 8
)

func newTable[T comparable](moved moved[T]) table[T] {
	return table[T]{seed: maphash.MakeSeed(), slots: make([]slot, minSlots), spare: &sync.Pool{}, moved: moved}
}

// find returns the item of key, or nil.
func (t *table[T]) find(key T) *item[T] {
	hash := t.hash(key)
	for i := t.home(hash); t.slots[i].item != 0; i = t.after(i) {
		if it := t.match(i, hash, key); it != nil {
			return it
		}
	}
	return nil
}

// obtain returns the item of key, a new one, zero but for its key, if there is none.
func (t *table[T]) obtain(key T) *item[T] {
	hash := t.hash(key)
	i := t.home(hash)
	for ; t.slots[i].item != 0; i = t.after(i) {
		if it := t.match(i, hash, key); it != nil {
			return it
		}
	}
	it := t.take()
	it.key, it.hash = key, hash
	t.slots[i] = slot{hash: hash, item: it.self}
	t.len++
	if t.len > room(len(t.slots)) {
		t.resize(2 * len(t.slots))
	}
	return it
}

// release forgets it. Other items may move: nothing that was found before it is
// where it was.
func (t *table[T]) release(it *item[T]) {
	t.clear(it)
	t.len--
	t.giveBack(it)
	switch {
	case t.alive > keptBlocks && t.alive*blockSize > 4*t.len, len(t.blocks) > keptBlocks && len(t.blocks)*blockSize > 32*t.len:
		t.compact()
	case len(t.slots) > 4*keptBlocks*blockSize && len(t.slots) > 8*t.len:
		t.resize(len(t.slots) / 4)
	}
}

// all yields every item. The table must not change meanwhile.
func (t *table[T]) all(yield func(*item[T]) bool) {
	for _, s := range t.slots {
		if s.item != 0 && !yield(t.at(s.item)) {
			return
		}
	}
}

func (t *table[T]) hash(key T) uint32 { return uint32(maphash.Comparable(t.seed, key)) }

// home is the slot at which the search for a hash starts.
func (t *table[T]) home(hash uint32) int { return int(hash) & (len(t.slots) - 1) }

func (t *table[T]) after(i int) int { return (i + 1) & (len(t.slots) - 1) }

func (t *table[T]) match(i int, hash uint32, key T) *item[T] {
	if t.slots[i].hash != hash {
		return nil
	}
	if it := t.at(t.slots[i].item); it.key == key {
		return it
	}
	return nil
}

// at returns the item to which r refers, or nil.
func (t *table[T]) at(r ref) *item[T] {
	if r == 0 {
		return nil
	}
	return &t.blocks[r.block()].items[(r-1)%blockSize]
}

// block is the number of the item's block.
func (r ref) block() uint32 { return uint32(r-1) / blockSize }

// take returns an item that is not in use.
func (t *table[T]) take() *item[T] {
	if len(t.open) == 0 {
		t.open = append(t.open, uint32(len(t.blocks)))
		t.blocks = append(t.blocks, nil)
	}
	n := t.open[len(t.open)-1]
	b := t.blocks[n]
	if b == nil {
		b = t.newBlock()
		t.blocks[n] = b
		t.alive++
	}
	it := t.at(b.free)
	if it != nil {
		b.free = it.next
	} else {
		it = &b.items[b.made]
		b.made++
		it.self = ref(n*blockSize + uint32(b.made))
	}
	it.next = 0
	b.used++
	if b.used == blockSize {
		t.open = t.open[:len(t.open)-1]
	}
	return it
}

// giveBack makes it free, and gives back its block once that is empty.
func (t *table[T]) giveBack(it *item[T]) {
	n := it.self.block()
	b := t.blocks[n]
	*it = item[T]{self: it.self, next: b.free}
	b.free = it.self
	if b.used == blockSize {
		t.open = append(t.open, n)
	}
	b.used--
	if b.used == 0 && t.alive > keptBlocks {
		t.blocks[n] = nil
		t.alive--
		b.made, b.free = 0, 0
		t.spare.Put(b)
	}
}

func (t *table[T]) newBlock() *block[T] {
	if b, ok := t.spare.Get().(*block[T]); ok {
		return b
	}
	return &block[T]{}
}

// clear empties the slot of it, and closes the gap: what stands behind and would
// have stood there moves up, so that no search ends too early.
func (t *table[T]) clear(it *item[T]) {
	gap := t.home(it.hash)
	for t.slots[gap].item != it.self {
		gap = t.after(gap)
	}
	for i := t.after(gap); t.slots[i].item != 0; i = t.after(i) {
		fromHome := (i - t.home(t.slots[i].hash)) & (len(t.slots) - 1)
		if fromHome >= (i-gap)&(len(t.slots)-1) {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = slot{}
}

// room is how many items may stand in n slots: three quarters, so that a search
// passes few of them.
func room(n int) int { return n / 4 * 3 }

func (t *table[T]) resize(n int) {
	old := t.slots
	t.slots = make([]slot, n)
	for _, s := range old {
		if s.item != 0 {
			t.put(s)
		}
	}
}

func (t *table[T]) put(s slot) {
	i := t.home(s.hash)
	for t.slots[i].item != 0 {
		i = t.after(i)
	}
	t.slots[i] = s
}

// compact moves all items together.
func (t *table[T]) compact() {
	n := minSlots
	for room(n) < 2*t.len {
		n *= 2
	}
	old := *t
	t.slots, t.blocks, t.open, t.alive = make([]slot, n), nil, nil, 0
	for it := range old.all {
		to := t.take()
		self := to.self
		*to = *it
		to.self, it.self = self, self
		t.put(slot{hash: to.hash, item: self})
	}
	forward := func(r ref) ref {
		if r == 0 {
			return 0
		}
		return old.at(r).self
	}
	for to := range t.all {
		t.moved(to, forward)
	}
}
