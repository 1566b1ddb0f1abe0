package configfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/go-logr/logr"

	"github.com/trimtab/trimtab/ratelimit"
)

// Options configures Open. The zero value is the default.
type Options struct {
	// Log is told of each change, and of a file that is bad. The zero value is told
	// nothing.
	Log logr.Logger

	// OnReload is called after each change of the file, with the error for which it has
	// changed nothing, or nil. It is called by Start, one call after the other. Nil
	// means nobody is called.
	OnReload func(error)
}

const (
	// settle is how long a change is waited out: an editor may write a file in several
	// steps, a kubelet replaces several links.
	settle = 100 * time.Millisecond

	// again is how often the file is read without a sign of a change, which may be
	// missed: on some network file systems there is none, and a folder may be replaced.
	again = time.Minute
)

// File is a limiter whose numbers are in a file. It is safe for concurrent use, but that
// Start is called once.
type File[T comparable] struct {
	path    string
	opts    Options
	limiter *ratelimit.Tunable[T]

	data  []byte // as last read
	fault string // for which it could not be, or ""
}

// Open reads the file at path, and returns its limiter. It returns an error if the file
// can't be read, and those of [ratelimit.ParseConfig] and [ratelimit.Build].
func Open[T comparable](path string, opts Options) (*File[T], error) {
	data, err := os.ReadFile(path) //nolint:gosec // It is the caller's choice.
	if err != nil {
		return nil, fmt.Errorf("configfile: %w", err)
	}
	config, err := ratelimit.ParseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("configfile: %s: %w", path, err)
	}
	limiter, err := ratelimit.NewTunable[T](config)
	if err != nil {
		return nil, fmt.Errorf("configfile: %s: %w", path, err)
	}
	if opts.Log.IsZero() {
		opts.Log = logr.Discard()
	}
	return &File[T]{path: path, opts: opts, limiter: limiter, data: data}, nil
}

// Limiter returns the limiter, always the same one, for one controller.
func (f *File[T]) Limiter() *ratelimit.Tunable[T] { return f.limiter }

// NeedLeaderElection returns false: a manager starts a File at once.
func (*File[T]) NeedLeaderElection() bool { return false }

// Start follows the file until ctx ends, and then returns nil. Where changes can't be
// watched, it looks once a minute, and the log says so.
func (f *File[T]) Start(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		f.opts.Log.Error(err, "The file is not watched, but looked at once a minute", "path", f.path)
		f.follow(ctx, nil, nil, func() {})
		return nil
	}
	defer watcher.Close() //nolint:errcheck // Nothing is lost with it.
	f.follow(ctx, watcher.Events, watcher.Errors, func() {
		// The folder, since what is at path is replaced. Twice is once.
		if err := watcher.Add(filepath.Dir(f.path)); err != nil {
			f.opts.Log.V(1).Info("The folder is not watched, but looked at once a minute", "path", f.path, "error", err.Error())
		}
	})
	return nil
}

// follow reads the file after each event and error, and every minute.
func (f *File[T]) follow(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error, watch func()) {
	watch()
	f.reload() // What came before the watch.
	timer := time.NewTimer(again)
	defer timer.Stop()
	settling := false // One event after the other must not put it off for ever.
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			settling = false
			watch()
			f.reload()
			timer.Reset(again)
			continue
		case <-events:
		case <-errs: // Some events were lost.
		}
		if !settling {
			settling = true
			timer.Reset(settle)
		}
	}
}

// reload takes over what the file says, if that is new.
func (f *File[T]) reload() {
	data, err := os.ReadFile(f.path)
	if err == nil {
		if bytes.Equal(data, f.data) && f.fault == "" {
			return
		}
		err = f.tune(data)
	}
	if err != nil && err.Error() == f.fault {
		return
	}
	f.fault = ""
	if err != nil {
		f.fault = err.Error()
		err = fmt.Errorf("configfile: %s: %w", f.path, err)
		f.opts.Log.Error(err, "The numbers from before stay")
	} else {
		f.data = data
		f.opts.Log.Info("The limiter has new numbers", "path", f.path)
	}
	if f.opts.OnReload != nil {
		f.opts.OnReload(err)
	}
}

func (f *File[T]) tune(data []byte) error {
	config, err := ratelimit.ParseConfig(data)
	if err != nil {
		return err
	}
	return f.limiter.Tune(config)
}
