package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"

	"github.com/trimtab/trimtab/e2e/internal/controlplane"
)

// Namespace is where the operator keeps its CA and its Lease.
const Namespace = "certrotator-system"

// Options configures Start.
type Options struct {
	// Folder takes the control plane's files; it must exist.
	Folder string

	// Manifests is the operator's folder of CRDs and roles, as kubebuilder lays
	// it out: crd/bases and rbac.
	Manifests string
}

// Cluster is a running control plane and an administrator's client.
type Cluster struct {
	client.Client
	*controlplane.ControlPlane
	opts Options
}

// Start starts a control plane and gives it what the operator needs. The
// program must have called leash.Become.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	plane, err := controlplane.Start(controlplane.Options{
		Folder: opts.Folder,
		CRDs:   []string{filepath.Join(opts.Manifests, "crd", "bases")},
	})
	if err != nil {
		return nil, err
	}
	c := &Cluster{ControlPlane: plane, opts: opts}
	if err := c.prepare(ctx); err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	return c, nil
}

// CRDs returns the folder of the operator's CRDs.
func (c *Cluster) CRDs() string {
	return filepath.Join(c.opts.Manifests, "crd", "bases")
}

// CreateNamespace creates a namespace.
func (c *Cluster) CreateNamespace(ctx context.Context, name string) error {
	if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

func (c *Cluster) prepare(ctx context.Context) error {
	kinds, err := Scheme()
	if err != nil {
		return err
	}
	if c.Client, err = newClient(c.Config(), kinds); err != nil {
		return err
	}
	if err := c.CreateNamespace(ctx, Namespace); err != nil {
		return err
	}
	return c.createRoles(ctx)
}

// Scheme knows the built-in kinds and the operator's.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(s), certv1.AddToScheme(s)); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return s, nil
}

func newClient(config *rest.Config, kinds *runtime.Scheme) (client.Client, error) {
	c, err := client.New(config, client.Options{Scheme: kinds})
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return c, nil
}
