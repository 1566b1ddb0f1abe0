package e2e_test

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

// world is what all tests share; TestMain can hand it to them in no other way.
var world struct {
	*cluster.Cluster
	binary      string            // of the operator
	kubeconfigs map[string]string // by the operator's user
}

// The users that operators run as.
const (
	userA = "rotator-a"
	userB = "rotator-b"
)

func TestMain(m *testing.M) {
	leash.Become()
	ctrl.SetLogger(logr.Discard())
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// runTests runs all tests on one control plane.
func runTests(m *testing.M) (code int, err error) {
	ctx := context.Background()
	world.binary = os.Getenv("TRIMTAB_OPERATOR")
	if world.binary == "" {
		return 0, errors.New("TRIMTAB_OPERATOR is not set: run make e2e, or set it to the operator's binary")
	}
	folder, err := os.MkdirTemp("", "trimtab-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil { // else the logs are worth a look
			err = os.RemoveAll(folder)
		}
	}()

	opts := cluster.Options{Folder: folder, Manifests: "../examples/certrotator/config"}
	if world.Cluster, err = cluster.Start(ctx, opts); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, world.Stop()) }()

	world.kubeconfigs = map[string]string{}
	for _, user := range []string{userA, userB} {
		if world.kubeconfigs[user], err = world.AddOperator(ctx, user); err != nil {
			return 0, err
		}
	}
	return m.Run(), nil
}
