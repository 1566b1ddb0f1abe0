package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/authority"
)

const (
	// writers is how many writes the demo makes at once.
	writers = 8

	// pace is the time between two changes that a user makes.
	pace = 100 * time.Millisecond
)

// fleet is the certificates of the demo, as its users want them.
type fleet struct {
	client      client.Client
	random      *rand.Rand
	namespaces  []string
	lifetime    time.Duration
	renewBefore time.Duration

	mu     sync.Mutex
	wanted map[types.NamespacedName]certv1.CertificateSpec
}

func newFleet(c client.Client, opts options) *fleet {
	f := &fleet{
		client:      c,
		random:      rand.New(rand.NewPCG(opts.seed, 0)),
		lifetime:    opts.lifetime(),
		renewBefore: opts.renewBefore(),
		wanted:      map[types.NamespacedName]certv1.CertificateSpec{},
	}
	for i := range opts.namespaces {
		f.namespaces = append(f.namespaces, fmt.Sprintf("team-%d", i+1))
	}
	return f
}

// create creates n certificates within that time, spread over the namespaces.
func (f *fleet) create(ctx context.Context, n int, within time.Duration) error {
	keys := make([]types.NamespacedName, n)
	for i := range keys {
		keys[i] = types.NamespacedName{
			Namespace: f.namespaces[i%len(f.namespaces)],
			Name:      fmt.Sprintf("service-%03d", i+1),
		}
	}
	limiter := rate.NewLimiter(rate.Limit(float64(n)/within.Seconds()), 1)
	return together(ctx, keys, func(ctx context.Context, key types.NamespacedName) error {
		if err := limiter.Wait(ctx); err != nil {
			return err
		}
		return f.createOne(ctx, key)
	})
}

func (f *fleet) createOne(ctx context.Context, key types.NamespacedName) error {
	cert := &certv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec: certv1.CertificateSpec{
			DNSNames:    []string{key.Name + "." + key.Namespace + ".example"},
			Duration:    metav1.Duration{Duration: f.lifetime},
			RenewBefore: &metav1.Duration{Duration: f.renewBefore},
			SecretName:  secretName(key),
		},
	}
	if err := f.client.Create(ctx, cert); err != nil {
		return err
	}
	f.want(key, cert.Spec) // as the API server completed it
	return nil
}

// change adds a name to a certificate, as a user does.
func (f *fleet) change(ctx context.Context, key types.NamespacedName) error {
	_, err := f.revise(ctx, key)
	return err
}

// revise is change, and says which revision it made.
func (f *fleet) revise(ctx context.Context, key types.NamespacedName) (revision, error) {
	return f.patch(ctx, key, func(spec *certv1.CertificateSpec) {
		spec.DNSNames = append(spec.DNSNames, fmt.Sprintf("v%d.%s", len(spec.DNSNames), spec.DNSNames[0]))
	})
}

// settle gives each certificate a day, so that it isn't renewed for now.
func (f *fleet) settle(ctx context.Context) error {
	return together(ctx, f.share(1), func(ctx context.Context, key types.NamespacedName) error {
		_, err := f.patch(ctx, key, func(spec *certv1.CertificateSpec) {
			spec.Duration = metav1.Duration{Duration: 24 * time.Hour}
			spec.RenewBefore = &metav1.Duration{Duration: time.Hour}
		})
		return err
	})
}

func (f *fleet) patch(ctx context.Context, key types.NamespacedName, edit func(*certv1.CertificateSpec)) (revision, error) {
	cert := &certv1.Certificate{}
	if err := f.client.Get(ctx, key, cert); err != nil {
		return revision{}, err
	}
	before := client.MergeFrom(cert.DeepCopy())
	edit(&cert.Spec)
	if err := f.client.Patch(ctx, cert, before); err != nil {
		return revision{}, err
	}
	f.want(key, cert.Spec)
	return revision{key, cert.Generation}, nil
}

// deleteSecret deletes a certificate's Secret.
func (f *fleet) deleteSecret(ctx context.Context, key types.NamespacedName) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: secretName(key)}}
	return client.IgnoreNotFound(f.client.Delete(ctx, secret))
}

// swapKey puts a key into a certificate's Secret that does not fit.
func (f *fleet) swapKey(ctx context.Context, key types.NamespacedName) error {
	forged, err := forge(key)
	if err != nil {
		return err
	}
	return f.overwrite(ctx, key, map[string][]byte{corev1.TLSPrivateKeyKey: forged.Key})
}

// slipIn puts a certificate of another CA into a certificate's Secret.
func (f *fleet) slipIn(ctx context.Context, key types.NamespacedName) error {
	forged, err := forge(key)
	if err != nil {
		return err
	}
	return f.overwrite(ctx, key, map[string][]byte{
		corev1.TLSCertKey:       forged.Certificate,
		corev1.TLSPrivateKeyKey: forged.Key,
	})
}

func (f *fleet) overwrite(ctx context.Context, key types.NamespacedName, data map[string][]byte) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: secretName(key)}}
	before := client.MergeFrom(secret.DeepCopy())
	secret.Data = data
	return client.IgnoreNotFound(f.client.Patch(ctx, secret, before))
}

// pick returns n of the certificates at random; with a namespace, of those in it.
func (f *fleet) pick(n int, namespace string) []types.NamespacedName {
	f.mu.Lock()
	keys := slices.Collect(maps.Keys(f.wanted))
	f.mu.Unlock()
	keys = slices.DeleteFunc(keys, func(k types.NamespacedName) bool {
		return namespace != "" && k.Namespace != namespace
	})
	slices.SortFunc(keys, func(a, b types.NamespacedName) int { return strings.Compare(a.String(), b.String()) })
	f.random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys[:min(n, len(keys))]
}

// share returns that part of all the certificates at random, one at least.
func (f *fleet) share(part float64) []types.NamespacedName {
	f.mu.Lock()
	n := len(f.wanted)
	f.mu.Unlock()
	return f.pick(max(1, int(part*float64(n))), "")
}

func (f *fleet) want(key types.NamespacedName, spec certv1.CertificateSpec) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted[key] = spec
}

// together does the same to all keys, a few at a time.
func together(ctx context.Context, keys []types.NamespacedName, do func(context.Context, types.NamespacedName) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, key := range keys {
		group.Go(func() error {
			if err := do(ctx, key); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// paced does the same to all keys, one after the other at a person's pace.
func paced(ctx context.Context, keys []types.NamespacedName, do func(context.Context, types.NamespacedName) error) error {
	for _, key := range keys {
		next := time.Now().Add(pace)
		if err := do(ctx, key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if err := sleepUntil(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// forge makes a certificate that looks right but is of nobody's CA.
func forge(key types.NamespacedName) (authority.Pair, error) {
	ca, err := authority.New("forger")
	if err != nil {
		return authority.Pair{}, err
	}
	return ca.Issue(time.Hour, key.Name+"."+key.Namespace+".example")
}

func secretName(key types.NamespacedName) string {
	return key.Name + "-tls"
}
