package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/report"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

// turn is the time for each certificate, where a rotation is spread: about half
// of what a small machine manages.
const turn = 40 * time.Millisecond

// setting is one way to build and run the operator.
type setting struct {
	queue   string
	handler string // of the CA's Secret
	binary  string
	spread  time.Duration
}

func (s setting) String() string { return s.queue + " queue, " + s.handler }

// outcome is what a rotation of the CA did to the users.
type outcome struct {
	took     []time.Duration // of each change, until the status said that it is served
	rotation time.Duration   // until the last certificate was served by the new CA
}

// settings differ in nothing but how a new CA enqueues the certificates, and in
// the queue.
func (d *demo) settings() []setting {
	spread := turn * time.Duration(d.opts.certificates)
	return []setting{
		{"controller-runtime's", "EnqueueRequestsFromMapFunc", d.opts.stock, 0},
		{"Trimtab's", "Spread(0, …)", d.opts.operator, 0},
		{"Trimtab's", fmt.Sprintf("Spread(%s, …)", spread), d.opts.operator, spread},
	}
}

// compare replaces the CA once for each setting, while users change specs, and
// prints how long they waited. What it measures, it sees from outside, since
// controller-runtime's queue knows no sources.
func (d *demo) compare(ctx context.Context) error {
	d.screen.print("", "the same rotation with controller-runtime's own queue, and without; users change specs as long as it lasts")
	if err := d.operator.Stop(); err != nil {
		return err
	}
	if err := d.fleet.settle(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := newStopwatch()
	if err := watch.follow(ctx, d.cluster); err != nil {
		return err
	}
	victims := d.fleet.pick(d.opts.certificates, "")
	rows := [][]string{{"queue, handler of the CA", "changes", "P50", "P99", "longest", "rotation"}}
	for i, s := range d.settings() {
		o, err := d.rotate(ctx, watch, i, s, victims)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		rows = append(rows, o.row(s))
	}
	d.screen.print(report.Table(rows)...)
	d.screen.print("", fmt.Sprintf("changes by users: from the write of a spec to the status that says it is served; %d certificates of a day, %d workers",
		d.opts.certificates, d.opts.concurrency))
	return nil
}

// rotate runs the operator in one setting and replaces its CA.
func (d *demo) rotate(ctx context.Context, watch *stopwatch, number int, s setting, victims []types.NamespacedName) (outcome, error) {
	var err error
	if d.operator, err = d.newOperator(s.binary, fmt.Sprintf("setting-%d.log", number+1), s.spread); err != nil {
		return outcome{}, err
	}
	if err := d.operator.Start(ctx); err != nil {
		return outcome{}, err
	}
	if err := errors.Join(d.waitQuiet(ctx, s), d.waitServed(ctx)); err != nil {
		return outcome{}, err
	}
	d.screen.print("    " + s.String())
	start := time.Now()
	if err := d.giveCA(ctx, fmt.Sprint("CA ", number+1)); err != nil {
		return outcome{}, err
	}
	sent, err := d.changeWhile(ctx, victims, func() bool { return d.left(watch) > 0 })
	if err != nil {
		return outcome{}, err
	}
	o := outcome{}
	if o.took, err = d.waitFor(ctx, watch, sent, s.spread+servePatience); err != nil {
		return outcome{}, err
	}
	_, last := watch.rotated(d.fingerprint())
	o.rotation = last.Sub(start)
	if err := d.waitServed(ctx); err != nil {
		return outcome{}, err
	}
	return o, d.operator.Stop()
}

// waitQuiet waits until the operator has looked at each certificate after its
// start and has nothing left to do. A CA that came before that would be found by
// those first runs. It returns an error if the operator has not the queue that the
// setting says.
func (d *demo) waitQuiet(ctx context.Context, s setting) error {
	ctx, cancel := context.WithTimeout(ctx, servePatience)
	defer cancel()
	for {
		sample, err := scrape.Get(ctx, nil, d.operator.MetricsURL())
		if err == nil && quiet(sample, d.opts.certificates) {
			return checkQueue(sample, s.binary == d.opts.operator)
		}
		if err := sleepUntil(ctx, time.Now().Add(sampleInterval)); err != nil {
			return fmt.Errorf("wait until the operator is quiet: %w", err)
		}
	}
}

// quiet reads series of controller-runtime, which both queues have.
func quiet(s scrape.Sample, certificates int) bool {
	return s.Sum("controller_runtime_reconcile_total", "controller", "certificate") >= float64(certificates) &&
		s.Sum("workqueue_depth", "controller", "certificate") == 0 &&
		s.Sum("controller_runtime_active_workers", "controller", "certificate") == 0
}

// checkQueue makes sure that what is compared is what the table says.
func checkQueue(s scrape.Sample, trimtab bool) error {
	if s.Has("trimtab_runs_total") != trimtab {
		return fmt.Errorf("the operator runs on Trimtab's queue: %t, want %t", !trimtab, trimtab)
	}
	return nil
}

// changeWhile changes one certificate after the other, at a person's pace, while
// it goes on.
func (d *demo) changeWhile(ctx context.Context, keys []types.NamespacedName, goesOn func() bool) (map[revision]time.Time, error) {
	sent := map[revision]time.Time{}
	for _, key := range keys {
		now := time.Now()
		rev, err := d.fleet.revise(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		sent[rev] = now
		if err := sleepUntil(ctx, now.Add(pace)); err != nil {
			return nil, err
		}
		if !goesOn() {
			break
		}
	}
	return sent, nil
}

// waitFor waits until the rotation is over and every change is served.
func (d *demo) waitFor(ctx context.Context, watch *stopwatch, sent map[revision]time.Time, patience time.Duration) ([]time.Duration, error) {
	for deadline := time.Now().Add(patience); ; {
		took := watch.took(sent)
		if len(took) == len(sent) && d.left(watch) == 0 {
			return took, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("after %s, %d of %d changes are not served and %d of %d certificates are not by the new CA",
				patience, len(sent)-len(took), len(sent), d.left(watch), d.opts.certificates)
		}
		if err := sleepUntil(ctx, time.Now().Add(pace)); err != nil {
			return nil, err
		}
	}
}

// left is how many certificates were not served by the present CA yet.
func (d *demo) left(watch *stopwatch) int {
	n, _ := watch.rotated(d.fingerprint())
	return d.opts.certificates - n
}

// fingerprint names the present CA, as the status does.
func (d *demo) fingerprint() string {
	sum := sha256.Sum256(d.ca.Certificate.Raw)
	return hex.EncodeToString(sum[:])
}

// newOperator returns an operator that isn't started yet.
func (d *demo) newOperator(binary, log string, spread time.Duration) (*operator.Process, error) {
	return operator.New(operator.Options{
		Binary:     binary,
		Kubeconfig: d.kubeconfig,
		Log:        filepath.Join(d.folder, log),
		Args:       d.operatorArgs(spread),
	})
}

func (o outcome) row(s setting) []string {
	slices.Sort(o.took)
	return []string{
		s.String(), fmt.Sprint(len(o.took)),
		report.Seconds(quantile(o.took, 0.50).Seconds()),
		report.Seconds(quantile(o.took, 0.99).Seconds()),
		report.Seconds(quantile(o.took, 1).Seconds()),
		report.Seconds(o.rotation.Seconds()),
	}
}

// quantile returns the smallest of the sorted times that so large a part of them
// does not exceed.
func quantile(sorted []time.Duration, part float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	i := int(part * float64(len(sorted)))
	if float64(i) == part*float64(len(sorted)) {
		i--
	}
	return sorted[max(0, min(i, len(sorted)-1))]
}
