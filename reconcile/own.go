package reconcile

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/internal/null"
	"github.com/trimtab/trimtab/queue"
)

// ownKind is the kind of the objects that the runs of a chain are for.
type ownKind struct {
	like     client.Object // an object of that kind, or nil
	goType   reflect.Type  // of like
	typeName string        // of goType: reflection takes long to find it
}

// sight is what a call showed of the run's own object.
type sight struct {
	uid        types.UID
	generation int64
	deleting   bool
}

func sightOf(obj client.Object) sight {
	return sight{uid: obj.GetUID(), generation: obj.GetGeneration(), deleting: obj.GetDeletionTimestamp() != nil}
}

// owns reports whether obj, at key, is the object that the run is for. c tells the
// kind of one that does not carry it.
func (r *run) owns(c client.Client, obj client.Object, key client.ObjectKey) bool {
	own := &r.chain.own
	if own.like == nil || key != r.own || null.Is(obj) {
		return false
	}
	if sameKind(obj, own.like) {
		return true
	}
	return (generic(obj) || generic(own.like)) && r.ownKind(c, kindBy(c, obj))
}

// ownKind reports whether the object that the run is for is of that kind.
func (r *run) ownKind(c client.Client, kind schema.GroupKind) bool {
	return kind.Kind != "" && kind == kindBy(c, r.chain.own.like)
}

// sameKind reports whether two objects are of one kind: by the GroupVersionKind
// that both carry, or else by their Go types.
func sameKind(a, b client.Object) bool {
	if kindIn(a) != "" && kindIn(b) != "" {
		return a.GetObjectKind().GroupVersionKind().GroupKind() == b.GetObjectKind().GroupVersionKind().GroupKind()
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b)
}

// generic reports whether the Go type of obj serves objects of any kind.
func generic(obj client.Object) bool {
	switch obj.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return true
	default:
		return false
	}
}

// kindBy returns the kind of obj as the scheme of c knows it, and none if it does not.
func kindBy(c client.Client, obj runtime.Object) schema.GroupKind {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return schema.GroupKind{}
	}
	return gvk.GroupKind()
}

// read notes that the run read its own object. What it wrote before tells nothing
// new, and must not hide what it acted on. Its callers hold the lock.
func (r *run) read(s sight) {
	o := r.look(s)
	if o.Generation == 0 || s.generation != o.Written {
		o.Generation = s.generation
	}
}

// wrote notes that the run wrote its own object, whose generation was before. If
// that is unknown, zero, it is what the run last knew. A generation that stays is
// not the run's: somebody else made it.
func (r *run) wrote(s sight, before int64) {
	r.learn(s, func(o *queue.Object) {
		if before == 0 {
			before = max(o.Generation, o.Written)
		}
		if s.generation != before {
			o.Written = s.generation
		}
	})
}

// met notes that a call showed the run its own object, and nothing of whose
// generation that is: a status write may return one that a user has just made.
func (r *run) met(s sight) { r.learn(s, func(*queue.Object) {}) }

func (r *run) learn(s sight, more func(*queue.Object)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		more(r.look(s))
	}
}

// look notes what any look at the run's own object shows. Its callers hold the lock.
func (r *run) look(s sight) *queue.Object {
	o := &r.object
	if s.uid != "" && s.uid != o.UID {
		if o.UID != "" { // Another one has taken its name.
			*o, r.free = queue.Object{}, false
		}
		o.UID = s.uid
	}
	o.Found, o.Gone = !r.free, r.free // A cache may still show what the run has let go.
	o.Deleting = o.Deleting || s.deleting
	return o
}

// deleted notes that the run deleted its own object.
func (r *run) deleted() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.object.Deleting = true
	}
}

// missed notes that a call failed with err, since the run's own object is gone.
func (r *run) missed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.gone = append(r.gone, err)
		r.object.Found, r.object.Gone = false, true
	}
}

// released notes that the run's own object was deleted and has no finalizer left.
func (r *run) released() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = true
	r.object.Found, r.object.Gone = false, true
}

func (r *run) isReleased() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.free
}

// applied returns what an apply of the run's own object showed of it, and false if
// it was another object's: the answer of the server is in the configuration.
func (r *run) applied(c client.Client, config runtime.ApplyConfiguration) (sight, bool) {
	if r.chain.own.like == nil || null.Is(config) {
		return sight{}, false
	}
	if obj, ok := config.(client.Object); ok { // of an unstructured object
		return sightOf(obj), keyOf(obj) == r.own && r.ownKind(c, obj.GetObjectKind().GroupVersionKind().GroupKind())
	}
	named, ok := config.(interface {
		GetName() *string
		GetKind() *string
		GetAPIVersion() *string
	})
	if !ok {
		return sight{}, false
	}
	key := client.ObjectKey{Name: value(named.GetName())}
	if spaced, ok := config.(interface{ GetNamespace() *string }); ok {
		key.Namespace = value(spaced.GetNamespace())
	}
	gvk := schema.FromAPIVersionAndKind(value(named.GetAPIVersion()), value(named.GetKind()))
	if key != r.own || !r.ownKind(c, gvk.GroupKind()) {
		return sight{}, false
	}
	return sightOfConfig(config), true
}

// sightOfConfig reads the metadata that every generated configuration embeds.
func sightOfConfig(config runtime.ApplyConfiguration) sight {
	v := reflect.Indirect(reflect.ValueOf(config))
	if v.Kind() != reflect.Struct {
		return sight{}
	}
	field := v.FieldByName("ObjectMetaApplyConfiguration")
	if !field.IsValid() {
		return sight{}
	}
	meta, _ := reflect.TypeAssert[*metav1ac.ObjectMetaApplyConfiguration](field)
	if meta == nil {
		return sight{}
	}
	return sight{uid: value(meta.UID), generation: value(meta.Generation), deleting: meta.DeletionTimestamp != nil}
}

func value[V any](p *V) V {
	if p == nil {
		return *new(V)
	}
	return *p
}
