package trigger

// Source is one kind of cause. The zero value is Primary.
type Source uint8

// The sources, strongest first: a run that has several causes counts under the
// strongest of them.
const (
	// Primary is a change of the object that the controller is for.
	Primary Source = iota
	// External is an event from outside the watches: a channel, a webhook.
	External
	// Watched is a change of a related object, such as an owned one.
	Watched
	// Retry is another attempt after an error, or after Result.Requeue.
	Retry
	// Periodic is a wake-up that was asked for, as by Result.RequeueAfter.
	Periodic
	// Resync is the initial list, a resync of the cache, or a bulk enqueue that
	// touches every object: work that nobody waits for.
	Resync
)

// Count is the number of sources, for arrays that are indexed by Source.
const Count = int(Resync) + 1

// String returns the name that metrics and logs use, "primary" and so on, and
// "unknown" for a value that is no source.
func (s Source) String() string {
	switch s {
	case Primary:
		return "primary"
	case External:
		return "external"
	case Watched:
		return "watched"
	case Retry:
		return "retry"
	case Periodic:
		return "periodic"
	case Resync:
		return "resync"
	default:
		return "unknown"
	}
}
