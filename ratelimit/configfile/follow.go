package configfile

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long a change is waited out: an editor may write a file in
	// several steps, a kubelet replaces several links.
	settle = 100 * time.Millisecond

	// again is how often the file is read without a sign of a change, which may be
	// missed: on some network file systems there is none, nor is there for a link
	// to a file in another folder.
	again = time.Minute

	// often is the same while nobody watches.
	often = 5 * time.Second
)

// Start follows the file until ctx ends, and then returns nil. Where changes can't
// be watched, it looks every 5 s, and the log says so; else it looks once a minute
// beside. It returns an error if the file is followed already.
func (f *File[T]) Start(ctx context.Context) error {
	if !f.following.CompareAndSwap(false, true) {
		return fmt.Errorf("configfile: %s is followed already", f.path)
	}
	defer f.following.Store(false)
	watcher, err := fsnotify.NewWatcher()
	if err != nil { // No user may have many.
		f.follow(ctx, nil, nil, func() error { return err })
		return nil
	}
	defer watcher.Close() //nolint:errcheck // Nothing is lost with it.
	// The folder, since what is at path is replaced. Twice is once.
	folder := filepath.Dir(f.path)
	f.follow(ctx, watcher.Events, watcher.Errors, func() error { return watcher.Add(folder) })
	return nil
}

// follow looks at the file at once, after each event and error, and from time to
// time.
func (f *File[T]) follow(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error, watch func() error) {
	timer := time.NewTimer(f.look(watch))
	defer timer.Stop()
	settling := false // One event after the other must not put it off for ever.
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			settling = false
			timer.Reset(f.look(watch))
			continue
		case <-events:
		case err := <-errs: // Some events may be lost.
			f.opts.Log.V(1).Info("The watch had an error, so the file is read", "path", f.path, "error", err.Error())
		}
		if !settling {
			settling = true
			timer.Reset(settle)
		}
	}
}

// look reads the file, and returns after how long to do so again. It watches first:
// what comes between the two is read, or an event.
func (f *File[T]) look(watch func() error) time.Duration {
	err := watch()
	f.reload()
	if err == nil {
		f.unwatched = false
		return again
	}
	if !f.unwatched {
		f.unwatched = true
		f.opts.Log.Info("The file is not watched, but looked at from time to time", "path", f.path, "every", often, "error", err.Error())
	}
	return often
}
