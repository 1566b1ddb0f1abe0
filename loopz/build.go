package loopz

import (
	"cmp"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// reportOf returns the report of a loop, from what it counted lately, in the last
// minute, and in the time that advice is drawn from.
func reportOf(s *trimtab.Status, rates, recent, long window, qps float64) LoopReport {
	return LoopReport{
		Name:          s.Name,
		Controller:    s.Controller,
		Measured:      s.Measured,
		RateSeconds:   rates.over.Seconds(),
		RecentSeconds: recent.over.Seconds(),
		AdviceSeconds: long.over.Seconds(),
		Advice:        advise(&recent, &long, qps),
		Rates:         ratesOf(&rates),
		Recent:        recentOf(&recent),
		Triggers:      triggersOf(s, &recent),
		Queue:         queueOf(s),
		Workers: WorkersReport{
			Busy:            s.Queue.Running,
			Limit:           s.Queue.Workers,
			Overdue:         s.Totals.Overdue,
			DeadlineSeconds: s.Deadline.Seconds(),
		},
		Running:    runningOf(s.Queue.Runs),
		Hot:        hotOf(s),
		Busiest:    busiestOf(s.Queue.Busiest),
		HotLoops:   append([]string{}, s.Queue.HotLoops...),
		Slow:       slowOf(s.Slow),
		Predicates: predicatesOf(s, &recent),
		Classes:    classesOf(s, &recent),
		Calls:      callsOf(s, &recent),
		Totals:     totalsOf(&s.Totals),
	}
}

func ratesOf(w *window) Rates {
	var r Rates
	for _, e := range w.counted.Events {
		r.Admitted += w.rate(e.Admitted)
		r.Dropped += w.rate(e.Dropped)
	}
	for i := range w.counted.Triggers {
		t := &w.counted.Triggers[i]
		r.Adds += w.rate(t.Adds)
		r.Merges += w.rate(t.Merges)
	}
	runs, noOps := w.runs()
	r.Runs, r.NoOps = w.rate(runs), w.rate(noOps)
	for class, n := range w.counted.Classes {
		if isFailure(class) {
			r.Errors += w.rate(n)
		}
	}
	for _, c := range w.counted.Calls {
		r.Calls += w.rate(c.Calls)
	}
	r.Retries, r.Periodics = w.rate(w.counted.Retries), w.rate(w.counted.Periodics)
	return r
}

// isFailure reports whether a class of runs is one of those with an error.
func isFailure(class string) bool { return class != "success" && class != "requeue" }

func recentOf(w *window) Recent {
	var r Recent
	var all metrics.Distribution
	for i := range w.counted.Triggers {
		t := &w.counted.Triggers[i]
		r.Phases = r.Phases.plus(phasesOf(t))
		r.Runs += t.Runs
		all = all.Plus(t.Latency)
	}
	r.Latency = latencyOf(all)
	if w.over > 0 {
		r.BusyWorkers = (r.Phases.Read + r.Phases.Compute + r.Phases.Write + r.Phases.Status) / w.over.Seconds()
	}
	return r
}

func latencyOf(d metrics.Distribution) Latency {
	if d.Count() == 0 {
		return Latency{}
	}
	at := func(q float64) *float64 { s := d.Quantile(q).Seconds(); return &s }
	return Latency{P50: at(0.5), P95: at(0.95), P99: at(0.99)}
}

func phasesOf(t *metrics.TriggerTotals) Phases {
	p := runPhases(t.Phases)
	p.Delay, p.Wait, p.OwnRun = t.Delay.Seconds(), t.Wait.Seconds(), t.OwnRun.Seconds()
	return p
}

func runPhases(p trigger.Phases) Phases {
	return Phases{Read: p.Read.Seconds(), Compute: p.Compute.Seconds(), Write: p.Write.Seconds(), Status: p.Status.Seconds()}
}

func (p Phases) plus(o Phases) Phases {
	return Phases{
		Delay: p.Delay + o.Delay, Wait: p.Wait + o.Wait, OwnRun: p.OwnRun + o.OwnRun,
		Read: p.Read + o.Read, Compute: p.Compute + o.Compute, Write: p.Write + o.Write, Status: p.Status + o.Status,
	}
}

// triggerName is the name of the trigger at index i of Totals.Triggers.
func triggerName(i int) string { return trigger.Source(i).String() }

func triggersOf(s *trimtab.Status, w *window) []TriggerReport {
	reports := []TriggerReport{}
	for i := range w.counted.Triggers {
		t := &w.counted.Triggers[i]
		r := TriggerReport{
			Trigger: triggerName(i),
			Total:   s.Totals.Triggers[i].Runs,
			Runs:    t.Runs,
			NoOps:   t.NoOps,
			Rate:    w.rate(t.Runs),
			Latency: latencyOf(t.Latency),
			Phases:  phasesOf(t),
		}
		if i < trigger.Count {
			r.Depth = s.Queue.Depth[i]
		}
		if r.Total > 0 || r.Depth > 0 {
			reports = append(reports, r)
		}
	}
	return reports
}

func queueOf(s *trimtab.Status) QueueReport {
	r := QueueReport{
		Threshold:     s.SaturationDepth,
		OverSeconds:   s.Queue.OverFor.Seconds(),
		OldestSeconds: s.Queue.OldestWaiting.Seconds(),
		Delayed:       s.Queue.Delayed,
	}
	for source, depth := range s.Queue.Depth {
		r.Depth += depth
		if trigger.Source(source) != trigger.Resync {
			r.Urgent += depth
		}
	}
	if r.Delayed > 0 {
		r.NextSeconds = inSeconds(s.Queue.NextDue)
	}
	return r
}

func inSeconds(d time.Duration) *float64 { s := d.Seconds(); return &s }

func runningOf(runs []queue.Run[string]) []RunningReport {
	reports := []RunningReport{}
	for _, r := range runs {
		reports = append(reports, RunningReport{Object: r.Request, Triggers: r.Sources.String(), Seconds: r.Age.Seconds()})
	}
	return reports
}

func hotOf(s *trimtab.Status) []HotReport {
	reports := []HotReport{}
	for i, hot := range s.Queue.Hot {
		r := HotReport{Object: hot.Request, Requeues: hot.Requeues, State: "idle"}
		if i < len(s.Hot) {
			known := s.Hot[i]
			r.Attempts, r.LastClass = known.Attempts, known.LastClass
			switch {
			case known.InFlight:
				r.State = "running"
			case known.Ready:
				r.State = "ready"
			case known.Delayed:
				r.State, r.NextSeconds = "delayed", inSeconds(known.Due)
			}
		}
		reports = append(reports, r)
	}
	return reports
}

func busiestOf(busiest []queue.Busy[string]) []BusyReport {
	reports := []BusyReport{}
	for _, b := range busiest {
		reports = append(reports, BusyReport{Object: b.Request, Seconds: b.Time.Seconds()})
	}
	return reports
}

func slowOf(slow []trimtab.SlowRun) []SlowReport {
	reports := make([]SlowReport, 0, len(slow))
	for i := range slow {
		s := &slow[i]
		info, p := &s.Run.Info, runPhases(s.Run.Phases)
		p.Delay, p.Wait, p.OwnRun = info.Delay().Seconds(), info.Wait().Seconds(), info.OwnRun.Seconds()
		reports = append(reports, SlowReport{
			Object: s.Request, Triggers: info.Sources.String(), Class: s.Run.Class, Attempt: info.Attempt,
			Ended: s.Ended, Seconds: s.Run.Phases.Total().Seconds(), Phases: p, TraceID: s.Run.TraceID,
		})
	}
	return reports
}

func predicatesOf(s *trimtab.Status, w *window) []PredicateReport {
	reports := []PredicateReport{}
	for i, e := range s.Totals.Events { // Those of the window stand at the same place.
		reports = append(reports, PredicateReport{
			Predicate: e.Predicate, Trigger: e.Trigger, Admitted: e.Admitted, Dropped: e.Dropped,
			AdmittedRate: w.rate(w.counted.Events[i].Admitted), DroppedRate: w.rate(w.counted.Events[i].Dropped),
		})
	}
	slices.SortStableFunc(reports, func(a, b PredicateReport) int { return cmp.Compare(b.Admitted+b.Dropped, a.Admitted+a.Dropped) })
	return reports
}

func classesOf(s *trimtab.Status, w *window) []ClassReport {
	reports := []ClassReport{}
	for class, n := range s.Totals.Classes {
		reports = append(reports, ClassReport{Class: class, Total: n, Rate: w.rate(w.counted.Classes[class])})
	}
	slices.SortFunc(reports, func(a, b ClassReport) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Class, b.Class))
	})
	return reports
}

func callsOf(s *trimtab.Status, w *window) []CallReport {
	reports := []CallReport{}
	for i, c := range s.Totals.Calls { // As with predicates.
		reports = append(reports, CallReport{Kind: c.Kind, Verb: c.Verb, Total: c.Calls, Rate: w.rate(w.counted.Calls[i].Calls)})
	}
	slices.SortStableFunc(reports, func(a, b CallReport) int { return cmp.Compare(b.Total, a.Total) })
	return reports
}

func totalsOf(t *metrics.Totals) TotalsReport {
	r := TotalsReport{
		Retries: t.Retries, Periodics: t.Periodics, Overruns: t.Overruns, Panics: t.Panics, WorkersLost: t.WorkersLost,
		GivenUp: t.GivenUp, HotLoops: t.HotLoops, FailureResets: t.FailureResets,
	}
	for i := range t.Triggers {
		r.Runs += t.Triggers[i].Runs
		r.HandlerPanics += t.Triggers[i].HandlerPanics
	}
	if !t.LastSuccess.IsZero() {
		r.LastSuccess = &t.LastSuccess
	}
	return r
}
