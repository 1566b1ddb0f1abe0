package otel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

// What is unknown is left out.
func TestAttributes(t *testing.T) {
	type remote struct{ Cluster, Name string }
	for name, tc := range map[string]struct {
		req  any
		info trigger.Info
		want map[attribute.Key]any
	}{
		"nothing known":    {nil, trigger.Info{}, map[attribute.Key]any{"trimtab.request": "<nil>"}},
		"another queue":    {web, trigger.Info{Started: time.Now()}, map[attribute.Key]any{"trimtab.request": "shop/web", "k8s.namespace.name": "shop"}},
		"custom request":   {remote{"eu", "web"}, trigger.Info{}, map[attribute.Key]any{"trimtab.request": "{eu web}"}},
		"no limiter":       {"k", trigger.Info{Added: time.Now()}, map[attribute.Key]any{"trimtab.request": "k", "trimtab.priority": int64(0)}},
		"panicking String": {panicky{}, trigger.Info{}, map[attribute.Key]any{"trimtab.request": "%!v(PANIC=String method: x)"}},
		"no namespace": {
			reconcile.Request{NamespacedName: types.NamespacedName{Name: "node"}},
			trigger.Info{Added: time.Now(), Attempt: 1},
			map[attribute.Key]any{"trimtab.request": "/node", "trimtab.attempt": int64(1), "trimtab.priority": int64(0)},
		},
	} {
		r := newRecorder()
		traced(otel.Options{TracerProvider: r}, tc.req, tc.info, trigger.Run{}, nil)
		require.Equal(t, tc.want, attributes(r.named(t, "reconcile")), name)
	}
}

type panicky struct{}

func (panicky) String() string { panic("x") }
