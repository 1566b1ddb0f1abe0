package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/operator"
)

// seedVariable repeats the moments and the victims of an earlier run.
const seedVariable = "TRIMTAB_CRASH_SEED"

// The operator is killed at ten random moments, while certificates are created,
// changed and deleted, Secrets are spoilt and the CA is replaced. Afterwards
// all that was asked for is there.
func TestCrash(t *testing.T) {
	seed := crashSeed(t)
	t.Logf("seed %d; %s repeats it", seed, seedVariable)
	c := &crash{scene: newScene(t), random: rand.New(rand.NewPCG(seed, 0))}
	p := c.startOperator(t, "--backoff-max=2s")
	book := follow(t)
	for i := range 30 {
		c.certs = append(c.certs, c.create(t, fmt.Sprintf("start-%02d", i), lives(30*time.Second, 20*time.Second)))
	}
	for round := range 10 {
		c.killSoon(t, p, func() { c.disturb(t, round) })
		require.NoError(t, p.Start(t.Context()))
	}
	c.served(t, c.certs...)
	require.Empty(t, book.Expired(time.Now()))

	var all certv1.CertificateList
	require.NoError(t, world.List(t.Context(), &all, client.InNamespace(c.namespace)))
	require.Len(t, all.Items, len(c.certs))
}

// crash is a scene in which everything happens at random.
type crash struct {
	*scene
	random *rand.Rand
	certs  []*certv1.Certificate
}

// killSoon kills the operator at a random moment of the next second and a half,
// while things happen, and returns when both are done.
func (c *crash) killSoon(t *testing.T, p *operator.Process, things func()) {
	t.Helper()
	moment := time.Duration(c.random.Int64N(int64(1500 * time.Millisecond)))
	killed := make(chan error, 1)
	timer := time.AfterFunc(moment, func() { killed <- p.Kill() })
	defer timer.Stop()
	things()
	require.NoError(t, <-killed)
}

// disturb does a bit of everything.
func (c *crash) disturb(t *testing.T, round int) {
	t.Helper()
	for i := range 5 {
		c.certs = append(c.certs, c.create(t, fmt.Sprintf("round-%d-%d", round, i), lives(30*time.Second, 20*time.Second)))
	}
	for range 5 {
		change(t, c.any(), addName)
	}
	for range 3 {
		c.deleteSecret(t, c.any())
		c.spoilSecret(t, c.any())
	}
	if round%4 == 2 {
		c.replaceCA(t)
	}
}

// any returns one of the certificates.
func (c *crash) any() *certv1.Certificate {
	return c.certs[c.random.IntN(len(c.certs))]
}

func (c *crash) deleteSecret(t *testing.T, cert *certv1.Certificate) {
	t.Helper()
	err := world.Delete(t.Context(), c.secret(cert))
	require.NoError(t, client.IgnoreNotFound(err))
}

// spoilSecret puts rubbish in the place of the key.
func (c *crash) spoilSecret(t *testing.T, cert *certv1.Certificate) {
	t.Helper()
	secret := c.secret(cert)
	before := client.MergeFrom(secret.DeepCopy())
	secret.Data = map[string][]byte{corev1.TLSPrivateKeyKey: []byte("rubbish")}
	if err := world.Patch(t.Context(), secret, before); !apierrors.IsNotFound(err) {
		require.NoError(t, err)
	}
}

func (c *crash) secret(cert *certv1.Certificate) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: cert.Spec.SecretName}}
}

func crashSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(seedVariable)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, "%s=%s", seedVariable, text)
	return seed
}
