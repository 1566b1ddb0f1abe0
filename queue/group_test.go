package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/queue"
)

// namespace is the group of a key such as "ns/name".
func namespace(key string) string {
	ns, _, _ := strings.Cut(key, "/")
	return ns
}

func grouped(maxPerGroup int) *queue.Queue[string] {
	return queue.New("test", queue.Options[string]{Group: namespace, MaxPerGroup: maxPerGroup, DisableAgeing: true})
}

// One tenant with 10,000 ready requests beside nine with 10 each: within a priority
// they take turns.
func TestGroupsTakeTurns_QU06(t *testing.T) {
	q := grouped(0)
	defer q.ShutDown()
	for i := range 10_000 {
		q.Add(fmt.Sprint("big/", i))
	}
	for i := range 90 {
		q.Add(fmt.Sprintf("small%d/%d", i%9, i))
	}
	small := map[string]int{}
	for range 100 {
		key, _ := take(t, q)
		q.Done(key)
		small[namespace(key)]++
	}
	require.Len(t, small, 10)
	for ns, n := range small {
		require.Equal(t, 10, n, ns)
	}
	require.Equal(t, 9990, q.Len())
}

// Within a group the order is that of the adds; a group that comes takes its turn
// after those that wait; priority goes before turns.
func TestTurns(t *testing.T) {
	q := grouped(0)
	defer q.ShutDown()
	q.Add("a/1")
	q.Add("a/2")
	q.Add("b/1")
	q.Add("a/3")
	require.Equal(t, 0, takeKey(t, q, "a/1")) // now it is b's turn
	q.Add("c/1")                              // before a's: a stands behind b, c joins behind a
	q.AddWithOpts(at(5), "a/4")
	q.AddWithOpts(at(-5), "d/1")
	require.Equal(t, []string{"a/4@5", "b/1@0", "a/2@0", "c/1@0", "a/3@0", "d/1@-5"}, drain(t, q))
}

// A full group holds no worker and delays nobody: its requests wait until one of
// it is done.
func TestFullGroupWaits_QU06(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := grouped(2)
		defer q.ShutDown()
		for i := range 1000 {
			q.Add(fmt.Sprint("a/", i))
		}
		takeKey(t, q, "a/0")
		takeKey(t, q, "a/1")
		got := make(chan string, 3)
		for range 3 { // Workers wait, though 998 are ready: a is full.
			go func() {
				key, _ := q.Get()
				got <- key
			}()
		}
		synctest.Wait()
		require.Empty(t, got)
		require.Equal(t, 998, q.Len())
		q.Add("b/1")
		require.Equal(t, "b/1", <-got)
		sleep(time.Hour) // Nothing of a full group is lost or gets through by its age.
		require.Empty(t, got)
		q.Done("b/1")
		synctest.Wait()
		require.Empty(t, got)
		q.Done("a/0")
		require.Equal(t, "a/2", <-got)
		q.Done("a/1")
		require.Equal(t, "a/3", <-got)
		synctest.Wait()
		require.Empty(t, got)
	})
}

// Two runs of a full group end before the worker that the first one wakes has come:
// there is room for both workers that wait.
func TestFullGroupWakesAWorkerForEachEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := func(string) string { return "" }
		q := queue.New("test", queue.Options[string]{Group: one, MaxPerGroup: 2})
		for _, key := range []string{"a", "b", "c", "d"} {
			q.Add(key)
		}
		takeKey(t, q, "a")
		takeKey(t, q, "b")
		taken := make(chan string, 2)
		for range 2 {
			go func() {
				key, _ := q.Get()
				taken <- key
			}()
		}
		synctest.Wait()
		q.Done("a")
		q.Done("b")
		synctest.Wait()
		n := len(taken)
		q.ShutDown()
		require.Equal(t, 2, n)
	})
}

// Other priorities of a full group wait, too, and a request behind its own run
// takes no place of its group.
func TestFullGroupAtEveryPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := grouped(1)
		defer q.ShutDown()
		q.Add("a/1")
		takeKey(t, q, "a/1")
		q.Add("a/1")
		q.AddWithOpts(at(10), "a/2")
		q.AddWithOpts(at(-10), "b/1")
		takeKey(t, q, "b/1")
		q.Done("a/1")
		require.Equal(t, 10, takeKey(t, q, "a/2"))
		q.Done("a/2")
		takeKey(t, q, "a/1")
	})
}

// What a full group holds back says nothing about the number of workers.
func TestFullGroupIsNoSaturation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue.New("test", queue.Options[string]{Group: namespace, MaxPerGroup: 1, SaturationDepth: 5})
		defer q.ShutDown()
		for i := range 8 {
			q.Add(fmt.Sprint("a/", i))
		}
		takeKey(t, q, "a/0")
		sleep(time.Minute)
		require.Zero(t, q.Snapshot().OverFor)
		require.Zero(t, q.Snapshot().OldestWaiting)
		q.Done("a/0")
		sleep(time.Second)
		require.Equal(t, time.Second, q.Snapshot().OverFor)
	})
}

// Groups come and go, and leave nothing behind.
func TestGroupsAreForgotten_RL06(t *testing.T) {
	q := grouped(2)
	defer q.ShutDown()
	before := heapInUse()
	for i := range 100_000 {
		key := fmt.Sprintf("ns%d/a", i)
		q.AddWithOpts(at(i%20), key)
		taken, _ := q.Get()
		q.Done(taken)
	}
	require.Less(t, heapInUse()-before, int64(200_000))
	require.Zero(t, q.Len())
}

// A full group ends with the queue like any other, drained or not.
func TestFullGroupAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := grouped(1)
		q.Add("a/1")
		q.Add("a/2")
		takeKey(t, q, "a/1")
		done := make(chan struct{})
		go func() {
			q.ShutDownWithDrain()
			close(done)
		}()
		synctest.Wait()
		q.Done("a/1")
		takeKey(t, q, "a/2")
		q.Done("a/2")
		<-done

		q = grouped(1)
		q.Add("a/1")
		q.Add("a/2")
		takeKey(t, q, "a/1")
		q.ShutDown()
		q.Done("a/1")
		require.Zero(t, q.Len())
		_, shutdown := q.Get()
		require.True(t, shutdown)
	})
}

// A Group that panics groups nothing, and ends nothing.
func TestGroupThatPanics(t *testing.T) {
	var lines []string
	q := queue.New("test", queue.Options[string]{
		Group: func(key string) string {
			if key == "bad" {
				panic("no namespace")
			}
			return key
		},
		Log: funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}),
	})
	defer q.ShutDown()
	q.Add("bad")
	q.Add("good")
	require.Equal(t, []string{"bad@0", "good@0"}, drain(t, q))
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "no namespace")
	require.Contains(t, lines[0], `"request"="bad"`)
}
