package main

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/e2e/internal/authority"
	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/outage"
	"github.com/trimtab/trimtab/e2e/internal/report"
)

// caName is the Secret in which the operator looks for its CA.
const caName = "ca"

// createAll creates the certificates, in a sixth of the demo's duration, and
// waits until all are served.
func (d *demo) createAll(ctx context.Context) error {
	if err := d.fleet.create(ctx, d.opts.certificates, d.opts.duration/6); err != nil {
		return err
	}
	return d.waitServed(ctx)
}

// tamper deletes, spoils and forges Secrets.
func (d *demo) tamper(ctx context.Context) error {
	return errors.Join(
		together(ctx, d.fleet.share(0.10), d.fleet.deleteSecret),
		together(ctx, d.fleet.share(0.05), d.fleet.swapKey),
		together(ctx, d.fleet.share(0.05), d.fleet.slipIn),
	)
}

// giveCA gives the operator a new CA, with which all certificates are issued again.
func (d *demo) giveCA(ctx context.Context, name string) error {
	ca, err := authority.New(name)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: caName}}
	patch := client.MergeFrom(secret.DeepCopy())
	secret.Data = ca.Secret("", "").Data
	if err := d.cluster.Patch(ctx, secret, patch); err != nil {
		return err
	}
	d.ca = ca
	d.ledger.SetCA(ca.PEM())
	return nil
}

// replaceCA replaces the CA, and meanwhile changes some certificates as users do.
func (d *demo) replaceCA(ctx context.Context) error {
	if err := d.giveCA(ctx, "second CA"); err != nil {
		return err
	}
	before := d.sampler.sample(ctx)
	if err := paced(ctx, d.fleet.share(0.05), d.fleet.change); err != nil {
		return err
	}
	d.rotation = report.Rotation(before, d.sampler.sample(ctx))
	return nil
}

// breakNamespace lets the writes of Secrets in one namespace fail for a tenth
// of the demo, while some of them are needed.
func (d *demo) breakNamespace(ctx context.Context) error {
	namespace := d.fleet.namespaces[len(d.fleet.namespaces)-1]
	end := time.Now().Add(d.opts.duration / 10)
	if err := outage.Begin(ctx, d.cluster, namespace); err != nil {
		return err
	}
	err := errors.Join(
		together(ctx, d.fleet.pick(20, namespace), d.fleet.deleteSecret),
		together(ctx, d.fleet.pick(10, namespace), d.fleet.change),
		sleepUntil(ctx, end),
	)
	return errors.Join(err, outage.End(ctx, d.cluster, namespace))
}

// restart ends the operator as a rollout does and deletes Secrets before it is
// there again.
func (d *demo) restart(ctx context.Context) error {
	d.sampler.sample(ctx)
	if err := d.operator.Stop(); err != nil {
		return err
	}
	if err := together(ctx, d.fleet.share(0.05), d.fleet.deleteSecret); err != nil {
		return err
	}
	return d.operator.Start(ctx)
}

// crash kills the operator without a warning, in the middle of changes.
func (d *demo) crash(ctx context.Context) error {
	if err := together(ctx, d.fleet.share(0.10), d.fleet.change); err != nil {
		return err
	}
	d.sampler.sample(ctx)
	if err := d.operator.Kill(); err != nil {
		return err
	}
	if err := together(ctx, d.fleet.share(0.05), d.fleet.change); err != nil {
		return err
	}
	return d.operator.Start(ctx)
}

// nothing lets the renewals go on by themselves.
func (d *demo) nothing(context.Context) error {
	return nil
}
