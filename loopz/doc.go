// Package loopz is a live page of an operator's reconcile loops, and its JSON.
//
// One line adds it to a manager's metrics server, beside /metrics and behind the same
// authentication, as /debug/loopz:
//
//	if err := loopz.AddTo(mgr, loop); err != nil {
//		return err
//	}
//
// The page shows each loop as a pipeline with its rates, where the time goes, the
// latency by what triggered a run, the queue, the workers, the hot objects, the oldest
// and the slowest runs, and what to change, with the arithmetic shown. It is read
// only, needs nothing from elsewhere, and shows names from the cluster as text.
//
// # The JSON
//
// /debug/loopz?format=json is a Report, which documents each field. Its Version rises
// when a field changes its meaning or goes; a new field does not raise it. Times are
// in seconds. What is not known is null, or missing where a field says so.
//
// # What it costs
//
// Nothing is measured while nobody looks. Each look reads what the loop has counted,
// at most once in a second, however many look; the difference to an earlier look gives
// rates and percentiles. What earlier looks found is kept for some minutes, at most 30
// of them. The first look has none to compare with: it shows what was since the
// handler was made.
//
// The surprise: a page that is closed remembers nothing, so the charts begin when it
// is opened. For history, scrape the metrics.
package loopz
