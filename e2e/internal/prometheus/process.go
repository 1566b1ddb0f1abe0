package prometheus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/trimtab/trimtab/e2e/internal/endpoint"
	"github.com/trimtab/trimtab/e2e/internal/leash"
)

// ErrMissing says how to get the binary that is missing.
var ErrMissing = errors.New("prometheus: no such command: run make debian, or install Prometheus")

const patience = time.Minute // until it is ready, and until it has ended

// Options configures Start.
type Options struct {
	// Folder takes the configuration, the log and the data; it must exist.
	Folder string

	// Target is the host and port to scrape.
	Target string

	// Namespace and Job are labels of all that is scraped.
	Namespace, Job string

	// Interval is that of scrapes and of the evaluation of rules.
	Interval time.Duration

	// Rules is the path of a rule file. Empty means none.
	Rules string

	// Native lets it scrape native histograms, in place of their classic buckets.
	Native bool
}

// Prometheus is a running Prometheus.
type Prometheus struct {
	promv1.API
	opts  Options
	url   string
	cmd   *exec.Cmd
	ended chan struct{} // closed once cmd has ended and err is set
	err   error
}

// Start starts a Prometheus and waits until it is ready.
func Start(ctx context.Context, opts Options) (*Prometheus, error) {
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		return nil, ErrMissing
	}
	p := &Prometheus{opts: opts, ended: make(chan struct{})}
	free, err := endpoint.Free(1)
	if err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	address := free[0]
	p.url = "http://" + address
	c, err := api.NewClient(api.Config{Address: p.url})
	if err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	p.API = promv1.NewAPI(c)
	if err := p.launch(binary, address); err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := endpoint.WaitOK(ctx, p.url+"/-/ready", p.ended); err != nil {
		return nil, errors.Join(fmt.Errorf("prometheus: %w (log: %s)", err, p.Log()), p.Stop())
	}
	return p, nil
}

// Log returns the path of its log.
func (p *Prometheus) Log() string { return filepath.Join(p.opts.Folder, "prometheus.log") }

// Stop ends it and waits until it has ended.
func (p *Prometheus) Stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // It fails only if it has ended already.
	select {
	case <-p.ended:
		if p.err != nil {
			return fmt.Errorf("prometheus: %w (log: %s)", p.err, p.Log())
		}
		return nil
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.ended
		return fmt.Errorf("prometheus: still there %s after SIGTERM: %w", patience, p.err)
	}
}

func (p *Prometheus) launch(binary, address string) error {
	config := filepath.Join(p.opts.Folder, "prometheus.yml")
	if err := os.WriteFile(config, []byte(p.opts.config()), 0o600); err != nil {
		return err
	}
	log, err := os.Create(p.Log())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	args := []string{
		"--config.file=" + config,
		"--storage.tsdb.path=" + filepath.Join(p.opts.Folder, "data"),
		"--web.listen-address=" + address,
		"--log.level=warn",
	}
	if p.opts.Native {
		args = append(args, "--enable-feature=native-histograms")
	}
	p.cmd = exec.Command(binary, args...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = leash.Attributes()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return nil
}

// config is the configuration. All of it is also JSON, whose strings are quoted as
// Go's.
func (o Options) config() string {
	rules := "[]"
	if o.Rules != "" {
		rules = fmt.Sprintf("[%q]", o.Rules)
	}
	return fmt.Sprintf(`{
  "global": {"scrape_interval": %[1]q, "scrape_timeout": %[1]q, "evaluation_interval": %[1]q},
  "rule_files": %[2]s,
  "scrape_configs": [{"job_name": %[3]q, "static_configs": [{"targets": [%[4]q], "labels": {"namespace": %[5]q}}]}]
}
`, o.Interval, rules, o.Job, o.Target, o.Namespace)
}
