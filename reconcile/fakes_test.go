package reconcile_test

import (
	"context"
	"fmt"
	"regexp"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/reconcile"
	"github.com/trimtab/trimtab/trigger"
)

var errBoom = fmt.Errorf("boom")

// logLevel is in a line of the log that is no error.
var logLevel = regexp.MustCompile(`"level"=`)

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: name}}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
}

// book is an Observer and a Queue that write down what they are told.
type book struct {
	mu    sync.Mutex
	lines []string

	info    trigger.Info // what Running answers
	known   bool
	phases  trigger.Phases
	ran     trigger.Run
	outcome queue.Outcome

	overdue, overdueMin int
}

func (b *book) write(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

func (b *book) Ran(run trigger.Run) {
	b.write("ran %s %s", run.Info.Sources, run.Class)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.phases, b.ran = run.Phases, run
}

// last returns the last run and its outcome.
func (b *book) last() (trigger.Run, queue.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ran, b.outcome
}

func (b *book) Called(sources trigger.Set, verb, kind string) {
	b.write("called %s %s %s", sources, verb, kind)
}

func (b *book) Panicked() { b.write("panicked") }

func (b *book) Overdue(change int) {
	b.write("overdue %+d", change)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overdue += change
	b.overdueMin = min(b.overdueMin, b.overdue)
}

// overdueNow returns how many runs are overdue.
func (b *book) overdueNow() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overdue
}

func (b *book) WorkerLost() { b.write("worker lost") }

func (b *book) Running(reconcile.Request) (trigger.Info, bool) { return b.info, b.known }

func (b *book) Report(r reconcile.Request, o queue.Outcome) {
	b.write("report %s %s", r.Name, o.Class)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.outcome = o
}

// chain is the default chain around f, told in b.
func chain(b *book, f reconcile.Func) reconcile.Reconciler {
	return reconcile.New[reconcile.Request](f, reconcile.Options[reconcile.Request]{Queue: b, Observer: b, For: &corev1.ConfigMap{}})
}

func returns(result reconcile.Result, err error) reconcile.Func {
	return func(context.Context, reconcile.Request) (reconcile.Result, error) { return result, err }
}

func list() *corev1.ConfigMapList { return &corev1.ConfigMapList{} }

// without returns the lines with a field of the log, "name"="…", taken out.
func without(lines []string, name string) []string {
	out := []string{}
	for _, line := range lines {
		out = append(out, regexp.MustCompile(` "`+name+`"="[^"]*"`).ReplaceAllString(line, ""))
	}
	return out
}
