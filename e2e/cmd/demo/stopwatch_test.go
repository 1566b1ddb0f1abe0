package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

func TestStopwatch(t *testing.T) {
	start := time.Unix(1000, 0)
	after := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	cert := func(name string, generation, observed int64, ca string) *certv1.Certificate {
		c := &certv1.Certificate{}
		c.Namespace, c.Name, c.Generation = "ns", name, generation
		c.Status.ObservedGeneration, c.Status.IssuerFingerprint = observed, ca
		c.Status.Conditions = []metav1.Condition{{Type: certv1.ConditionReady, Status: metav1.ConditionTrue}}
		return c
	}
	a, b := types.NamespacedName{Namespace: "ns", Name: "a"}, types.NamespacedName{Namespace: "ns", Name: "b"}

	s := newStopwatch()
	s.see(cert("a", 1, 1, "old"), after(0))
	s.see(cert("b", 1, 1, "old"), after(0))
	s.see(cert("a", 2, 1, "old"), after(1)) // changed, and not served yet
	sent := map[revision]time.Time{{a, 2}: after(1), {b, 2}: after(2)}
	require.Empty(t, s.took(sent))

	s.see(cert("a", 2, 2, "new"), after(4))
	s.see(cert("a", 2, 2, "new"), after(9)) // the first time counts
	require.Equal(t, []time.Duration{3 * time.Second}, s.took(sent))
	n, last := s.rotated("new")
	require.Equal(t, 1, n)
	require.Equal(t, after(4), last)

	s.see(cert("b", 2, 2, "new"), after(10))
	require.ElementsMatch(t, []time.Duration{3 * time.Second, 8 * time.Second}, s.took(sent))
	n, last = s.rotated("new")
	require.Equal(t, 2, n)
	require.Equal(t, after(10), last)

	n, _ = s.rotated("unknown")
	require.Zero(t, n)
}
