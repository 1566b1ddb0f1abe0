package operator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/trimtab/trimtab/loopz"

	"github.com/trimtab/trimtab/e2e/internal/endpoint"
	"github.com/trimtab/trimtab/e2e/internal/leash"
)

const (
	startPatience = time.Minute // from the start to the first readyz
	stopPatience  = time.Minute // from SIGTERM to the end
)

// Options configures New.
type Options struct {
	// Binary is the path of the operator.
	Binary string

	// Kubeconfig is the path of the kubeconfig file that it uses.
	Kubeconfig string

	// Log is the path of the file to which its output is appended.
	Log string

	// Args are further arguments.
	Args []string
}

// Process is an operator that runs, or can be started. Its addresses stay the
// same over restarts. Safe for concurrent use.
type Process struct {
	opts    Options
	metrics string
	probes  string

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{} // closed once cmd has ended and err is set
	err   error
}

// New reserves addresses for an operator that is not running yet.
func New(opts Options) (*Process, error) {
	free, err := endpoint.Free(2)
	if err != nil {
		return nil, fmt.Errorf("operator: %w", err)
	}
	return &Process{opts: opts, metrics: free[0], probes: free[1]}, nil
}

// MetricsURL returns where the operator serves its metrics.
func (p *Process) MetricsURL() string {
	return "http://" + p.metrics + "/metrics"
}

// LoopzURL returns where the operator shows its loop.
func (p *Process) LoopzURL() string {
	return "http://" + p.metrics + loopz.Path
}

// Log returns the path of the operator's log.
func (p *Process) Log() string {
	return p.opts.Log
}

// PID returns the id of the process that runs now, or 0.
func (p *Process) PID() int {
	if cmd, _ := p.current(); cmd != nil && p.Running() {
		return cmd.Process.Pid
	}
	return 0
}

// Start starts the operator and waits until it says that it is ready. If it ends
// before, the error is an [endpoint.ErrEnded].
func (p *Process) Start(ctx context.Context) error {
	if err := p.launch(); err != nil {
		return fmt.Errorf("operator: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if err := endpoint.WaitOK(ctx, "http://"+p.probes+"/readyz", p.Ended()); err != nil {
		return errors.Join(fmt.Errorf("operator: %w (log: %s)", err, p.opts.Log), p.Kill())
	}
	return nil
}

// Stop asks the operator to end, waits until it has, and returns an error if
// it did not end by itself or not with success. Stopping what does not run is
// no error.
func (p *Process) Stop() error {
	cmd, ended := p.current()
	if cmd == nil {
		return nil
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // fails only if it has ended already
	select {
	case <-ended:
	case <-time.After(stopPatience):
		return errors.Join(fmt.Errorf("operator: still there %s after SIGTERM", stopPatience), p.Kill())
	}
	return p.forget()
}

// Kill ends the operator without a warning, as a crash or an OOM kill does,
// and waits until it is gone.
func (p *Process) Kill() error {
	cmd, ended := p.current()
	if cmd == nil {
		return nil
	}
	_ = cmd.Process.Kill()
	<-ended
	_ = p.forget() // that it was killed is no news
	return nil
}

// Ended returns a channel that is closed when the process that runs now ends.
func (p *Process) Ended() <-chan struct{} {
	_, ended := p.current()
	return ended
}

// Running tells whether the operator was started and has not ended.
func (p *Process) Running() bool {
	cmd, ended := p.current()
	if cmd == nil {
		return false
	}
	select {
	case <-ended:
		return false
	default:
		return true
	}
}

// launch starts the process, on a leash and out of the reach of Ctrl-C.
func (p *Process) launch() error {
	log, err := os.OpenFile(p.opts.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(p.opts.Binary, p.args()...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = leash.Attributes()
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	p.mu.Lock()
	p.cmd, p.ended = cmd, ended
	p.mu.Unlock()
	go p.wait(cmd, ended)
	return nil
}

func (p *Process) wait(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	p.err = err
	p.mu.Unlock()
	close(ended)
}

func (p *Process) args() []string {
	own := []string{
		"--kubeconfig=" + p.opts.Kubeconfig,
		"--metrics-bind-address=" + p.metrics,
		"--health-probe-bind-address=" + p.probes,
	}
	return append(own, p.opts.Args...)
}

// current returns the process that was started last and not forgotten, and
// when it ends.
func (p *Process) current() (cmd *exec.Cmd, ended <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd, p.ended
}

// forget lets go of a process that has ended and returns how it did.
func (p *Process) forget() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = nil
	if p.err != nil {
		return fmt.Errorf("operator: ended with %w (log: %s)", p.err, p.opts.Log)
	}
	return nil
}
