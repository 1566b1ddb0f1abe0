package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/trimtab/trimtab/e2e/internal/leash"
)

// ErrNoAssets says how to get the binaries that are missing.
var ErrNoAssets = errors.New("KUBEBUILDER_ASSETS is not set: run make demo or make test, " +
	"or set KUBEBUILDER_ASSETS=$(go -C hack/controlplane run .)")

// patience bounds the start and the stop of either process: two busy cores
// are slow.
const patience = time.Minute

// auditPolicy logs every write but no body. Reads are not logged.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// Options configures Start.
type Options struct {
	// Folder takes the kubeconfig files, logs and data; it must exist.
	Folder string

	// CRDs are files or folders of CustomResourceDefinitions to install.
	CRDs []string
}

// ControlPlane is a running API server with its etcd.
type ControlPlane struct {
	opts Options
	env  *envtest.Environment
	logs []*os.File
}

// Start starts etcd and the API server and installs the CRDs. The program must
// have called leash.Become.
func Start(opts Options) (*ControlPlane, error) {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		return nil, ErrNoAssets
	}
	c := &ControlPlane{opts: opts}
	if err := c.configure(assets); err != nil {
		return nil, err
	}
	if _, err := c.env.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("controlplane: %w (logs in %s)", err, opts.Folder), c.Stop())
	}
	if err := c.write("admin.kubeconfig", c.env.KubeConfig); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// Config returns how to reach the API server as an administrator, without a
// client-side rate limit.
func (c *ControlPlane) Config() *rest.Config {
	config := rest.CopyConfig(c.env.Config)
	config.QPS = -1
	return config
}

// Kubeconfig returns the path of the administrator's kubeconfig file.
func (c *ControlPlane) Kubeconfig() string {
	return c.path("admin.kubeconfig")
}

// AuditLog returns the path of the API server's audit log: every write, one
// JSON object a line.
func (c *ControlPlane) AuditLog() string {
	return c.path("audit.log")
}

// AddUser makes a user without any rights and returns the path of its
// kubeconfig file and how to reach the API server as that user.
func (c *ControlPlane) AddUser(name string) (kubeconfig string, config *rest.Config, err error) {
	user, err := c.env.AddUser(envtest.User{Name: name}, &rest.Config{QPS: -1})
	if err != nil {
		return "", nil, fmt.Errorf("controlplane: user %s: %w", name, err)
	}
	content, err := user.KubeConfig()
	if err != nil {
		return "", nil, fmt.Errorf("controlplane: user %s: %w", name, err)
	}
	if _, err := clientcmd.Load(content); err != nil {
		return "", nil, fmt.Errorf("controlplane: user %s: %w", name, err)
	}
	file := name + ".kubeconfig"
	return c.path(file), user.Config(), c.write(file, content)
}

// Stop ends the API server and etcd and waits until they are gone.
func (c *ControlPlane) Stop() error {
	err := c.env.Stop()
	for _, log := range c.logs {
		err = errors.Join(err, log.Close())
	}
	return err
}

// configure prepares both processes: on a leash, logging to files, and with
// the short cuts that are safe when nothing has to survive a power cut.
func (c *ControlPlane) configure(assets string) error {
	if err := leash.Alias(c.opts.Folder, assets, "etcd", "kube-apiserver"); err != nil {
		return err
	}
	c.env = &envtest.Environment{
		CRDDirectoryPaths:        c.opts.CRDs,
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: patience,
		ControlPlaneStopTimeout:  patience,
	}
	if err := c.configureEtcd(); err != nil {
		return err
	}
	return c.configureServer()
}

func (c *ControlPlane) configureEtcd() error {
	log, err := c.log("etcd.log")
	if err != nil {
		return err
	}
	data, err := c.subfolder("data")
	if err != nil {
		return err
	}
	etcd := &envtest.Etcd{Path: c.path("etcd"), DataDir: data, Out: log, Err: log}
	etcd.Configure().Set("unsafe-no-fsync", "true").Set("log-level", "warn")
	c.env.ControlPlane.Etcd = etcd
	return nil
}

func (c *ControlPlane) configureServer() error {
	log, err := c.log("kube-apiserver.log")
	if err != nil {
		return err
	}
	if err := c.write("audit-policy.yaml", []byte(auditPolicy)); err != nil {
		return err
	}
	server := c.env.ControlPlane.GetAPIServer()
	server.Path, server.Out, server.Err = c.path("kube-apiserver"), log, log
	if server.CertDir, err = c.subfolder("certificates"); err != nil {
		return err
	}
	server.Configure().
		Set("audit-policy-file", c.path("audit-policy.yaml")).
		Set("audit-log-path", c.AuditLog()).
		Set("profiling", "false")
	return nil
}

func (c *ControlPlane) log(name string) (*os.File, error) {
	file, err := os.Create(c.path(name))
	if err != nil {
		return nil, fmt.Errorf("controlplane: %w", err)
	}
	c.logs = append(c.logs, file)
	return file, nil
}

func (c *ControlPlane) subfolder(name string) (string, error) {
	if err := os.Mkdir(c.path(name), 0o700); err != nil {
		return "", fmt.Errorf("controlplane: %w", err)
	}
	return c.path(name), nil
}

func (c *ControlPlane) write(name string, content []byte) error {
	if err := os.WriteFile(c.path(name), content, 0o600); err != nil {
		return fmt.Errorf("controlplane: %w", err)
	}
	return nil
}

func (c *ControlPlane) path(name string) string {
	return filepath.Join(c.opts.Folder, name)
}
