package reconcile

import "sync"

// names holds the names of subresources, such as "Pod/status", so that a call does
// not make its own.
type names struct {
	mu    sync.RWMutex
	known map[subresource]string
}

type subresource struct{ kind, name string }

// maxNames is more than any cluster has; a reconciler that makes up kinds fills no
// memory.
const maxNames = 1000

func (n *names) of(s subresource) string {
	n.mu.RLock()
	name, ok := n.known[s]
	n.mu.RUnlock()
	if ok {
		return name
	}
	name = s.kind + "/" + s.name
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[subresource]string{}
	}
	if len(n.known) < maxNames {
		n.known[s] = name
	}
	return name
}
