package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSelectedReadsGoMod(t *testing.T) {
	releases, err := selected(t.Context())
	require.NoError(t, err)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	require.Len(t, releases, len(components()))
	for _, r := range releases {
		require.Contains(t, string(mod), r.module+" "+r.version+" ")
	}
}

func TestSelectedElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := selected(t.Context())
	require.ErrorContains(t, err, "is hack/controlplane the working directory?")
}

func TestParseReleasesWantsEach(t *testing.T) {
	_, err := parseReleases("k8s.io/kubernetes v1.2.3\n")
	require.EqualError(t, err, "controlplane: go.mod selects no version of go.etcd.io/etcd/server/v3")
}

func TestStampKubernetes(t *testing.T) {
	flags := stampKubernetes("v1.37.2")
	require.Contains(t, flags, "-X k8s.io/component-base/version.gitVersion=v1.37.2")
	require.Contains(t, flags, "-X k8s.io/component-base/version.gitMajor=1")
	require.Contains(t, flags, "-X k8s.io/component-base/version.gitMinor=37")
}
