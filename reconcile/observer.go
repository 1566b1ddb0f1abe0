package reconcile

import "github.com/trimtab/trimtab/trigger"

// Observer is told of the runs of a reconciler. Its methods are called by many
// goroutines at once and never under a lock; they must not block.
type Observer interface {
	// Ran is called at the end of a run, with the class of its outcome and where
	// its time went. The Info is empty but for Started if the queue is not
	// Trimtab's.
	Ran(info trigger.Info, class string, phases trigger.Phases)

	// Called is called at the end of a client call of a run: sources caused the
	// run, verb is what the call did (get, list, create, update, patch, apply,
	// delete, deletecollection), and kind on which kind of object, with the
	// subresource behind a slash, such as "Pod/status".
	Called(sources trigger.Set, verb, kind string)

	// Panicked is called when the reconciler panicked, before Ran.
	Panicked()
}

// nobody is the Observer of a chain that has none.
type nobody struct{}

func (nobody) Ran(trigger.Info, string, trigger.Phases) {}
func (nobody) Called(trigger.Set, string, string)       {}
func (nobody) Panicked()                                {}
