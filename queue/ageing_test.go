package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
)

// urgent keeps n requests of the default priority ready, takes one, and adds it
// again: a flood that never ends.
type urgent struct {
	q *queue.Queue[string]
	n int
}

func (u *urgent) add() {
	u.n++
	u.q.Add(fmt.Sprint("urgent", u.n))
}

// served takes n requests while the flood goes on, and returns the place of each
// that is not of the flood.
func (u *urgent) served(t *testing.T, n int) map[string]int {
	t.Helper()
	places := map[string]int{}
	for i := range n {
		u.add()
		key, _ := take(t, u.q)
		u.q.Done(key)
		if key[:2] != "ur" {
			places[key] = i
		}
	}
	return places
}

// What waits for longer than MaxWait gets one delivery in AgedShare, the oldest
// first, whatever the priority: a share, never precedence.
func TestAgedRequestsGetTheirShare(t *testing.T) {
	for _, tc := range []struct {
		name   string
		opts   queue.Options[string]
		age    time.Duration
		served map[string]int
	}{
		{"not yet old", queue.Options[string]{}, 30*time.Second - 1, map[string]int{}},
		{"old by default", queue.Options[string]{}, 30 * time.Second, map[string]int{"low": 3, "lower": 7, "mid": 11}},
		{"MaxWait", queue.Options[string]{MaxWait: time.Second}, time.Second, map[string]int{"low": 3, "lower": 7, "mid": 11}},
		{"AgedShare", queue.Options[string]{AgedShare: 2}, 30 * time.Second, map[string]int{"low": 1, "lower": 3, "mid": 5}},
		{"first come, first served", queue.Options[string]{AgedShare: 1}, 30 * time.Second, map[string]int{"low": 0, "lower": 1, "mid": 2}},
		{"off", queue.Options[string]{DisableAgeing: true}, time.Hour, map[string]int{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue.New("test", tc.opts)
				defer q.ShutDown()
				q.Add("first")
				takeKey(t, q, "first") // From here on workers ask.
				q.Done("first")
				q.AddWithOpts(at(-100), "low")
				sleep(1)
				q.AddWithOpts(at(-200), "lower")
				sleep(1)
				q.AddWithOpts(at(-10), "mid")
				sleep(tc.age - 2)
				u := &urgent{q: q}
				for range 3 {
					u.add()
				}
				if len(tc.served) > 0 {
					sleep(2) // All three are old.
				}
				require.Equal(t, tc.served, u.served(t, 20))
			})
		})
	}
}

// Where all became ready at one instant, as an initial list may, the higher
// priority does not take the share of the lower one.
func TestAgedAtOneInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{})
		defer q.ShutDown()
		q.AddWithOpts(at(-100), "low")
		for i := range 10 {
			q.Add(fmt.Sprint("urgent", i))
		}
		takeKey(t, q, "urgent0")
		sleep(30 * time.Second)
		takeKey(t, q, "urgent1")
		takeKey(t, q, "urgent2")
		takeKey(t, q, "urgent3")
		takeKey(t, q, "low")
	})
}

// The share counts from when there is something aged: what has just become old
// doesn't come at once, though thousands of deliveries went before.
func TestAgedShareIsNoPrecedence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{})
		defer q.ShutDown()
		u := &urgent{q: q}
		u.add()
		require.Empty(t, u.served(t, 100))
		sleep(1)
		q.AddWithOpts(at(-100), "one", "two")
		sleep(time.Minute)
		// The flood's own first request is the oldest of all: the line is not
		// served ahead of it, nor does it count as a turn.
		require.Equal(t, map[string]int{"one": 4, "two": 8}, u.served(t, 20))
		q.AddWithOpts(at(-100), "three")
		require.Empty(t, u.served(t, 100))
	})
}

// Ageing starts with the first Get: a warm standby has nothing that is old.
func TestAgeingStartsWithTheFirstGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{})
		defer q.ShutDown()
		q.AddWithOpts(at(-100), "low")
		sleep(time.Hour)
		u := &urgent{q: q}
		u.add()
		require.Empty(t, u.served(t, 20))
		sleep(30 * time.Second)
		require.Equal(t, map[string]int{"low": 3}, u.served(t, 20))
	})
}

// What comes by its age keeps its own priority, which the controller echoes.
func TestAgedRequestKeepsItsPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{AgedShare: 1})
		defer q.ShutDown()
		q.Add("first")
		takeKey(t, q, "first")
		q.AddWithOpts(at(-100), "low")
		sleep(time.Minute)
		q.Add("urgent")
		require.Equal(t, -100, takeKey(t, q, "low"))
		require.Equal(t, 0, takeKey(t, q, "urgent"))
	})
}
