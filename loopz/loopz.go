package loopz

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/trimtab/trimtab"
)

// Path is where AddTo puts the page.
const Path = "/debug/loopz"

// Loop is what the page shows. Every trimtab.TypedLoop is one.
type Loop interface {
	// Status returns what the loop is doing. It is called by one goroutine at a time.
	Status() trimtab.Status
}

// Options configures New. The zero value shows a page without a loop.
type Options struct {
	// Loops are shown in this order.
	Loops []Loop

	// QPS is how many calls in a second the client of the loops makes to the API
	// server for each kind of object, as its rest.Config says. It is for the advice
	// alone. Zero or negative means that the client does not limit itself.
	QPS float64
}

// Validate returns an error that names the first impossible field and its value.
func (o Options) Validate() error {
	for i, loop := range o.Loops {
		if loop == nil || isNil(loop) {
			return fmt.Errorf("loopz: Loops[%d] %v: must be a loop", i, loop)
		}
	}
	if math.IsNaN(o.QPS) {
		return fmt.Errorf("loopz: QPS %v: must be a number", o.QPS)
	}
	return nil
}

func isNil(loop Loop) bool {
	v := reflect.ValueOf(loop)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// New returns a handler of the page and, with the query format=json, of its JSON. It
// answers GET and HEAD at whatever path. It asks nobody who they are: put it behind
// what does. It panics with the error of opts.Validate.
func New(opts Options) http.Handler {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	return &handler{page: sync.OnceValue(newPage), sampler: newSampler(opts)}
}

// AddTo adds the page of loops to the metrics server of mgr, at Path. It must be
// called before mgr starts, and once for each manager: give it all loops. If the
// manager has no metrics server there is no page.
func AddTo(mgr manager.Manager, loops ...Loop) error {
	if mgr == nil {
		return errors.New("loopz: AddTo(nil): the manager must not be nil")
	}
	opts := Options{Loops: loops}
	if config := mgr.GetConfig(); config != nil && config.RateLimiter == nil {
		opts.QPS = float64(config.QPS)
		if config.QPS == 0 {
			opts.QPS = 5 // client-go's default
		}
	}
	if err := opts.Validate(); err != nil {
		return err
	}
	if err := mgr.AddMetricsServerExtraHandler(Path, New(opts)); err != nil {
		return fmt.Errorf("loopz: add the page to the metrics server: %w", err)
	}
	return nil
}
