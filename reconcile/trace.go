package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trimtab/trimtab/trigger"
)

// traceRun begins the trace of a run. The func that it returns ends it, and is nil if
// there is none; nor is there one if the tracer breaks its promises.
func (s *settings) traceRun(ctx context.Context, request any, info trigger.Info) (inner context.Context, ended func(trigger.Run, error)) {
	inner = ctx // stays if the tracer panics
	defer survive(ctx, "Tracer.StartRun")
	if with, ended := s.tracer.StartRun(ctx, request, info); with != nil {
		return with, ended
	}
	return ctx, nil
}

// traceCall is traceRun for a client call.
func (s *settings) traceCall(ctx context.Context, phase, verb, kind string) (inner context.Context, ended func(error)) {
	inner = ctx
	defer survive(ctx, "Tracer.StartCall")
	if with, ended := s.tracer.StartCall(ctx, phase, verb, kind); with != nil {
		return with, ended
	}
	return ctx, nil
}

// untrace ends the trace of a run.
func untrace(ctx context.Context, ended func(trigger.Run, error), run trigger.Run, err error) {
	if ended == nil {
		return
	}
	defer survive(ctx, "the func of Tracer.StartRun")
	ended(run, err)
}

// untraceCall ends the trace of a client call.
func untraceCall(ctx context.Context, ended func(error), err error) {
	if ended == nil {
		return
	}
	defer survive(ctx, "the func of Tracer.StartCall")
	ended(err)
}

// traceOwn tells the tracer of the first look at the run's own object.
func (r *run) traceOwn(obj client.Object) {
	if r.chain.tracer == nil || !r.isFirstLook() {
		return
	}
	defer survive(r.ctx, "Tracer.ReadOwn")
	r.chain.tracer.ReadOwn(r.ctx, obj.GetAnnotations())
}

func (r *run) isFirstLook() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.over && !r.ownRead
	r.ownRead = true
	return first
}
