package reconcile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	stock "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/internal/parity"
	"github.com/trimtab/trimtab/reconcile"
)

// Everything that controller-runtime's package exports, in the version that this
// build selected, is here: types as aliases, functions as one-line calls.
func TestParity(t *testing.T) {
	theirs, err := parity.Source(stock.TerminalError)
	require.NoError(t, err)
	faults, err := parity.Faults("reconcile", theirs, ".")
	require.NoError(t, err)
	require.Empty(t, faults)
}

func TestReexportedFunctions(t *testing.T) {
	err := reconcile.TerminalError(errBoom)
	require.ErrorIs(t, err, stock.TerminalError(nil))
	require.ErrorIs(t, err, errBoom)

	r := reconcile.AsReconciler(&slow{}, namer{})
	_, err = r.Reconcile(t.Context(), request("a"))
	require.EqualError(t, err, "reconciled")
}

type namer struct{}

func (namer) Reconcile(context.Context, *corev1.ConfigMap) (reconcile.Result, error) {
	return reconcile.Result{}, errors.New("reconciled")
}
