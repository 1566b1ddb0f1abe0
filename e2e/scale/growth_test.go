package scale_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What no clock is needed for holds of small fleets, too: a fleet of three times the
// size has the same series and calls of the API server, and needs as many allocations
// and as much heap for each object.
func TestFleetGrowth(t *testing.T) {
	small, large := serveFleet(t, 1000), serveFleet(t, 3000)

	require.Equal(t, small["metrics"]["series"], large["metrics"]["series"])
	require.Positive(t, small["metrics"]["series"])
	require.Equal(t, small["start"]["calls"], large["start"]["calls"], "the cache lists and watches")
	for _, resync := range []string{"dropped", "queued"} {
		require.Zero(t, large[resync]["calls"], "a %s resync asks the cache", resync)
	}
	require.Less(t, large["dropped"]["allocs/object"], 20.0, "no run")
	require.Greater(t, large["queued"]["allocs/object"], 50.0, "a run for each object")
	require.InEpsilon(t, small["queued"]["allocs/object"], large["queued"]["allocs/object"], 0.2)
	require.Less(t, large["start"]["live-B/object"], 1.2*small["start"]["live-B/object"])
	for _, users := range []string{"users-resync", "users-ticker"} {
		require.Positive(t, large[users]["changes"], users)
	}
}

// serveFleet creates a fleet and has an operator serve it, and another one that has a
// ticker.
func serveFleet(t *testing.T, objects int) map[string]measures {
	t.Helper()
	s := fleetSize{objects: objects}
	create(t, objects)
	first := do(t, job{By: ours, Objects: s.job(full, func(j *objectsJob) { j.Mark = mark() })})
	require.GreaterOrEqual(t, first["start"]["calls"], float64(objects), "each status is written")
	found := do(t, job{By: ours, Objects: s.job(full, func(j *objectsJob) {
		j.Resync, j.Resyncs, j.Users = 2*time.Second, 1, 2*time.Second
	})})
	ticks := do(t, job{By: ours, Objects: s.job(full, func(j *objectsJob) { j.Ticker, j.Users = time.Second, time.Second })})
	found["users-ticker"] = ticks["users-ticker"]
	return found
}

// The heap of a fleet falls with what its cache leaves out.
func TestFleetForms(t *testing.T) {
	const objects = 1000
	s := fleetSize{objects: objects}
	create(t, objects)
	live := map[string]float64{}
	for _, form := range []string{full, stripped, metadata, least} {
		live[form] = do(t, job{By: ours, Objects: s.job(form, nil)})["start"]["MB-live"]
	}
	require.Less(t, live[stripped], live[full])
	require.Less(t, live[least], live[metadata])
	require.Less(t, live[least], live[stripped])
}

// Each contestant does the same, so that they can be compared.
func TestFleetOfControllerRuntime(t *testing.T) {
	const objects = 1000
	s := fleetSize{objects: objects}
	create(t, objects)
	found := do(t, job{By: stock, Objects: s.job(full, func(j *objectsJob) {
		j.Resync, j.Resyncs, j.Users = time.Second, 1, 2*time.Second
	})})
	require.Zero(t, found["queued"]["calls"])
	require.Less(t, found["dropped"]["allocs/object"], 20.0)
	require.Greater(t, found["queued"]["allocs/object"], 50.0)
	require.Positive(t, found["users-resync"]["changes"])
}

// A queue that was ten times as long, and in which each request has failed, has the same
// series and names as many requests, and a look at it allocates as much.
func TestBacklogGrowth(t *testing.T) {
	small := do(t, job{By: ours, Keys: &keysJob{Keys: 1000}})["keys"]
	large := do(t, job{By: ours, Keys: &keysJob{Keys: 10_000}})["keys"]
	for _, unit := range []string{"series", "named", "status-named"} {
		require.Equal(t, small[unit], large[unit], unit)
		require.Positive(t, large[unit], unit)
	}
	require.InDelta(t, small["allocs-status"], large["allocs-status"], 20)
	require.Less(t, large["live-B/key"], small["live-B/key"])
	require.Less(t, large["MB-left"], 2.0, "of %.1f MB that were queued", 10_000*large["live-B/key"]/megabyte)

	theirs := do(t, job{By: stock, Keys: &keysJob{Keys: 1000}})["keys"]
	require.Positive(t, theirs["s-failing"])
	require.NotContains(t, theirs, "named")
}
