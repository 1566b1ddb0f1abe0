package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/certcheck"
	"github.com/trimtab/trimtab/e2e/internal/report"
	"github.com/trimtab/trimtab/e2e/internal/scrape"
)

const (
	// servePatience is how long after a change everything must be served.
	servePatience = 90 * time.Second

	servePoll = 500 * time.Millisecond
)

// waitServed waits until each certificate was seen served well, and otherwise
// says what is wrong with those that were not.
func (d *demo) waitServed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, servePatience)
	defer cancel()
	pending := maps.Clone(d.fleet.wanted)
	var known problems
	for {
		faults, err := d.check(ctx, pending)
		switch {
		case err == nil && len(faults) == 0:
			return nil
		case err == nil:
			known = faults
		case ctx.Err() == nil:
			return err
		}
		if sleepUntil(ctx, time.Now().Add(servePoll)) != nil {
			return known
		}
	}
}

// check removes from pending what is served well and returns what is wrong
// with the rest. While certificates are being renewed there is no moment at
// which all are between two renewals, so each counts as soon as it was seen so.
func (d *demo) check(ctx context.Context, pending map[types.NamespacedName]certv1.CertificateSpec) ([]string, error) {
	certs, secrets := &certv1.CertificateList{}, &corev1.SecretList{}
	if err := d.cluster.List(ctx, certs); err != nil {
		return nil, err
	}
	if err := d.cluster.List(ctx, secrets); err != nil {
		return nil, err
	}
	found := make(map[types.NamespacedName]*corev1.Secret, len(secrets.Items))
	for i := range secrets.Items {
		found[types.NamespacedName{Namespace: secrets.Items[i].Namespace, Name: secrets.Items[i].Name}] = &secrets.Items[i]
	}
	faults := map[types.NamespacedName]string{}
	for key := range pending {
		faults[key] = key.String() + ": the Certificate is gone"
	}
	for i := range certs.Items {
		cert := &certs.Items[i]
		key := types.NamespacedName{Namespace: cert.Namespace, Name: cert.Name}
		spec, ok := pending[key]
		if !ok {
			continue
		}
		if err := d.fault(cert, spec, found[types.NamespacedName{Namespace: key.Namespace, Name: secretName(key)}]); err != nil {
			faults[key] = fmt.Sprintf("%s: %s", key, err)
			continue
		}
		delete(faults, key)
		delete(pending, key)
	}
	return slices.Sorted(maps.Values(faults)), nil
}

// fault returns what is wrong with one certificate.
func (d *demo) fault(cert *certv1.Certificate, spec certv1.CertificateSpec, secret *corev1.Secret) error {
	if !reflect.DeepEqual(cert.Spec, spec) {
		return fmt.Errorf("the spec is not what was written: %+v", cert.Spec)
	}
	if secret == nil {
		return fmt.Errorf("there is no Secret %s", cert.Spec.SecretName)
	}
	return certcheck.Served(cert, secret, d.ca.Certificate, time.Now())
}

// idleTriggers names the trigger sources that ran nothing.
func idleTriggers(totals scrape.Sample) []string {
	var faults []string
	for _, trigger := range report.Triggers() {
		if report.Runs(totals, trigger) == 0 {
			faults = append(faults, "no run was triggered by "+trigger)
		}
	}
	return faults
}
