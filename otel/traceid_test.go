package otel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/trimtab/trimtab/otel"
	"github.com/trimtab/trimtab/trigger"
)

// RC05: the id is that of the run's trace, and empty if nobody could look it up.
func TestTraceID_RC05(t *testing.T) {
	require.Empty(t, otel.TraceID(t.Context()))
	for name, tc := range map[string]struct {
		sampler sdktrace.Sampler
		sampled bool
	}{
		"sampled":     {sdktrace.AlwaysSample(), true},
		"not sampled": {sdktrace.NeverSample(), false},
	} {
		r := newRecorder(sdktrace.WithSampler(tc.sampler))
		id := "unset"
		trip(t.Context(), otel.New(otel.Options{TracerProvider: r}), "k", trigger.Info{}, func(ctx context.Context) (trigger.Run, error) {
			id = otel.TraceID(ctx)
			return trigger.Run{}, nil
		})
		if tc.sampled {
			require.Equal(t, r.named(t, "reconcile").SpanContext().TraceID().String(), id, name)
		} else {
			require.Empty(t, id, name)
		}
	}
}
