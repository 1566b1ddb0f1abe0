package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/trimtab/trimtab/e2e/internal/authority"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/ledger"
	"github.com/trimtab/trimtab/e2e/internal/operator"
	"github.com/trimtab/trimtab/e2e/internal/report"
)

// demo is all that is there while it runs.
type demo struct {
	opts       options
	screen     *screen
	folder     string
	cluster    *cluster.Cluster
	kubeconfig string // of the operator
	operator   *operator.Process
	ca         *authority.Authority
	fleet      *fleet
	ledger     *ledger.Ledger
	sampler    *sampler
	rotation   string // what it did to the users, in a line

	mu   sync.Mutex
	step int
	name string
}

// run runs the demo from start to end and leaves nothing behind, except the
// logs if something was wrong.
func run(ctx context.Context, opts options, s *screen) (err error) {
	folder, err := os.MkdirTemp("", "trimtab-demo-")
	if err != nil {
		return err
	}
	d := &demo{opts: opts, screen: s, folder: folder, ledger: ledger.New()}
	defer func() {
		if err = d.stop(err); err == nil || ctx.Err() != nil {
			err = errors.Join(err, os.RemoveAll(folder))
			return
		}
		s.print("logs: " + folder)
	}()
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := d.playAndShow(ctx); err != nil {
		return err
	}
	if err := d.conclude(ctx); err != nil {
		return err
	}
	return d.compare(ctx)
}

// start brings up the control plane and the operator.
func (d *demo) start(ctx context.Context) (err error) {
	d.screen.print("starting etcd and kube-apiserver")
	d.cluster, err = cluster.Start(ctx, cluster.Options{Folder: d.folder, Manifests: d.opts.manifests})
	if err != nil {
		return err
	}
	d.fleet = newFleet(d.cluster, d.opts)
	for _, namespace := range d.fleet.namespaces {
		if err := d.cluster.CreateNamespace(ctx, namespace); err != nil {
			return err
		}
	}
	if err := d.startOperator(ctx); err != nil {
		return err
	}
	d.screen.print(
		fmt.Sprintf("operator:   %s (seed %d)", d.opts.operator, d.opts.seed),
		"log:        "+d.operator.Log(),
		"kubeconfig: "+d.cluster.Kubeconfig(),
		"metrics:    "+d.operator.MetricsURL(),
		"live page:  "+d.operator.LoopzURL(),
		"",
	)
	return nil
}

// startOperator starts the operator, its CA, and what observes it.
func (d *demo) startOperator(ctx context.Context) (err error) {
	if d.ca, err = authority.New("first CA"); err != nil {
		return err
	}
	if err := d.cluster.Create(ctx, d.ca.Secret(cluster.Namespace, caName)); err != nil {
		return err
	}
	if d.kubeconfig, err = d.cluster.AddOperator(ctx, "certrotator"); err != nil {
		return err
	}
	if d.operator, err = d.newOperator(d.opts.operator, "operator.log", d.opts.duration/6); err != nil {
		return err
	}
	d.sampler = newSampler(d.operator.MetricsURL())
	return d.operator.Start(ctx)
}

// operatorArgs are the operator's flags, with a rotation of the CA spread over
// that time.
func (d *demo) operatorArgs(spread time.Duration) []string {
	return []string{
		fmt.Sprintf("--concurrency=%d", d.opts.concurrency),
		"--ca-secret=" + cluster.Namespace + "/" + caName,
		"--backoff-base=100ms",
		"--backoff-max=2s", // no longer, in a demo of a minute
		"--rotation-spread=" + spread.String(),
	}
}

// playAndShow plays the timeline, with the live table beside it, and waits
// until everything is served.
func (d *demo) playAndShow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	scheme, err := cluster.Scheme()
	if err != nil {
		cancel()
		return err
	}
	d.ledger.SetCA(d.ca.PEM())
	if err := d.ledger.Follow(ctx, d.cluster.Config(), scheme); err != nil {
		cancel()
		return err
	}
	var beside sync.WaitGroup
	beside.Go(func() { d.sampler.run(ctx) })
	beside.Go(func() { d.showUntil(ctx, time.Now()) })
	defer beside.Wait()
	defer cancel()

	if err := play(ctx, d.timeline(), d.opts.duration, d.on); err != nil {
		return err
	}
	d.on(len(d.timeline()), "wait until everything is served")
	return d.waitServed(ctx)
}

// conclude prints the comparison and the signals, and returns what is wrong.
func (d *demo) conclude(ctx context.Context) error {
	d.sampler.sample(ctx)
	totals, peaks := d.sampler.totals()
	d.screen.print("")
	d.screen.print(report.Comparison(totals, d.opts.certificates)...)
	d.screen.print("", d.rotation, "")
	d.screen.print(report.Events(totals)...)
	d.screen.print("")
	d.screen.print(report.Signals(totals, peaks, d.opts.certificates)...)
	d.screen.print("")

	faults := append(idleTriggers(totals), d.ledger.Expired(time.Now())...)
	if !d.operator.Running() {
		faults = append(faults, "the operator has ended by itself")
	}
	if len(faults) > 0 {
		return problems(faults)
	}
	d.screen.print(fmt.Sprintf("all %d certificates are ready and valid against the current CA; none expired, none was lost",
		d.opts.certificates))
	return nil
}

// stop ends the operator, then the control plane; cause is why, if anything
// went wrong before.
func (d *demo) stop(cause error) error {
	if d.operator != nil {
		cause = errors.Join(cause, d.operator.Stop())
	}
	if d.cluster != nil {
		cause = errors.Join(cause, d.cluster.Stop())
	}
	return cause
}

// on notes which step is on.
func (d *demo) on(number int, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.step, d.name = number, name
}

// showUntil shows the live table until ctx ends.
func (d *demo) showUntil(ctx context.Context, start time.Time) {
	ticker := time.NewTicker(d.screen.interval())
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m := d.moment(time.Since(start))
			d.screen.show(m.table(), m.line())
		case <-ctx.Done():
			return
		}
	}
}

func (d *demo) moment(elapsed time.Duration) moment {
	d.mu.Lock()
	defer d.mu.Unlock()
	totals, _ := d.sampler.totals()
	return moment{
		elapsed:    elapsed,
		duration:   d.opts.duration,
		step:       d.step,
		steps:      len(d.timeline()),
		name:       d.name,
		counts:     d.ledger.Counts(),
		totals:     totals,
		kubeconfig: d.cluster.Kubeconfig(),
		metrics:    d.operator.MetricsURL(),
	}
}
