package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckNamed(t *testing.T) {
	for name, test := range map[string]struct {
		modes map[string]os.FileMode // of the programs in the folder
		want  string                 // beside variable and value; none: it can be used
	}{
		"whole":          {modes: map[string]os.FileMode{"etcd": 0o755, "kube-apiserver": 0o700}},
		"empty":          {want: "kube-apiserver: no such file"},
		"no etcd":        {modes: map[string]os.FileMode{"kube-apiserver": 0o755}, want: "etcd: no such file"},
		"not executable": {modes: map[string]os.FileMode{"etcd": 0o644, "kube-apiserver": 0o755}, want: "etcd is not an executable file"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for program, mode := range test.modes {
				writeProgram(t, folder, program, mode)
			}
			err := checkNamed(folder)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, `KUBEBUILDER_ASSETS="`+folder+`"`)
		})
	}
}

func TestCheckNamedWantsAnAbsolutePath(t *testing.T) {
	require.EqualError(t, checkNamed("bin/k8s"), `controlplane: KUBEBUILDER_ASSETS="bin/k8s": must be an absolute path`)
}

func TestCheckProgramRefusesAFolder(t *testing.T) {
	require.ErrorContains(t, checkProgram(t.TempDir()), "is not an executable file")
}

func writeProgram(t *testing.T, folder, name string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), mode))
}
