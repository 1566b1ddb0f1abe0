package otel_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/trigger"
)

// What is unknown, of no length or impossible has no span, and the others stay within
// the first one.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		at := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
		for name, tc := range map[string]struct {
			info  trigger.Info
			want  []string
			start time.Time
		}{
			"all":             {trigger.Info{Added: at(-9), Ready: at(-6), OwnRun: 1, Started: now}, []string{"delay", "own run", "wait"}, at(-9)},
			"none known":      {trigger.Info{}, nil, now},
			"only the start":  {trigger.Info{Started: at(-1)}, nil, at(-1)},
			"only added":      {trigger.Info{Added: at(-2), Started: at(-1)}, nil, at(-2)},
			"only ready":      {trigger.Info{Ready: at(-2), Started: at(-1)}, nil, at(-1)},
			"at once":         {trigger.Info{Added: now, Ready: now, Started: now}, nil, now},
			"no wait":         {trigger.Info{Added: at(-3), Ready: now, Started: now}, []string{"delay"}, at(-3)},
			"no delay":        {trigger.Info{Added: at(-3), Ready: at(-3), Started: now}, []string{"wait"}, at(-3)},
			"own run only":    {trigger.Info{Added: at(-3), Ready: at(-3), OwnRun: 3 * time.Second, Started: now}, []string{"own run"}, at(-3)},
			"own run too big": {trigger.Info{Added: at(-3), Ready: at(-2), OwnRun: math.MaxInt64, Started: now}, []string{"delay", "own run"}, at(-3)},
			"own run below 0": {trigger.Info{Added: at(-3), Ready: at(-2), OwnRun: -1, Started: now}, []string{"delay", "wait"}, at(-3)},
			"added too late":  {trigger.Info{Added: at(5), Ready: at(5), Started: now}, nil, now},
			"ready too late":  {trigger.Info{Added: at(-3), Ready: at(5), Started: now}, []string{"delay"}, at(-3)},
			"ready too early": {trigger.Info{Added: at(-3), Ready: at(-5), Started: now}, []string{"wait"}, at(-3)},
			"start to come":   {trigger.Info{Started: at(5)}, nil, at(5)},
		} {
			r := newRecorder()
			traced(otel.Options{TracerProvider: r}, "k", tc.info, trigger.Run{}, nil)
			require.Equal(t, append(tc.want, "run", "reconcile"), r.names(), name)
			root := r.named(t, "reconcile")
			require.True(t, tc.start.Equal(root.StartTime()), name)
			for _, span := range r.spans.Ended() {
				require.False(t, span.StartTime().Before(root.StartTime()), name)
				require.False(t, span.EndTime().After(root.EndTime()), name)
				require.False(t, span.EndTime().Before(span.StartTime()), name)
			}
		}
	})
}
