package controlplane_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/controlplane"
)

func TestStartSaysHowToGetTheAssets(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", "")
	_, err := controlplane.Start(controlplane.Options{Folder: t.TempDir()})
	require.ErrorIs(t, err, controlplane.ErrNoAssets)
}

func TestStartNamesTheMissingBinary(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
	_, err := controlplane.Start(controlplane.Options{Folder: t.TempDir()})
	require.ErrorContains(t, err, "no etcd in")
}
