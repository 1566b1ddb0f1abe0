package requeue

import (
	"fmt"
	"math"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Delays of a renewal that is due and does not happen: each is an eighth of
// the time since it was due, within these bounds. So they grow from the time
// alone, and a restart does not begin them anew.
const (
	overdueAtLeast = time.Second
	overdueAtMost  = time.Hour
	overdueShare   = 8
)

// Expiry is the life of something that is renewed before it ends: a
// certificate, a lease, a token.
type Expiry struct {
	// NotBefore is when the life began, NotAfter when it ends. Both are needed.
	// Where an issuer dates NotBefore back, give the moment of issue: of a life
	// that has mostly passed at the issue, the renewal is due at once.
	NotBefore, NotAfter time.Time

	// Lead is how long before NotAfter the renewal is due, shorter than the
	// life. Zero means a third of the life, as in certmagic and, for
	// certificates of up to 90 days, in golang.org/x/crypto/acme/autocert: of
	// 90 days that leaves 30 to find out why renewals fail.
	Lead time.Duration

	// LeadFraction is Lead as a fraction of the life, in place of Lead: above 0 and
	// below 1. Zero means that Lead counts.
	LeadFraction float64

	// Skew is by how much the clocks of those who check NotAfter may be ahead of this
	// one: for them the life ends that much earlier, and so it does for all that is
	// said here of its end. Zero means not at all.
	Skew time.Duration

	// LastResort is how long before the end a renewal that still has not happened is
	// urgent: from then on the request comes back at the priority of a user's change,
	// 0, and once at the beginning in any case. Zero means a tenth of the lead; it is
	// at most the lead. certmagic has such a window, too.
	LastResort time.Duration

	// Jitter is the largest fraction of the lead by which the renewal is due even
	// earlier, from 0 (none, the default) to 1. Key decides how much of it an
	// object gets, so that objects issued together are not renewed together.
	// At least half of the time before the lead stays, whatever Jitter says.
	Jitter float64

	// Key tells objects apart; give it string(obj.GetUID()). It is needed with
	// a Jitter.
	Key string
}

// Validate returns an error that names the first field which is impossible,
// and its value.
func (e Expiry) Validate() error { return e.validate(apart(e.NotAfter, e.NotBefore)) }

func (e *Expiry) validate(life time.Duration) error {
	switch {
	case e.NotBefore.IsZero():
		return fmt.Errorf("requeue: NotBefore is zero, want when the life began")
	case e.NotAfter.IsZero():
		return fmt.Errorf("requeue: NotAfter is zero, want when the life ends")
	case life <= 0:
		return fmt.Errorf("requeue: NotAfter is %s, want a time after NotBefore, %s", text(e.NotAfter), text(e.NotBefore))
	}
	if err := e.validateLead(life); err != nil {
		return err
	}
	switch {
	case e.LastResort < 0:
		return fmt.Errorf("requeue: LastResort is %v, want at least 0", e.LastResort)
	case math.IsNaN(e.Jitter) || e.Jitter < 0 || e.Jitter > 1:
		return fmt.Errorf("requeue: Jitter is %v, want a number from 0 to 1", e.Jitter)
	case e.Jitter > 0 && e.Key == "":
		return fmt.Errorf("requeue: Key is empty, want one for each object with a Jitter of %v", e.Jitter)
	}
	return nil
}

func (e *Expiry) validateLead(life time.Duration) error {
	left := life - e.Skew
	switch {
	case e.Skew < 0:
		return fmt.Errorf("requeue: Skew is %v, want at least 0", e.Skew)
	case left <= 0:
		return fmt.Errorf("requeue: Skew is %v, want less than the life, %v", e.Skew, life)
	case e.Lead < 0:
		return fmt.Errorf("requeue: Lead is %v, want at least 0", e.Lead)
	case e.Lead >= left && e.Skew > 0:
		return fmt.Errorf("requeue: Lead is %v, want less than the life without Skew, %v", e.Lead, left)
	case e.Lead >= left:
		return fmt.Errorf("requeue: Lead is %v, want less than the life, %v", e.Lead, life)
	case !(e.LeadFraction >= 0 && e.LeadFraction < 1): // NaN, too.
		return fmt.Errorf("requeue: LeadFraction is %v, want a number from 0 to less than 1", e.LeadFraction)
	case e.LeadFraction > 0 && e.Lead > 0:
		return fmt.Errorf("requeue: LeadFraction is %v beside a Lead of %v, want one of them", e.LeadFraction, e.Lead)
	}
	return nil
}

// lead is how long before the end the renewal is due without jitter, less than the
// life.
func (e *Expiry) lead(life time.Duration) time.Duration {
	switch {
	case e.Lead > 0:
		return e.Lead
	case e.LeadFraction > 0:
		return min(part(life, e.LeadFraction), life-1)
	default:
		return life / 3
	}
}

func text(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// due returns when the renewal of a valid Expiry is due, whose life lasts so long and
// ends so early for all clocks.
func (e *Expiry) due(life, lead time.Duration) time.Time {
	keep := (life - lead) / 2 // of the life, from its beginning
	early := phase(e.Key, min(part(lead, e.Jitter), keep))
	at := e.NotAfter.Add(-e.Skew - lead - early).UTC()
	if cut := time.Duration(at.Nanosecond()); cut <= life-lead-early-keep {
		return at.Add(-cut)
	}
	return at
}

// urgent returns when the renewal is.
func (e *Expiry) urgent(lead time.Duration) time.Time {
	lastResort := e.LastResort
	if lastResort == 0 {
		lastResort = lead / 10
	}
	return e.NotAfter.Add(-e.Skew - min(lastResort, lead))
}

// Renewal says when to renew, as one computation: what a status shows, what
// the reconciler decides and when it comes back agree.
type Renewal struct {
	// At is when the renewal is due, in UTC. It depends on the Expiry alone, and
	// is a whole second, as metav1.Time stores it, unless the life is one of a
	// few seconds.
	At time.Time

	// Due is whether the renewal is due now.
	Due bool

	// Urgent is whether the renewal is due and the end so near that the Result has the
	// priority of a user's change; see Expiry.LastResort.
	Urgent bool

	// Result brings the request back at At; if Due, after an eighth of the time
	// since At, between a second and an hour, though no later than it is urgent. Having
	// renewed, call BeforeExpiry with the new life and return that Result.
	Result reconcile.Result
}

// BeforeExpiry returns when to renew what e describes. The answer for the same
// Expiry is the same after a restart and in every replica; it is due from At
// on, also after NotAfter.
//
// An error is that of [Expiry.Validate], and the Renewal beside it is zero. It
// does not go away by a retry: report it, and return it as a terminal error.
func BeforeExpiry(e Expiry) (Renewal, error) {
	return beforeExpiry(time.Now(), e)
}

func beforeExpiry(now time.Time, e Expiry) (Renewal, error) {
	life := apart(e.NotAfter, e.NotBefore)
	if err := e.validate(life); err != nil {
		return Renewal{}, err
	}
	life -= e.Skew
	lead := e.lead(life)
	at := e.due(life, lead)
	if wait := apart(at, now); wait > 0 {
		return Renewal{At: at, Result: After(wait)}, nil
	}
	retry := min(max(apart(now, at)/overdueShare, overdueAtLeast), overdueAtMost)
	urgent := e.urgent(lead)
	r := Renewal{At: at, Due: true, Urgent: !now.Before(urgent)}
	if r.Urgent {
		r.Result = WithPriority(After(retry), 0)
		return r, nil
	}
	r.Result = After(min(retry, max(apart(urgent, now), overdueAtLeast)))
	return r, nil
}
