package loopz_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loopz"
	"github.com/trimtab/trimtab/metrics"
	"github.com/trimtab/trimtab/queue"
	"github.com/trimtab/trimtab/trigger"
)

// trace is what a loop goes through: what it does at the end, and what it counted
// meanwhile.
type trace struct {
	over  time.Duration // zero means a minute
	start func(*trimtab.Status)
	end   func(*trimtab.Status)
	qps   float64
	want  []string // the rules that speak up
	text  []string // what the first of them says, among other things
}

// of is what runs of one trigger count, each of which takes so long.
func of(runs uint64, took time.Duration) metrics.TriggerTotals {
	return metrics.TriggerTotals{Adds: runs, Deliveries: runs, Runs: runs, Phases: trigger.Phases{Compute: time.Duration(runs) * took}}
}

// with lets a loop with so many workers count what is of each trigger.
func with(workers int, totals map[trigger.Source]metrics.TriggerTotals) func(*trimtab.Status) {
	return func(s *trimtab.Status) {
		s.Queue.Workers = workers
		for source, t := range totals {
			s.Totals.Triggers[source] = t
		}
	}
}

// and does all of it.
func and(steps ...func(*trimtab.Status)) func(*trimtab.Status) {
	return func(s *trimtab.Status) {
		for _, step := range steps {
			step(s)
		}
	}
}

// run looks at the loop before and after the trace, and returns the advice.
func (tc *trace) run(t *testing.T) []loopz.Advice {
	t.Helper()
	loop := &fake{status: trimtab.Status{Name: "c", Controller: "c", Measured: true, SaturationDepth: 100}}
	h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}, QPS: tc.qps})
	if tc.start != nil {
		tc.start(&loop.status)
	}
	time.Sleep(time.Hour) // What was before the first look is not in the advice.
	report(t, h)
	over := tc.over
	if over == 0 {
		over = time.Minute
	}
	time.Sleep(over)
	tc.end(&loop.status)
	return report(t, h).Loops[0].Advice
}

func testTraces(t *testing.T, traces map[string]trace) {
	t.Helper()
	for name, tc := range traces {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				advice := tc.run(t)
				rules := []string{}
				for _, a := range advice {
					rules = append(rules, a.Rule)
					require.NotEmpty(t, a.Text)
					require.NotEmpty(t, a.Setting)
				}
				require.Equal(t, append([]string{}, tc.want...), rules, advice)
				for _, want := range tc.text {
					require.Contains(t, advice[0].Text+" "+advice[0].Setting, want)
				}
			})
		})
	}
}

func TestAdviceOnWorkers_QU07(t *testing.T) {
	type totals = map[trigger.Source]metrics.TriggerTotals
	testTraces(t, map[string]trace{
		"idle": {end: func(*trimtab.Status) {}},
		"busy": {
			end:  with(4, totals{trigger.Primary: of(600, 350*time.Millisecond)}),
			want: []string{"workers"},
			text: []string{"In the last 1m, 10 runs a second of 350ms each asked for 3.5 of 4 workers, 88% of their time", "MaxConcurrentReconciles: 5, now 4"},
		},
		"at 80 %":               {end: with(4, totals{trigger.Primary: of(600, 320*time.Millisecond)})},
		"a resync":              {end: with(4, totals{trigger.Resync: of(600, 399*time.Millisecond), trigger.Primary: of(60, 100*time.Millisecond)})},
		"too few runs":          {end: with(1, totals{trigger.Primary: of(29, 2*time.Second)})},
		"too short a look":      {over: 29 * time.Second, end: with(4, totals{trigger.Primary: of(300, 350*time.Millisecond)})},
		"workers are not known": {end: with(0, totals{trigger.Primary: of(600, time.Second)})},
		"long ago": {
			start: with(4, totals{trigger.Primary: of(60_000, 350*time.Millisecond)}),
			end:   with(4, totals{trigger.Primary: of(60_001, 350*time.Millisecond)}),
		},
		"more comes than runs": {
			end: and(with(2, totals{trigger.Primary: of(120, 700*time.Millisecond)}), func(s *trimtab.Status) {
				s.Queue.Depth[trigger.Primary] = 60
			}),
			want: []string{"workers"},
			text: []string{"3 runs a second of 700ms each asked for 2.1 of 2 workers, 105%", "MaxConcurrentReconciles: 3, now 2"},
		},
	})
}

func TestAdviceOnPeriods_QU07(t *testing.T) {
	// A fleet on timers, which wait for the workers: of 6000 objects that each come back
	// after a minute, one worker serves three in a second.
	fleet := func(workers int, deliveries uint64, period, wait, took time.Duration) func(*trimtab.Status) {
		t := of(deliveries, took)
		t.Delay, t.Wait = time.Duration(deliveries)*period, time.Duration(deliveries)*wait
		return with(workers, map[trigger.Source]metrics.TriggerTotals{trigger.Periodic: t})
	}
	testTraces(t, map[string]trace{
		"6000 objects, one worker": {
			over: 5 * time.Minute,
			end:  fleet(1, 857, time.Minute, 2040*time.Second, 350*time.Millisecond),
			want: []string{"period"},
			text: []string{"timers of 1m on average asked for 99", "34.8 of 1 worker, 3480% of their time", "MaxConcurrentReconciles: 44, now 1; or a RequeueAfter of at least 43m"},
		},
		"enough workers": {over: 5 * time.Minute, end: fleet(44, 29_825, time.Minute, 0, 350*time.Millisecond)},
		"every 5 minutes, 7 workers": {
			over: 5 * time.Minute,
			end:  fleet(7, 5900, 300*time.Second, 5*time.Second, 350*time.Millisecond),
			want: []string{"period"},
			text: []string{"timers of 5m", "asked for 20 runs a second of 350ms", "MaxConcurrentReconciles: 9, now 7; or a RequeueAfter of at least 6m1"},
		},
		"few runs": {end: fleet(1, 29, time.Minute, time.Hour, 3*time.Second)},
		"mostly users": {
			end: and(fleet(2, 60, time.Minute, time.Second, 500*time.Millisecond), func(s *trimtab.Status) {
				s.Totals.Triggers[trigger.Primary] = of(600, 200*time.Millisecond)
			}),
			want: []string{"workers"},
		},
	})
}

func TestAdviceOnDepth(t *testing.T) {
	deep := func(source trigger.Source, depth int, over time.Duration) func(*trimtab.Status) {
		return func(s *trimtab.Status) {
			s.Queue.Depth[source], s.Queue.OverFor, s.Queue.Workers = depth, over, 10
		}
	}
	runs := func(s *trimtab.Status) { s.Totals.Triggers[trigger.Watched] = of(600, 100*time.Millisecond) }
	testTraces(t, map[string]trace{
		"drains": {
			start: deep(trigger.Watched, 500, 0),
			end:   and(deep(trigger.Watched, 260, 2*time.Minute), runs),
			want:  []string{"depth"},
			text:  []string{"260 requests are ready, resyncs aside, and for 2m there have been more than 100", "At 4 fewer a second they are served in 1m5s", "MaxConcurrentReconciles: 2, now 10"},
		},
		"grows": {
			end:  and(deep(trigger.Watched, 240, 2*time.Minute), runs),
			want: []string{"depth"},
			text: []string{"They grow by 4 a second: at this rate they are never all served"},
		},
		"stays": {
			start: deep(trigger.Watched, 240, 0),
			end:   and(deep(trigger.Watched, 237, 2*time.Minute), runs),
			want:  []string{"depth"},
			text:  []string{"They do not get fewer"},
		},
		"nothing is known of the runs": {end: deep(trigger.Watched, 240, 2*time.Minute), want: []string{"depth"}},
		"a burst":                      {end: and(deep(trigger.Watched, 240, 59*time.Second), runs)},
		"a resync":                     {end: and(deep(trigger.Resync, 5000, 0), runs)},
	})
}

func TestAdviceOnObjects(t *testing.T) {
	hot := func(first, others uint64, n, attempts int, class string) func(*trimtab.Status) {
		return func(s *trimtab.Status) {
			s.Queue.Hot = []queue.Hot[string]{{Request: "default/hot", Requeues: first}}
			s.Hot, s.OtherRequeues = []queue.Inspection{{Attempts: attempts, LastClass: class}}, others
			for range n {
				s.Queue.Hot = append(s.Queue.Hot, queue.Hot[string]{Request: "default/other", Requeues: others})
				s.Hot = append(s.Hot, queue.Inspection{})
			}
		}
	}
	testTraces(t, map[string]trace{
		"it fails": {
			end:  hot(60, 6, 9, 17, "invalid"),
			want: []string{"hot-object"},
			text: []string{"default/hot was requeued at least 60 times of late, the one in the middle of the others 6 times; it has failed 17 times in a row, last with invalid."},
		},
		"it fails, alone":            {end: hot(20, 0, 0, 17, "conflict"), want: []string{"hot-object"}},
		"it polls far more":          {end: hot(60, 6, 3, 0, ""), want: []string{"hot-object"}, text: []string{"RequeueAfter"}},
		"it polls, and few do":       {end: hot(60, 6, 2, 0, "")},
		"it polls, alone":            {end: hot(6000, 0, 0, 0, "")},
		"not far more":               {end: hot(29, 6, 9, 17, "conflict")},
		"all fail":                   {end: hot(60, 59, 9, 17, "conflict")},
		"a few requeues":             {end: hot(19, 1, 9, 17, "conflict")},
		"nothing is known of it yet": {end: func(s *trimtab.Status) { s.Queue.Hot = []queue.Hot[string]{{Request: "a", Requeues: 99}} }},
		"a hot loop": {
			end:  func(s *trimtab.Status) { s.Queue.HotLoops = []string{"a/b"} },
			want: []string{"hot-loop"},
			text: []string{"a/b runs more than 120 times a minute", "HotLoopDelay"},
		},
		"hot loops": {
			end:  func(s *trimtab.Status) { s.Queue.HotLoops = []string{"a", "b", "c", "d", "e"} },
			want: []string{"hot-loop"},
			text: []string{"a, b, c and 2 more run more"},
		},
		"stuck": {
			end: func(s *trimtab.Status) {
				s.Queue.Runs, s.Queue.Workers = []queue.Run[string]{{Request: "a/b", Age: 11 * time.Minute}}, 1
			},
			want: []string{"stuck"},
			text: []string{"The run of a/b has been going on for 11m and keeps one of 1 worker"},
		},
		"long, with a deadline": {end: func(s *trimtab.Status) {
			s.Queue.Runs, s.Deadline = []queue.Run[string]{{Request: "a/b", Age: 11 * time.Minute}}, time.Hour
		}},
		"not so long": {end: func(s *trimtab.Status) { s.Queue.Runs = []queue.Run[string]{{Request: "a/b", Age: 9 * time.Minute}} }},
		"overrun": {
			end: func(s *trimtab.Status) {
				s.Deadline, s.Totals.Overruns, s.Totals.Overdue = time.Minute, 3, 1
				s.Slow = []trimtab.SlowRun{{Request: "a/b", Run: trigger.Run{Phases: trigger.Phases{Read: 50 * time.Second, Compute: 15 * time.Second}}}}
			},
			want: []string{"deadline"},
			text: []string{"In the last 1m, 3 runs passed the deadline of 1m; 1 of those are still in flight. The slowest, of a/b, took 1m5s, of it 50s in read."},
		},
		"overrun long ago": {
			start: func(s *trimtab.Status) { s.Deadline, s.Totals.Overruns = time.Minute, 3 },
			end:   func(*trimtab.Status) {},
		},
	})
}

func TestAdviceOnWaste(t *testing.T) {
	noOps := func(runs, noOps uint64, took time.Duration) metrics.TriggerTotals {
		t := of(runs, took)
		t.NoOps = noOps
		return t
	}
	type totals = map[trigger.Source]metrics.TriggerTotals
	failing := func(retries uint64, delay time.Duration, class string) func(*trimtab.Status) {
		t := of(retries, 100*time.Millisecond)
		t.Delay = time.Duration(retries) * delay
		return and(with(4, totals{trigger.Retry: t}), func(s *trimtab.Status) {
			s.Totals.Classes = map[string]uint64{class: retries, "timeout": 1, "success": 1000}
		})
	}
	testTraces(t, map[string]trace{
		"watched": {
			end:  with(4, totals{trigger.Watched: noOps(600, 590, 100*time.Millisecond)}),
			want: []string{"no-op"},
			text: []string{"98% of 600 runs caused by watched changed nothing, and took 25% of the time of 4 workers", "predicate.SpecChanged()"},
		},
		"timers":           {end: with(4, totals{trigger.Periodic: noOps(600, 600, 100*time.Millisecond)}), want: []string{"no-op"}, text: []string{"RequeueAfter"}},
		"a resync":         {end: with(4, totals{trigger.Resync: noOps(600, 600, 100*time.Millisecond)})},
		"some change":      {end: with(4, totals{trigger.Watched: noOps(600, 530, 100*time.Millisecond)})},
		"cheap":            {end: with(4, totals{trigger.Watched: noOps(600, 600, time.Millisecond)})},
		"few":              {end: with(1, totals{trigger.Watched: noOps(49, 49, 900*time.Millisecond)})},
		"too short a look": {over: 20 * time.Second, end: with(4, totals{trigger.Watched: noOps(600, 600, 100*time.Millisecond)})},
		"retries, long":    {end: failing(30, 12*time.Second, "conflict"), want: []string{"backoff"}, text: []string{"30 retries waited for 12s on average: >99% of", "Most runs that failed, 30, did so with conflict.", "NewByError"}},
		"retries, short":   {end: failing(30, 900*time.Millisecond, "conflict")},
		"few retries":      {end: failing(19, 12*time.Second, "conflict")},
		"retries, few of all": {
			end: and(failing(30, 2*time.Second, "conflict"), func(s *trimtab.Status) { s.Totals.Triggers[trigger.Primary] = of(600, 200*time.Millisecond) }),
		},
	})
}

func TestAdviceOnTheClient(t *testing.T) {
	calls := func(s *trimtab.Status) {
		s.Totals.Calls = []metrics.CallTotals{
			{Kind: "Certificate", Verb: "get", Calls: 100_000},
			{Kind: "Certificate", Verb: "update", Calls: 300},
			{Kind: "Certificate/status", Verb: "patch", Calls: 720},
			{Kind: "Secret", Verb: "create", Calls: 960},
		}
		s.Totals.Triggers[trigger.Primary] = metrics.TriggerTotals{Runs: 100, Phases: trigger.Phases{Write: 99 * time.Second, Status: 99 * time.Second}}
	}
	testTraces(t, map[string]trace{
		"at the limit": {qps: 20, end: calls, want: []string{"qps"}, text: []string{"Certificate was written 17 times a second, 85% of the 20", "A write took 100ms on average", "or 34,"}},
		"below it":     {qps: 22, end: calls},
		"no limit":     {end: calls},
		"few":          {qps: 0.1, end: func(s *trimtab.Status) { s.Totals.Calls = []metrics.CallTotals{{Kind: "A", Verb: "create", Calls: 29}} }},
		"too short":    {qps: 20, over: 20 * time.Second, end: calls},
	})
}

// A storm is seen in its first minute, whatever was before it, and remembered after it.
func TestAdviceInAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := &fake{status: trimtab.Status{SaturationDepth: 100}}
		loop.status.Queue.Workers = 4
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		look := func(seconds int, busy float64) (advice []loopz.Advice) {
			for range seconds / 2 {
				time.Sleep(2 * time.Second)
				primary := &loop.status.Totals.Triggers[trigger.Primary]
				primary.Runs += 20
				primary.Phases.Compute += time.Duration(busy * float64(2*4*time.Second))
				advice = report(t, h).Loops[0].Advice
			}
			return advice
		}
		require.Empty(t, look(300, 0.1))
		require.Empty(t, look(20, 1), "a burst")
		require.Len(t, look(40, 1), 1)
		advice := look(180, 1)
		require.Len(t, advice, 1, "what two windows say is said once")
		require.Contains(t, advice[0].Text, "In the last 1m")
		advice = look(60, 0.97)
		require.Contains(t, advice[0].Text, "97% of their time")
		look(120, 1)
		advice = look(62, 0.1)
		require.Len(t, advice, 1)
		require.Regexp(t, `In the last (4m|5m)`, advice[0].Text)
		require.Empty(t, look(180, 0.1))
	})
}

// The first look has nothing to compare with but the start; it must not take an hour
// for a minute.
func TestAdviceAtTheFirstLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := &fake{status: trimtab.Status{SaturationDepth: 100}}
		h := loopz.New(loopz.Options{Loops: []loopz.Loop{loop}})
		with(4, map[trigger.Source]metrics.TriggerTotals{trigger.Primary: of(36_000, 350*time.Millisecond)})(&loop.status)
		time.Sleep(29 * time.Second)
		require.Empty(t, report(t, h).Loops[0].Advice)
		time.Sleep(time.Hour - 29*time.Second)
		got := report(t, h).Loops[0]
		require.Equal(t, 3600.0, got.RecentSeconds)
		require.Len(t, got.Advice, 1)
		require.Contains(t, got.Advice[0].Text, "In the last 1h, 10 runs a second of 350ms")
	})
}
