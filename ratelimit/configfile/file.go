package configfile

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/go-logr/logr"

	"github.com/trimtab/trimtab/ratelimit"
)

// Options configures Open. The zero value is the default.
type Options struct {
	// Log is told of each change, and of a file that is bad. The zero value is told
	// nothing.
	Log logr.Logger

	// OnReload is called after each change of the file, with the error for which it
	// has changed nothing, or nil. The same error is told once in a row. It is
	// called by Start, one call after the other, and holds up the next; its panic
	// is logged and ends nothing. Nil means nobody is called.
	OnReload func(error)
}

// File is a limiter whose numbers are in a file. It is safe for concurrent use.
type File[T comparable] struct {
	path    string
	opts    Options
	limiter *ratelimit.Tunable[T]

	following atomic.Bool // the rest is of who has set it
	data      []byte      // whose numbers count
	fault     string      // for which what is there now does not, or ""
	unwatched bool        // as the log was told
}

// Open reads the file at path, and returns its limiter. It returns an error if
// the file can't be read, and those of [ratelimit.ParseConfig] and
// [ratelimit.Build].
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

// reload takes over what the file says, if that is new.
func (f *File[T]) reload() {
	data, err := os.ReadFile(f.path)
	switch {
	case err != nil:
		f.failed(fmt.Errorf("configfile: %w", err))
	case !bytes.Equal(data, f.data):
		f.tune(data)
	case f.fault != "":
		f.succeeded("The file is as before, and so is the limiter")
	}
}

func (f *File[T]) tune(data []byte) {
	config, err := ratelimit.ParseConfig(data)
	if err == nil {
		err = f.limiter.Tune(config)
	}
	if err != nil {
		f.failed(fmt.Errorf("configfile: %s: %w", f.path, err))
		return
	}
	f.data = data
	f.succeeded("The limiter has new numbers")
}

func (f *File[T]) succeeded(how string) {
	f.fault = ""
	f.opts.Log.Info(how, "path", f.path)
	f.tell(nil)
}

func (f *File[T]) failed(err error) {
	if err.Error() == f.fault {
		return
	}
	f.fault = err.Error()
	f.opts.Log.Error(err, "The limiter keeps its numbers")
	f.tell(err)
}

func (f *File[T]) tell(err error) {
	if f.opts.OnReload == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			f.opts.Log.Error(fmt.Errorf("configfile: OnReload has panicked: %v", r), "The file is still followed", "path", f.path, "stack", string(debug.Stack()))
		}
	}()
	f.opts.OnReload(err)
}
