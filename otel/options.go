package otel

import (
	"fmt"
	"reflect"
	"strings"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Options configures New. The zero value is the default.
type Options struct {
	// TracerProvider makes the spans of the runs. Nil means the global one, which is
	// looked up for every run: it may be set, or replaced, at any time.
	TracerProvider trace.TracerProvider

	// Name is the name of the controller, for the attribute trimtab.controller.
	// Empty means that the spans do not have it.
	Name string

	// Annotation is the key of the annotation in which an object carries the
	// traceparent of who wrote it. Empty means "traceparent".
	Annotation string

	// DisableLink turns off the link to that traceparent.
	DisableLink bool
}

// Validate returns an error that names the first impossible field and its value.
func (o Options) Validate() error {
	if v := reflect.ValueOf(o.TracerProvider); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("otel: TracerProvider (%T)(nil): must point to a provider", o.TracerProvider)
	}
	if o.Annotation == "" {
		return nil
	}
	if o.DisableLink {
		return fmt.Errorf("otel: Annotation %q: must not be set together with DisableLink", o.Annotation)
	}
	if problems := validation.IsQualifiedName(strings.ToLower(o.Annotation)); len(problems) > 0 {
		return fmt.Errorf("otel: Annotation %q: %s", o.Annotation, problems[0])
	}
	return nil
}
