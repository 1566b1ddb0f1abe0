package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTryWantsTheVersion(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"right":        {script: "echo etcd Version: 3.2.1"},
		"wrong":        {script: "echo etcd Version: 9.9.9", want: "etcd --version: want v3.2.1, got"},
		"doesn't run":  {script: "echo broken; exit 3", want: "exit status 3\nbroken"},
		"says nothing": {script: "true", want: `want v3.2.1, got ""`},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "etcd")
			require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755))
			err := try(t.Context(), testRelease(), program)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}
