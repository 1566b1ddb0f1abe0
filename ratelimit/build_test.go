package ratelimit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/ratelimit"
)

// Requests of several shapes.
type (
	namespaced struct{ Namespace, Name string }
	clustered  struct {
		Cluster string
		reconcile.Request
	}
	pointed   struct{ *namespaced }
	numbered  struct{ Namespace int }
	ambiguous struct {
		namespaced
		types.NamespacedName
	}
	kind   string
	ofKind struct{ Namespace kind }
	small  struct{ namespace string } //nolint:unused // Nobody can read it.
)

func TestBuildDelays(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []time.Duration
	}{
		"exponential":  {"exponential: {baseDelay: 1s, factor: 3, maxDelay: 5s}", []time.Duration{time.Second, 3 * time.Second, 5 * time.Second}},
		"fastSlow":     {"fastSlow: {fastDelay: 1s, fastAttempts: 1, slowDelay: 1m}", []time.Duration{time.Second, time.Minute, time.Minute}},
		"constant":     {"constant: {delay: 1s}", []time.Duration{time.Second, time.Second}},
		"capped":       {"capped: {maxDelay: 1s, limiter: {constant: {delay: 1m}}}", []time.Duration{time.Second}},
		"maxOf":        {"maxOf: [{constant: {delay: 1s}}, {exponential: {baseDelay: 500ms}}]", []time.Duration{time.Second, time.Second, 2 * time.Second}},
		"byError":      {"byError: {default: {constant: {delay: 1m}}, classes: {conflict: {constant: {delay: 1s}}}}", []time.Duration{time.Second}},
		"retryAfter":   {"retryAfter: {maxDelay: 10s, limiter: {constant: {delay: 1s}}}", []time.Duration{10 * time.Second}},
		"budget":       {"budget: {limiter: {constant: {delay: 1s}}}", []time.Duration{time.Second}},
		"perNamespace": {"perNamespace: {exponential: {baseDelay: 1s}}", []time.Duration{time.Second, 2 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := ratelimit.ParseConfig([]byte(tt.text))
			require.NoError(t, err)
			l, err := ratelimit.Build[reconcile.Request](c)
			require.NoError(t, err)
			item := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "a", Name: "b"}}
			for _, want := range tt.want {
				require.Equal(t, want, l.WhenError(item, patience(time.Minute), "conflict"))
			}
			l.Forget(item)
			require.Zero(t, l.NumRequeues(item))
		})
	}
}

// patience is an error that asks for a delay.
type patience time.Duration

func (patience) Error() string               { return "not now" }
func (p patience) RetryAfter() time.Duration { return time.Duration(p) }

// Each build counts for itself, and takes nothing from the config.
func TestBuildSharesNothing(t *testing.T) {
	c := ratelimit.Config{Exponential: &ratelimit.ExponentialOptions{}}
	first, err := ratelimit.Build[string](c)
	require.NoError(t, err)
	second, err := ratelimit.Build[string](c)
	require.NoError(t, err)
	first.When("a")
	require.Zero(t, second.NumRequeues("a"))
	c.Exponential.BaseDelay = time.Hour
	require.Equal(t, 5*time.Millisecond, second.When("a"))
}

func TestBuildPerNamespace(t *testing.T) {
	checkGroups(t, namespaced{"a", "1"}, namespaced{"a", "2"}, namespaced{"b", "1"})
	checkGroups(t, clustered{"x", reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "a"}}},
		clustered{"y", reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "a"}}}, clustered{})
	checkGroups(t, pointed{&namespaced{"a", "1"}}, pointed{&namespaced{"a", "2"}}, pointed{})
	checkGroups(t, ofKind{"a"}, ofKind{"a"}, ofKind{"b"})
}

// checkGroups fails unless a and b share a bucket that other does not.
func checkGroups[T comparable](t *testing.T, a, b, other T) {
	t.Helper()
	l, err := ratelimit.Build[T](ratelimit.Config{PerNamespace: &ratelimit.Config{Bucket: &ratelimit.BucketOptions{Burst: 1}}})
	require.NoError(t, err)
	require.Zero(t, l.When(a))
	require.NotZero(t, l.When(b))
	require.Zero(t, l.When(other))
	require.Zero(t, testing.AllocsPerRun(100, func() { l.When(a) }))
}

func TestBuildPerNamespaceOfNothing(t *testing.T) {
	const text = "maxOf:\n- {}\n- byError: {default: {}, classes: {conflict: {perNamespace: {}}}}\n"
	checkNoNamespace[string](t, text, "string")
	checkNoNamespace[*namespaced](t, text, "*ratelimit_test.namespaced")
	checkNoNamespace[numbered](t, text, "ratelimit_test.numbered")
	checkNoNamespace[ambiguous](t, text, "ratelimit_test.ambiguous")
	checkNoNamespace[small](t, text, "ratelimit_test.small")
	checkNoNamespace[any](t, text, "interface {}")
}

func checkNoNamespace[T comparable](t *testing.T, text, name string) {
	t.Helper()
	c, err := ratelimit.ParseConfig([]byte(text))
	require.NoError(t, err)
	want := `ratelimit: maxOf[1].byError.classes["conflict"].perNamespace: the items, ` + name + `, have no field Namespace`
	_, err = ratelimit.Build[T](c)
	require.ErrorContains(t, err, want)
	_, err = ratelimit.NewTunable[T](c)
	require.ErrorContains(t, err, want)
}

// A limiter of each namespace in one of each is odd, and works.
func TestBuildNested(t *testing.T) {
	c := ratelimit.Config{}
	for range 7 {
		c = ratelimit.Config{PerNamespace: &ratelimit.Config{MaxOf: []ratelimit.Config{c}}}
	}
	l, err := ratelimit.Build[namespaced](c)
	require.NoError(t, err)
	l.When(namespaced{"a", "b"})
	require.Equal(t, 1, l.NumRequeues(namespaced{"a", "b"}))
}
