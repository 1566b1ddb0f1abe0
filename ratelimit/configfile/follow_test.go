package configfile_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit/configfile"
)

// stage follows a file in a bubble, where the test makes the events.
type stage struct {
	path   string
	file   *configfile.File[string]
	events chan fsnotify.Event
	errs   chan error

	mu sync.Mutex
	seen
	watched error // what a watch returns
}

// seen is what has happened.
type seen struct {
	watches int
	logs    []string
	reloads []time.Duration // when each was, since the start
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{path: filepath.Join(t.TempDir(), "ratelimit.yaml"), events: make(chan fsnotify.Event), errs: make(chan error)}
	write(t, s.path, constant("1s"))
	begin := time.Now()
	file, err := configfile.Open[string](s.path, configfile.Options{
		Log:      funcr.New(func(_, args string) { s.do(func() { s.logs = append(s.logs, args) }) }, funcr.Options{}),
		OnReload: func(error) { s.do(func() { s.reloads = append(s.reloads, time.Since(begin)) }) },
	})
	require.NoError(t, err)
	s.file = file
	return s
}

func (s *stage) do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// watch is asked to watch the folder.
func (s *stage) watch() (err error) {
	s.do(func() { s.watches++; err = s.watched })
	return err
}

func (s *stage) setWatched(err error) { s.do(func() { s.watched = err }) }

// after returns what has happened when d is over.
func (s *stage) after(d time.Duration) (copied seen) {
	time.Sleep(d)
	synctest.Wait()
	s.do(func() {
		copied = seen{watches: s.watches, logs: slices.Clone(s.logs), reloads: slices.Clone(s.reloads)}
	})
	return copied
}

// follow follows the file until the test ends.
func (s *stage) follow(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.file.Follow(ctx, s.events, s.errs, s.watch)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	synctest.Wait()
}

// A change between Open and Start is seen at once.
func TestFollowsFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		write(t, s.path, constant("2s"))
		s.follow(t)
		require.Equal(t, []time.Duration{0}, s.after(0).reloads)
		require.Equal(t, 2*time.Second, s.file.Limiter().When("a"))
	})
}

// Several events are one change, which is read when it has settled; one event after the
// other does not put that off.
func TestSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.follow(t)
		write(t, s.path, constant("2s"))
		for range 15 {
			s.events <- fsnotify.Event{}
			time.Sleep(10 * time.Millisecond)
		}
		require.Equal(t, []time.Duration{100 * time.Millisecond}, s.after(0).reloads)
		write(t, s.path, constant("3s")) // at 150 ms, the events after the first reload have not settled yet
		require.Equal(t, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}, s.after(time.Second).reloads)
	})
}

// What nobody tells is seen within a minute, and what was lost at once.
func TestLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.follow(t)
		write(t, s.path, constant("2s"))
		require.Empty(t, s.after(time.Minute-1).reloads)
		after := s.after(1)
		require.Equal(t, []time.Duration{time.Minute}, after.reloads)
		require.Equal(t, 2, after.watches)

		write(t, s.path, constant("3s"))
		s.errs <- fsnotify.ErrEventOverflow
		require.Equal(t, time.Minute+100*time.Millisecond, s.after(time.Second).reloads[1])
	})
}

// Without a watch the file is looked at more often, which is told once.
func TestLooksMoreOftenWithoutAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.setWatched(errors.New("too many watches"))
		s.follow(t)
		after := s.after(12 * time.Second)
		require.Equal(t, 3, after.watches)
		require.Len(t, after.logs, 1)
		require.Contains(t, after.logs[0], "too many watches")
		require.Contains(t, after.logs[0], s.path)

		s.setWatched(nil)
		write(t, s.path, constant("2s"))
		require.Equal(t, []time.Duration{15 * time.Second}, s.after(5*time.Second).reloads)
		s.setWatched(errors.New("too many watches"))
		after = s.after(time.Minute)
		require.Equal(t, 5, after.watches)
		require.Len(t, after.logs, 3, "new numbers, and the second loss of the watch")
	})
}
