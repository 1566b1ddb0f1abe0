package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	showEvery     = 3 * time.Second
	complaintsMax = 20 // lines of a go command's complaints that an error repeats
)

// progress counts what a go command says it does and shows the count. Safe for
// concurrent use.
type progress struct {
	release release
	show    io.Writer
	start   time.Time
	stop    chan struct{}
	stopped sync.WaitGroup

	mu         sync.Mutex
	line       []byte // unfinished
	downloaded int    // modules
	packages   int    // to compile
	compiled   int
	linking    bool
	complained []string
}

// newProgress starts to show the release's progress; end stops it.
func newProgress(r release, show io.Writer) *progress {
	p := &progress{release: r, show: show, start: time.Now(), stop: make(chan struct{})}
	p.stopped.Go(p.run)
	return p
}

// run shows the progress in lines, or on a terminal in one line that changes.
func (p *progress) run() {
	head, tail := "", "\n"
	if isTerminal(p.show) {
		head, tail = "\r\033[K", "" // to the line's start, and erase it
		defer fmt.Fprintln(p.show)
	}
	tick := time.NewTicker(showEvery)
	defer tick.Stop()
	for {
		fmt.Fprint(p.show, head, p, tail)
		select {
		case <-tick.C:
		case <-p.stop:
			return
		}
	}
}

// end shows nothing any more.
func (p *progress) end() {
	close(p.stop)
	p.stopped.Wait()
}

// follow runs the go command, counts what it says, and returns its output.
func (p *progress) follow(cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout = &out
	cmd.Stderr = p
	err := runGroup(cmd)
	return out.String(), err
}

// Write takes what a go command says on standard error.
func (p *progress) Write(said []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = append(p.line, said...)
	for {
		line, rest, whole := bytes.Cut(p.line, []byte("\n"))
		if !whole {
			return len(said), nil
		}
		p.take(string(line))
		p.line = rest
	}
}

// take counts one line: a module downloaded, a package compiled (go build -v
// says its path, the main package's last), else a complaint.
func (p *progress) take(line string) {
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.downloaded++
	case line == p.release.main:
		p.compiled++
		p.linking = true
	case line != "" && !strings.Contains(line, " "):
		p.compiled++
	default:
		p.complained = append(p.complained, line)
		p.complained = slices.Delete(p.complained, 0, max(0, len(p.complained)-complaintsMax))
	}
}

// expect says how many packages there are to compile.
func (p *progress) expect(packages int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages = packages
}

// complaints returns the last lines that were no progress, each on a line of
// its own.
func (p *progress) complaints() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all strings.Builder
	for _, line := range append(slices.Clone(p.complained), string(p.line)) {
		if line != "" {
			all.WriteString("\n" + line)
		}
	}
	return all.String()
}

// String says what is built, how long it has taken, and how far it is.
func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("controlplane: %s %s, %v: %s",
		p.release.name, p.release.version, time.Since(p.start).Round(time.Second), p.stage())
}

func (p *progress) stage() string {
	switch {
	case p.linking:
		return "linking"
	case p.packages > 0:
		return fmt.Sprintf("compiled %d of %d packages", p.compiled, p.packages)
	case p.downloaded > 0:
		return fmt.Sprintf("downloading its modules, %d so far", p.downloaded)
	default:
		return "reading its modules"
	}
}
