package queue

// heap is a binary heap whose elements know their index in it, so that any of
// them can be removed.
type heap[E any] struct {
	elems []E
	less  func(a, b E) bool
	place func(e E, index int) // tells e its index
}

func (h *heap[E]) len() int { return len(h.elems) }

// top returns the first element, or the zero value.
func (h *heap[E]) top() (first E) {
	if len(h.elems) > 0 {
		first = h.elems[0]
	}
	return first
}

func (h *heap[E]) push(e E) {
	h.elems = append(h.elems, e)
	last := len(h.elems) - 1
	h.place(e, last)
	h.up(last)
}

// remove takes out the element at index i.
func (h *heap[E]) remove(i int) {
	last := len(h.elems) - 1
	if i < last {
		h.set(i, h.elems[last])
	}
	clear(h.elems[last:])
	h.elems = shrunk(h.elems[:last])
	if i < last {
		h.fix(i)
	}
}

// fix restores the order after the element at index i has changed.
func (h *heap[E]) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

// set puts e at index i, whatever is there.
func (h *heap[E]) set(i int, e E) {
	h.elems[i] = e
	h.place(e, i)
}

func (h *heap[E]) up(i int) {
	e := h.elems[i]
	start := i
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(e, h.elems[parent]) {
			break
		}
		h.set(i, h.elems[parent])
		i = parent
	}
	if i < start {
		h.set(i, e)
	}
}

// down reports whether it moved the element.
func (h *heap[E]) down(i int) bool {
	e := h.elems[i]
	start := i
	for {
		child := 2*i + 1
		if child >= len(h.elems) {
			break
		}
		if right := child + 1; right < len(h.elems) && h.less(h.elems[right], h.elems[child]) {
			child = right
		}
		if !h.less(h.elems[child], e) {
			break
		}
		h.set(i, h.elems[child])
		i = child
	}
	if i > start {
		h.set(i, e)
	}
	return i > start
}

// shrunk returns s, in less memory once it is a quarter of what it was.
func shrunk[E any](s []E) []E {
	const keep = 1024
	if cap(s) <= keep || len(s) >= cap(s)/4 {
		return s
	}
	return append(make([]E, 0, cap(s)/2), s...)
}
