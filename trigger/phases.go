package trigger

import "time"

// Phases is the time of one run, from its start to its return, split by what
// the run was doing. At any instant a run is in the first of Status, Write and
// Read that has a client call in flight, else in Compute; so the four add up to
// the time of the run.
type Phases struct {
	// Read is the time in which a client's Get or List was in flight.
	Read time.Duration
	// Compute is the time in which no client call was in flight.
	Compute time.Duration
	// Write is the time in which a Create, Update, Patch, Apply or Delete was in flight.
	Write time.Duration
	// Status is the time in which a write of a subresource, such as status, was in flight.
	Status time.Duration
}

// Total is the time of the run.
func (p Phases) Total() time.Duration { return p.Read + p.Compute + p.Write + p.Status }
