package queue

// itemHeap is a binary heap of items that know their index in it, so that any of
// them can be removed. The order is less.
type itemHeap[T comparable] struct {
	items []*item[T]
	less  func(a, b *item[T]) bool
}

func (h *itemHeap[T]) len() int { return len(h.items) }

// top returns the first item, or nil.
func (h *itemHeap[T]) top() *item[T] {
	if len(h.items) == 0 {
		return nil
	}
	return h.items[0]
}

func (h *itemHeap[T]) push(it *item[T]) {
	h.items = append(h.items, it)
	it.index = int32(len(h.items) - 1)
	h.up(int(it.index))
}

// remove takes it, which must be in the heap, out of it.
func (h *itemHeap[T]) remove(it *item[T]) {
	i, last := int(it.index), len(h.items)-1
	h.swap(i, last)
	h.items[last] = nil
	h.items = shrunk(h.items[:last])
	if i < last && !h.down(i) {
		h.up(i)
	}
}

// fix restores the order after the keys of it have changed.
func (h *itemHeap[T]) fix(it *item[T]) {
	if i := int(it.index); !h.down(i) {
		h.up(i)
	}
}

func (h *itemHeap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.items[i], h.items[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

// down reports whether it moved the item.
func (h *itemHeap[T]) down(i int) bool {
	start := i
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.less(h.items[right], h.items[child]) {
			child = right
		}
		if !h.less(h.items[child], h.items[i]) {
			break
		}
		h.swap(i, child)
		i = child
	}
	return i > start
}

func (h *itemHeap[T]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.items[i].index, h.items[j].index = int32(i), int32(j)
}

// shrunk returns s, in less memory once it is a quarter of what it was.
func shrunk[E any](s []E) []E {
	const keep = 1024
	if cap(s) <= keep || len(s) >= cap(s)/4 {
		return s
	}
	return append(make([]E, 0, cap(s)/2), s...)
}
