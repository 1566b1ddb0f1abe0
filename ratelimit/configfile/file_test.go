package configfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit/configfile"
)

// long is far more than anything here takes.
const long = 30 * time.Second

// place is a folder with a file that is followed.
type place struct {
	path    string
	file    *configfile.File[string]
	reloads chan error
	logged  chan string
	end     func()
}

// constant is a file that asks for a delay.
func constant(delay string) string { return "constant: {delay: " + delay + "}\n" }

// follow opens and starts the file at path, which is there. It ends with the test.
func follow(t *testing.T, path string) *place {
	t.Helper()
	p := &place{path: path, reloads: make(chan error, 1000), logged: make(chan string, 1000)}
	log := funcr.New(func(_, args string) { p.logged <- args }, funcr.Options{})
	p.open(t, configfile.Options{Log: log, OnReload: func(err error) { p.reloads <- err }})
	return p
}

func (p *place) open(t *testing.T, opts configfile.Options) {
	t.Helper()
	file, err := configfile.Open[string](p.path, opts)
	require.NoError(t, err)
	p.file = file
	p.end = start(t, file)
}

// start starts the file until end is called, or the test ends.
func start(t *testing.T, file *configfile.File[string]) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- file.Start(ctx) }()
	done := false
	end = func() {
		if !done {
			done = true
			cancel()
			require.NoError(t, <-ended)
		}
	}
	t.Cleanup(end)
	return end
}

// next waits for a reload and returns its error.
func (p *place) next(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.reloads:
		return err
	case <-time.After(long):
		require.FailNow(t, "no reload")
		return nil
	}
}

// until waits until the limiter has a delay. What comes before does not matter: a file
// may be seen when it is half written, or not there yet.
func (p *place) until(t *testing.T, delay time.Duration) {
	t.Helper()
	for p.file.Limiter().When("a") != delay {
		_ = p.next(t)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// replace writes the file in the way of an editor: beside, and then renamed.
func replace(t *testing.T, path, text string) {
	t.Helper()
	write(t, path+"~", text)
	require.NoError(t, os.Rename(path+"~", path))
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	_, err := configfile.Open[string](path, configfile.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, path)

	write(t, path, "constant:\n  delay: 0s\n")
	_, err = configfile.Open[string](path, configfile.Options{})
	require.EqualError(t, err, "configfile: "+path+": ratelimit: line 2: constant.delay is 0s, want more than 0")

	write(t, path, "perNamespace: {}")
	_, err = configfile.Open[string](path, configfile.Options{})
	require.ErrorContains(t, err, path+": ratelimit: perNamespace: the items, string, have no field Namespace")

	write(t, path, constant("1s"))
	file, err := configfile.Open[string](path, configfile.Options{})
	require.NoError(t, err)
	limiter := file.Limiter()
	require.Same(t, limiter, file.Limiter())
	require.Equal(t, time.Second, limiter.When("a"))
	require.False(t, file.NeedLeaderElection())
}

func TestWrites(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path, text string){"plain": write, "renamed": replace} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ratelimit.yaml")
			write(t, path, constant("1s"))
			p := follow(t, path)
			change(t, path, constant("2s"))
			p.until(t, 2*time.Second)
			change(t, path, constant("3s"))
			p.until(t, 3*time.Second)
		})
	}
}

// project writes a file as a kubelet does: into a folder of its own, to which a link
// is swapped, through which the file's own link goes.
func project(t *testing.T, folder, version, text string) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(folder, version), 0o700))
	write(t, filepath.Join(folder, version, "ratelimit.yaml"), text)
	data := filepath.Join(folder, "..data")
	before, _ := os.Readlink(data)
	require.NoError(t, os.Symlink(version, data+"_tmp"))
	require.NoError(t, os.Rename(data+"_tmp", data))
	if before == "" {
		require.NoError(t, os.Symlink("..data/ratelimit.yaml", filepath.Join(folder, "ratelimit.yaml")))
		return
	}
	require.NoError(t, os.RemoveAll(filepath.Join(folder, before)))
}

func TestConfigMap(t *testing.T) {
	folder := t.TempDir()
	project(t, folder, "..2026_01_01", constant("1s"))
	p := follow(t, filepath.Join(folder, "ratelimit.yaml"))
	for i := 2; i < 5; i++ {
		project(t, folder, fmt.Sprintf("..2026_01_%02d", i), constant(fmt.Sprintf("%ds", i)))
		require.NoError(t, p.next(t))
		require.Equal(t, time.Duration(i)*time.Second, p.file.Limiter().When("a"))
	}
	require.Empty(t, p.reloads, "one swap is one reload")
}

// A bad file changes nothing, and is told of once, with its field, value and line.
func TestBadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	write(t, path, constant("1s"))
	p := follow(t, path)
	replace(t, path, "constant:\n  delay: 0s\n")
	want := "configfile: " + path + ": ratelimit: line 2: constant.delay is 0s, want more than 0"
	require.EqualError(t, p.next(t), want)
	require.Contains(t, <-p.logged, "constant.delay is 0s")
	require.Equal(t, time.Second, p.file.Limiter().When("a"))

	replace(t, path, "constant:\n  delay: 0s\n# the same fault\n")
	replace(t, path+"2", "wakes the watcher")
	replace(t, path, "constant:\n  delay: -1s\n") // another one
	require.ErrorContains(t, p.next(t), "constant.delay is -1s")
	<-p.logged
	replace(t, path, constant("1s")) // as before
	require.NoError(t, p.next(t))
	require.Contains(t, <-p.logged, "The file is as before")
	require.Equal(t, time.Second, p.file.Limiter().When("a"))
	require.Empty(t, p.reloads)
}

// A file that is gone changes nothing, nor does a folder that is replaced.
func TestGoneAndBack(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "config")
	path := filepath.Join(folder, "ratelimit.yaml")
	require.NoError(t, os.Mkdir(folder, 0o700))
	write(t, path, constant("1s"))
	p := follow(t, path)
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, p.next(t), os.ErrNotExist)
	require.Equal(t, time.Second, p.file.Limiter().When("a"))
	replace(t, path, constant("2s"))
	p.until(t, 2*time.Second)

	for i := 3; i < 6; i++ { // each is watched, too
		next := fmt.Sprintf("%s%d", folder, i)
		require.NoError(t, os.Mkdir(next, 0o700))
		write(t, filepath.Join(next, "ratelimit.yaml"), constant(fmt.Sprintf("%ds", i)))
		require.NoError(t, os.Rename(folder, next+".old"))
		require.NoError(t, os.Rename(next, folder))
		p.until(t, time.Duration(i)*time.Second)
	}
	replace(t, path, constant("7s"))
	p.until(t, 7*time.Second)

	require.NoError(t, os.RemoveAll(folder))
	require.ErrorIs(t, p.next(t), os.ErrNotExist)
	require.NoError(t, os.Mkdir(folder, 0o700))
	write(t, path, constant("8s"))
	p.until(t, 8*time.Second)
}

// The last of many changes counts.
func TestManyChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	write(t, path, constant("1s"))
	p := follow(t, path)
	for i := range 1000 {
		replace(t, path, constant(fmt.Sprintf("%dms", 2000+i)))
	}
	p.until(t, 2999*time.Millisecond)
	require.Less(t, len(p.reloads), 100)
}

func TestStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	write(t, path, constant("1s"))
	p := follow(t, path)
	replace(t, path, constant("2s"))
	p.until(t, 2*time.Second)
	require.EqualError(t, p.file.Start(t.Context()), "configfile: "+path+" is followed already")

	p.end()
	replace(t, path, constant("3s")) // while nobody looks
	require.Equal(t, 2*time.Second, p.file.Limiter().When("a"))
	start(t, p.file)
	p.until(t, 3*time.Second)
	replace(t, path, constant("4s"))
	p.until(t, 4*time.Second)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other, err := configfile.Open[string](path, configfile.Options{})
	require.NoError(t, err)
	require.NoError(t, other.Start(ctx))
}

// Without a log and a function nobody is told.
func TestTellsNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	write(t, path, constant("1s"))
	p := &place{path: path}
	p.open(t, configfile.Options{})
	replace(t, path, constant("0s"))
	replace(t, path, constant("2s"))
	require.Eventually(t, func() bool { return p.file.Limiter().When("a") == 2*time.Second }, long, time.Millisecond)
}

// A function that panics is logged, with its stack, and called again.
func TestOnReloadPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	write(t, path, constant("1s"))
	logged := make(chan string, 1000)
	calls := make(chan error, 1000)
	p := &place{path: path, reloads: calls}
	p.open(t, configfile.Options{
		Log:      funcr.New(func(_, args string) { logged <- args }, funcr.Options{}),
		OnReload: func(err error) { calls <- err; panic("oh no") },
	})
	for i := range 2 {
		replace(t, path, constant(fmt.Sprintf("%ds", 2+i)))
		require.NoError(t, p.next(t))
	}
	require.Contains(t, <-logged, "new numbers")
	panicked := <-logged
	require.Contains(t, panicked, "configfile: OnReload has panicked: oh no")
	require.Contains(t, panicked, "TestOnReloadPanics")
}

// No goroutine and no descriptor outlives Start.
func TestLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ratelimit.yaml")
	write(t, path, constant("1s"))
	file, err := configfile.Open[string](path, configfile.Options{Log: logr.Discard()})
	require.NoError(t, err)
	start(t, file)()
	goroutines, descriptors := runtime.NumGoroutine(), openFiles(t)
	for range 20 {
		start(t, file)()
	}
	for deadline := time.Now().Add(long); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), "%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
	}
	require.LessOrEqual(t, openFiles(t), descriptors)
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("there is no list of descriptors here")
	}
	n := 0
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.Contains(target, "inotify") {
			n++
		}
	}
	return n
}
