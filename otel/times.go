package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/trimtab/trimtab/trigger"
)

// times are the instants before a run, in their order. If the queue does not know
// them, added is when the run started, and ready and free are zero.
type times struct {
	added, ready, free, started time.Time
}

func timesOf(info trigger.Info) times {
	started := info.Started
	if started.IsZero() {
		started = time.Now()
	}
	if info.Added.IsZero() || info.Added.After(started) {
		return times{added: started, started: started}
	}
	if info.Ready.IsZero() {
		return times{added: info.Added, started: started}
	}
	ready := earliest(latest(info.Ready, info.Added), started)
	free := earliest(latest(info.Ready.Add(info.OwnRun), ready), started)
	return times{added: info.Added, ready: ready, free: free, started: started}
}

// addSpans makes the spans of the time before the run, but for those of no length.
func (t times) addSpans(ctx context.Context, tracer trace.Tracer) {
	addSpan(ctx, tracer, "delay", t.added, t.ready)
	addSpan(ctx, tracer, "own run", t.ready, t.free)
	addSpan(ctx, tracer, "wait", t.free, t.started)
}

func addSpan(ctx context.Context, tracer trace.Tracer, name string, from, to time.Time) {
	if from.IsZero() || !to.After(from) {
		return
	}
	_, span := tracer.Start(ctx, name, trace.WithTimestamp(from))
	span.End(trace.WithTimestamp(to))
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
