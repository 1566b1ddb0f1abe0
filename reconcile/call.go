package reconcile

import (
	"context"
	"errors"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
)

// call is a client call that may belong to a run.
type call struct {
	kind        kind
	verb        string
	obj         any
	subresource string // or ""

	run     *run        // nil if it belongs to none
	err     error       // what it returned
	traced  func(error) // nil if nobody traces it
	readOwn bool        // it has read the run's own object
	own     sight       // what that was like
}

// begin notes that the run of ctx, if that is one's, calls the API server, and returns
// the context for that. changes is whether the call may change something there: it is
// no read, and no dry run.
func (c *call) begin(ctx context.Context, changes bool) context.Context {
	r := runFrom(ctx)
	if r == nil || !r.enter(c.kind, changes, r.now()) {
		return ctx
	}
	c.run, c.err = r, errBroken
	if r.chain.tracer != nil {
		ctx, c.traced = r.chain.traceCall(ctx, c.kind.String(), c.verb, c.name())
	}
	return ctx
}

// errBroken is the error of a call that does not return.
var errBroken = errors.New("reconcile: the client panicked, or called runtime.Goexit")

// end notes that the call has ended. It is deferred: a call that panics, and whose
// run goes on, must not stay in flight.
func (c *call) end(ctx context.Context) {
	if c.run == nil {
		return
	}
	if c.run.leave(c, c.run.now()) {
		c.run.chain.called(ctx, c.run.info.Sources, c.verb, c.name())
	}
	untraceCall(ctx, c.traced, c.err)
}

// name returns on what kind of object the call is.
func (c *call) name() string {
	kind := c.run.chain.own.kindOf(c.obj)
	switch c.verb {
	case "list":
		kind = strings.TrimSuffix(kind, "List")
	case "apply":
		kind = strings.TrimSuffix(kind, "ApplyConfiguration")
	}
	if c.subresource == "" {
		return kind
	}
	return c.run.chain.names.of(subresource{kind, c.subresource})
}

// onOwn reports whether the call was on the run's own object, and notes if that
// turned out to be gone.
func (c *call) onOwn(kinds client.Client, obj client.Object, key client.ObjectKey) bool {
	if c.run == nil || !c.run.owns(kinds, obj, key) {
		return false
	}
	if c.err != nil && apierrors.IsNotFound(c.err) {
		c.run.missed(c.err)
	}
	return true
}

// wrote notes what a write of an object, whose generation was before, showed of it. A
// dry run shows nothing.
func (c *call) wrote(kinds client.Client, obj client.Object, before int64, dry bool) {
	if !c.onOwn(kinds, obj, keyOf(obj)) || c.err != nil || dry {
		return
	}
	s := sightOf(obj)
	c.run.wrote(s, before)
	if s.deleting && len(obj.GetFinalizers()) == 0 {
		c.run.released()
	}
}

// generation returns the generation of an object that is about to be written.
func (c *call) generation(obj client.Object) int64 {
	if c.run == nil || c.run.chain.own.like == nil || null.Is(obj) {
		return 0
	}
	return obj.GetGeneration()
}

func keyOf(obj client.Object) client.ObjectKey {
	if null.Is(obj) {
		return client.ObjectKey{}
	}
	return client.ObjectKeyFromObject(obj)
}

// kindOf returns the kind of an object, a list or an apply configuration: what it
// says, or else its Go type's name, which is the same for generated types and costs no
// look-up in a scheme.
func (own *ownKind) kindOf(obj any) string {
	if null.Is(obj) {
		return "unknown"
	}
	if o, ok := obj.(runtime.Object); ok {
		if k := kindIn(o); k != "" {
			return k
		}
	}
	t := reflect.TypeOf(obj)
	if t == own.goType {
		return own.typeName
	}
	return typeName(t)
}

// typeName returns the name of a Go type, or of that which it points to.
func typeName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// kindIn returns the kind that an object says it is of, or "".
func kindIn(obj runtime.Object) string {
	if t, ok := obj.GetObjectKind().(*metav1.TypeMeta); ok { // of any generated type
		return t.Kind // without a look at its group
	}
	return obj.GetObjectKind().GroupVersionKind().Kind
}
