package otel_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/trimtab/trimtab/otel"
)

func TestValidate(t *testing.T) {
	require.NoError(t, otel.Options{}.Validate())
	require.NoError(t, otel.Options{TracerProvider: newRecorder(), Annotation: "example.com/Trace-Parent"}.Validate())

	opts := otel.Options{TracerProvider: (*sdktrace.TracerProvider)(nil)}
	require.EqualError(t, opts.Validate(), "otel: TracerProvider (*trace.TracerProvider)(nil): must point to a provider")
	opts = otel.Options{Annotation: "trace", DisableLink: true}
	require.EqualError(t, opts.Validate(), `otel: Annotation "trace": must not be set together with DisableLink`)
	opts = otel.Options{Annotation: "a b"}
	require.ErrorContains(t, opts.Validate(), `otel: Annotation "a b": name part must consist of`)
	require.PanicsWithError(t, opts.Validate().Error(), func() { otel.New(opts) })
}
