package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// An impossible spec is said to be so, once, and not tried again and again.
func TestInvalidSpec(t *testing.T) {
	s := newScene(t)
	p := s.startOperator(t)
	bad := s.create(t, "bad", lives(time.Hour, 2*time.Hour))
	condition(t, bad, metav1.ConditionFalse, certv1.ReasonInvalidSpec)
	require.Contains(t, bad.Status.Conditions[0].Message, "renewBefore")
	event(t, bad, corev1.EventTypeWarning, certv1.ReasonInvalidSpec)

	good := s.create(t, "good")
	s.served(t, good)
	_, err := read(t, bad)
	require.True(t, apierrors.IsNotFound(err), "there is a Secret for an impossible spec: %v", err)

	// With the default backoff, retries would come ten times in these seconds.
	s.settle(t, p)
	runs := allRuns(t, p)
	during(t, 3*time.Second, func() error {
		if now := allRuns(t, p); now > runs {
			return fmt.Errorf("%.0f runs without a cause", now-runs)
		}
		return nil
	})
	require.Zero(t, sample(t, p).Sum("trimtab_requeues_total", "reason", "retry"))

	change(t, bad, lives(time.Hour, time.Minute))
	s.served(t, bad)
}

// A certificate from before stays as it is while the spec is impossible.
func TestInvalidSpecKeepsTheSecret(t *testing.T) {
	s := newScene(t)
	s.startOperator(t)
	cert := s.create(t, "a")
	s.served(t, cert)
	before := readSecret(t, cert)

	change(t, cert, lives(time.Hour, time.Hour))
	condition(t, cert, metav1.ConditionFalse, certv1.ReasonInvalidSpec)
	require.Equal(t, before, readSecret(t, cert))
}
