package scale_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/trimtab/trimtab/e2e/internal/cluster"
	"github.com/trimtab/trimtab/e2e/internal/leash"
)

// world is the control plane that all share; TestMain can hand it to them in no other
// way.
var world *cluster.Cluster

func TestMain(m *testing.M) {
	leash.Become()
	ctrl.SetLogger(logr.Discard())
	if isChild() {
		os.Exit(work(context.Background()))
	}
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		code = 1
	}
	os.Exit(code)
}

// runTests runs all tests on one control plane.
func runTests(m *testing.M) (code int, err error) {
	folder, err := os.MkdirTemp("", "trimtab-scale-")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil { // else the logs are worth a look
			err = os.RemoveAll(folder)
		}
	}()
	opts := cluster.Options{Folder: folder, Manifests: "../../examples/certrotator/config"}
	if world, err = cluster.Start(context.Background(), opts); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, world.Stop()) }()
	return m.Run(), nil
}
