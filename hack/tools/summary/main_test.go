package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommand(t *testing.T) {
	const passed = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"fail"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}
`
	for name, test := range map[string]struct {
		files []string // what is in them
		code  int
		want  string
	}{
		"no file":       {code: 1, want: "0 passed, 0 failed, 0 skipped\n"},
		"no test":       {files: []string{`{"Action":"skip","Package":"p"}`}, code: 1, want: "0 passed, 0 failed, 0 skipped\n"},
		"passed":        {files: []string{passed}, want: "2 passed, 0 failed, 0 skipped\n"},
		"several files": {files: []string{passed, passed}, want: "4 passed, 0 failed, 0 skipped\n"},
		"skipped":       {files: []string{passed, `{"Action":"skip","Package":"p","Test":"TestB"}`}, want: "2 passed, 0 failed, 1 skipped\n"},
		"skipped only":  {files: []string{`{"Action":"skip","Package":"p","Test":"TestB"}`}, code: 1, want: "0 passed, 0 failed, 1 skipped\n"},
		"failed": {
			files: []string{passed + `{"Action":"fail","Package":"q","Test":"TestB"}{"Action":"fail","Package":"q"}`},
			code:  1, want: "failed: q TestB\n2 passed, 1 failed, 0 skipped\n",
		},
		"doesn't build": {
			files: []string{passed, `{"ImportPath":"q","Action":"build-fail"}{"Action":"fail","Package":"q","FailedBuild":"q"}`},
			code:  1, want: "failed: q\n2 passed, 1 failed, 0 skipped\n",
		},
		"the same package fails in two runs": {
			files: []string{`{"Action":"fail","Package":"q","Test":"TestB"}{"Action":"fail","Package":"q"}`, `{"Action":"fail","Package":"q"}`},
			code:  1, want: "failed: q TestB\nfailed: q\n0 passed, 2 failed, 0 skipped\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, test.code, command(write(t, test.files), &stdout, &stderr))
			require.Equal(t, test.want, stdout.String())
			require.Empty(t, stderr.String())
		})
	}
}

func TestCommandWantsEvents(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, command(write(t, []string{"ok p 0.1s\n"}), &stdout, &stderr))
	require.Contains(t, stderr.String(), "summary: ")
	require.Contains(t, stderr.String(), "0.json: invalid character")
	require.Equal(t, 1, command([]string{"nowhere.json"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "no such file")
	require.Empty(t, stdout.String())
}

func write(t *testing.T, contents []string) (files []string) {
	t.Helper()
	folder := t.TempDir()
	for i, content := range contents {
		file := filepath.Join(folder, string(rune('0'+i))+".json")
		require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
		files = append(files, file)
	}
	return files
}
