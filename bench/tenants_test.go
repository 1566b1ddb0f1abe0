package bench_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"

	"github.com/trimtab/trimtab/queue"
)

// One tenant has 10,000 requests ready; then nine others come with ten each. One
// worker serves them: how many deliveries is it until the nine are through?
func TestTenants(t *testing.T) {
	const many, few, others = 10_000, 10, 9
	all := contestants[request]()
	all[0].new = func() workqueue.TypedRateLimitingInterface[request] {
		return queue.New("", queue.Options[request]{Group: func(r request) string { return r.Namespace }})
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			q := c.new()
			defer q.ShutDown()
			add := func(tenant, n int) {
				for _, r := range requests(n) {
					r.Namespace = fmt.Sprint("tenant-", tenant)
					q.Add(r)
				}
			}
			add(0, many)
			for tenant := range others {
				add(tenant+1, few)
			}
			left, deliveries := others*few, 0
			for ; left > 0; deliveries++ {
				r, _ := q.Get()
				if r.Namespace != "tenant-0" {
					left--
				}
				q.Done(r)
			}
			printScenario(t, "Tenants/by="+c.name, "deliveries", float64(deliveries))
			if c.name == ours {
				require.LessOrEqual(t, deliveries, 100)
			}
		})
	}
}
