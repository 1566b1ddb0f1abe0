package reconcile

import "sync"

// there holds the subresources that objects of the chain's kind are known to have:
// one that was read or written once is not missing later.
type there struct{ known sync.Map }

func (t *there) add(subresource string) {
	if !t.has(subresource) {
		t.known.Store(subresource, nil)
	}
}

func (t *there) has(subresource string) bool {
	_, ok := t.known.Load(subresource)
	return ok
}
