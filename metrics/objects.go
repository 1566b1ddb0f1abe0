package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// objects is the only series with the names of objects. They are made anew for each
// scrape: an object that has left the state has none.
type objects struct{ requeues, busy *prometheus.Desc }

func newObjects() objects {
	object := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, []string{labelController, "object"}, nil)
	}
	return objects{
		requeues: object("object_requeues", "Requeues of the objects that were requeued most, at the least; halved every ten minutes, so that it falls when they stop."),
		busy:     object("object_busy_seconds", "Seconds that runs took for the objects for which they took most, at the least; halved every ten minutes, so that it falls when they stop."),
	}
}

func (o *objects) describe(ch chan<- *prometheus.Desc) {
	ch <- o.requeues
	ch <- o.busy
}

// collect sends the k objects of each kind.
func (o *objects) collect(ch chan<- prometheus.Metric, controller string, s State, k int) {
	requeues := make(map[string]float64, len(s.Hot))
	for _, h := range s.Hot {
		requeues[valid(h.Object)] += float64(h.Requeues)
	}
	send(ch, o.requeues, controller, requeues, k)
	busy := make(map[string]float64, len(s.Busiest))
	for _, b := range s.Busiest {
		busy[valid(b.Object)] += b.Time.Seconds()
	}
	send(ch, o.busy, controller, busy, k)
}

// send sends the k largest, by name as a family does. The map has made one of the
// objects that look the same in a label: a series that is there twice fails the whole
// scrape.
func send(ch chan<- prometheus.Metric, desc *prometheus.Desc, controller string, weights map[string]float64, k int) {
	names := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	names = names[:min(k, len(names))]
	slices.Sort(names)
	for _, name := range names {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, weights[name], controller, name)
	}
}
