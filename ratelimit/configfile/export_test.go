package configfile

import (
	"context"

	"github.com/fsnotify/fsnotify"
)

// Follow is Start with the events of a test.
func (f *File[T]) Follow(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error, watch func() error) {
	f.follow(ctx, events, errs, watch)
}
