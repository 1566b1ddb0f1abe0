package main

import (
	"context"
	"fmt"
	"time"
)

// step is one thing that happens in the demo.
type step struct {
	at   float64 // when, as a fraction of the demo's duration
	name string
	do   func(ctx context.Context) error
}

// timeline is what happens, in order. A step that takes longer than until the
// next one delays it.
func (d *demo) timeline() []step {
	return []step{
		{0.00, fmt.Sprintf("create %d certificates", d.opts.certificates), d.createAll},
		{0.25, "delete Secrets, swap keys, slip in certificates of another CA", d.tamper},
		{0.38, "replace the CA and change specs meanwhile", d.replaceCA},
		{0.55, "let every write of a Secret in one namespace fail", d.breakNamespace},
		{0.68, "restart the operator while Secrets are deleted", d.restart},
		{0.80, "kill the operator while specs change", d.crash},
		{0.90, "leave it alone", d.nothing},
	}
}

// play carries out the steps at their times, saying which one is on, and
// returns when the duration is over.
func play(ctx context.Context, steps []step, duration time.Duration, on func(number int, name string)) error {
	start := time.Now()
	for i, s := range steps {
		if err := sleepUntil(ctx, start.Add(time.Duration(s.at*float64(duration)))); err != nil {
			return err
		}
		on(i+1, s.name)
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return sleepUntil(ctx, start.Add(duration))
}

func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
