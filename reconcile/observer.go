package reconcile

import "github.com/trimtab/trimtab/trigger"

// Observer is told of the runs of a reconciler. Its methods are called by many
// goroutines at once and never under a lock of others; they must not block. A panic
// of one is logged, and the run goes on.
type Observer interface {
	// Ran is called at the end of a run.
	Ran(run trigger.Run)

	// Called is called at the end of a client call of a run: sources caused the
	// run, verb is what the call did (get, list, create, update, patch, apply,
	// delete, deletecollection), and kind on which kind of object, with the
	// subresource behind a slash, such as "Pod/status".
	Called(sources trigger.Set, verb, kind string)

	// Panicked is called when the reconciler panicked, before Ran.
	Panicked()

	// Overdue is called with 1 when a run that has passed its deadline returns, or is
	// still in flight a second later, and with -1 when it has returned, before Ran.
	Overdue(change int)

	// WorkerLost is called when the reconciler ended its goroutine with
	// runtime.Goexit, which was a worker of the controller, before Ran.
	WorkerLost()
}

// nobody is the Observer of a chain that has none.
type nobody struct{}

func (nobody) Ran(trigger.Run)                    {}
func (nobody) Called(trigger.Set, string, string) {}
func (nobody) Panicked()                          {}
func (nobody) Overdue(int)                        {}
func (nobody) WorkerLost()                        {}
