package requeue_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/requeue"
)

var (
	errA     = errors.New("a")
	errB     = errors.New("b")
	terminal = reconcile.TerminalError(nil)
)

func TestMerge_RQ11(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "things"}, "x")
	ended := reconcile.TerminalError(errB)
	for name, tt := range map[string]struct {
		results  results
		errs     []error
		want     reconcile.Result
		text     string // of the error, "" for none
		terminal bool
	}{
		"nothing":               {nil, nil, in(0), "", false},
		"delays":                {results{in(0), in(5 * time.Minute), in(30 * time.Second)}, nil, in(30 * time.Second), "", false},
		"nil errors":            {results{inAt(time.Hour, 4)}, []error{nil, nil}, inAt(time.Hour, 4), "", false},
		"errors, delays":        {results{in(5 * time.Minute), in(-1)}, []error{nil, errA, errB}, requeue.Now(), "a\nb", false},
		"errors alone":          {nil, []error{errA, gone}, in(0), "a\nthings \"x\" not found", false},
		"one error":             {results{in(time.Hour)}, []error{errA}, in(time.Hour), "a", false},
		"priority for a retry":  {results{in(0), inAt(0, 4)}, []error{errA}, inAt(0, 4), "a", false},
		"one is terminal":       {results{in(time.Hour)}, []error{errA, ended}, in(time.Hour), "a\nterminal error: b", false},
		"wrapped terminal":      {nil, []error{errA, fmt.Errorf("x: %w", ended)}, in(0), "a\nx: terminal error: b", false},
		"all terminal":          {results{in(time.Hour)}, []error{ended, nil, reconcile.TerminalError(errA)}, in(time.Hour), "terminal error: b\nterminal error: a", true},
		"the only one terminal": {nil, []error{nil, ended}, in(0), "terminal error: b", true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := requeue.Merge(tt.results, tt.errs)
			require.Equal(t, tt.want, got)
			if tt.text == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.text)
			require.Equal(t, tt.terminal, errors.Is(err, terminal))
			require.Equal(t, tt.terminal, errors.Is(fmt.Errorf("wrapped: %w", err), terminal))
			for _, want := range []error{errA, errB, gone} {
				require.Equal(t, errors.Is(errors.Join(tt.errs...), want), errors.Is(err, want), "%v", want)
			}
			require.Equal(t, apierrors.IsNotFound(errors.Join(tt.errs...)), apierrors.IsNotFound(err))
			require.NotErrorIs(t, err, errors.New("another"))
		})
	}
}

// A merge of merges is one.
func TestMergeNested_RQ11(t *testing.T) {
	inner, err := requeue.Merge(results{in(time.Hour)}, []error{errA, reconcile.TerminalError(errB)})
	got, outer := requeue.Merge(results{inner, in(2 * time.Hour)}, []error{err})
	require.Equal(t, in(time.Hour), got)
	require.ErrorIs(t, outer, errB)
	require.NotErrorIs(t, outer, terminal)
}

func TestMergeAllocs(t *testing.T) {
	r, errs := results{in(time.Hour), in(0)}, []error{nil, nil}
	require.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = requeue.Merge(r, errs) }))
}
