package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeGo is a go command that builds nothing real: its programs print their
// version. It logs each program that it builds. With a file named hang-NAME in
// its folder the build of NAME hangs, half done; with fail-NAME it fails.
const fakeGo = `#!/bin/sh
here=%q
case "$1" in
list)
	case "$*" in
	*" -m "*) printf 'k8s.io/kubernetes v1.99.1\ngo.etcd.io/etcd/server/v3 v3.99.2\n' ;;
	*) echo "go: downloading example.com/module v1.0.0" >&2; printf 'one\ntwo\n' ;;
	esac ;;
build)
	while [ "$1" != -o ]; do shift; done
	name=$(basename "$2")
	echo "$name" >> "$here/built"
	echo example.com/one >&2
	if [ -e "$here/hang-$name" ]; then
		echo half > "$2"
		sh -c 'echo $$ > "$0/sleeper"; echo hanging >> "$0/hung"; exec sleep 1000' "$here"
	fi
	if [ -e "$here/fail-$name" ]; then
		echo "one.go:1:1: no such thing" >&2
		exit 1
	fi
	echo "$3" >&2
	printf '#!/bin/sh\necho "$0" version: 1.99.1 and 3.99.2\n' > "$2"
	chmod +x "$2" ;;
esac
`

// world is a place to run the command in: a fake go command, an empty cache.
type world struct {
	goFolder string // of the fake go command, its log and its switches
	cache    string // XDG_CACHE_HOME
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{goFolder: t.TempDir(), cache: t.TempDir()}
	script := fmt.Sprintf(fakeGo, w.goFolder)
	require.NoError(t, os.WriteFile(filepath.Join(w.goFolder, "go"), []byte(script), 0o755))
	return w
}

// folder is where the command should put the programs.
func (w world) folder(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(w.cache, "trimtab/controlplane/v1.99.1-v3.99.2-*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// files lists the folder without the lock.
func (w world) files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(w.folder(t))
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		if e.Name() != ".lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

// built lists the programs that the fake go command was asked to build.
func (w world) built(t *testing.T) []string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(w.goFolder, "built"))
	require.NoError(t, err)
	return strings.Fields(string(log))
}

// turn sets or clears a switch of the fake go command.
func (w world) turn(t *testing.T, name string, on bool) {
	t.Helper()
	file := filepath.Join(w.goFolder, name)
	if on {
		require.NoError(t, os.WriteFile(file, nil, 0o644))
		return
	}
	require.NoError(t, os.Remove(file))
}

// process is a run of the command.
type process struct {
	*exec.Cmd
	stdout bytes.Buffer

	mu    sync.Mutex
	said  strings.Builder
	heard chan struct{} // closed and renewed with each line on standard error
	ended chan struct{}
}

// start runs the command in the world, with the environment on top.
func (w world) start(t *testing.T, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0]), heard: make(chan struct{}), ended: make(chan struct{})}
	p.Env = append(os.Environ(), asCommand+"=1", variable+"=",
		"XDG_CACHE_HOME="+w.cache, "PATH="+w.goFolder+":"+os.Getenv("PATH"))
	p.Env = append(p.Env, env...)
	p.Stdout = &p.stdout
	stderr, err := p.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			p.hear(lines.Text())
		}
	}()
	return p
}

func (p *process) hear(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(&p.said, line)
	close(p.heard)
	p.heard = make(chan struct{})
}

func (p *process) stderr() (string, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String(), p.heard
}

// await waits for words on standard error.
func (p *process) await(t *testing.T, words string) {
	t.Helper()
	for {
		said, more := p.stderr()
		if strings.Contains(said, words) {
			return
		}
		select {
		case <-more:
		case <-p.ended:
			said, _ := p.stderr()
			require.Contains(t, said, words)
			return
		}
	}
}

// exit waits for the end and returns exit code, standard output and error.
func (p *process) exit(t *testing.T) (code int, stdout, stderr string) {
	t.Helper()
	<-p.ended
	_ = p.Wait() // the exit code says it
	said, _ := p.stderr()
	return p.ProcessState.ExitCode(), p.stdout.String(), said
}
