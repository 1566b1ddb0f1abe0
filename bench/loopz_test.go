package bench_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/loopz"
)

// pageInterval is how long an open page of so many loops waits between two looks.
func pageInterval(loops int) time.Duration {
	if loops > 20 {
		return 4 * time.Second
	}
	return 2 * time.Second
}

// quiet is for how long a process is watched that does nothing.
const quiet = 2 * time.Second

// BenchmarkLoopz looks at loops as an open page does, though sooner again, and answers
// each look from the state of all loops to the last byte; then the page is closed.
func BenchmarkLoopz(b *testing.B) {
	const looks, apart = 5, 1100 * time.Millisecond // What answers within a second is the same.
	for _, loops := range []int{1, 50} {
		_, all := busyLoops(b, loops)
		b.Run(fmt.Sprintf("op=json/loops=%d/by=%s", loops, ours), func(b *testing.B) {
			alone := spent(b)
			page := loopz.New(loopz.Options{Loops: all})
			request := httptest.NewRequest(http.MethodGet, loopz.Path+"?format=json", http.NoBody)
			answer := httptest.NewRecorder()
			look := func() time.Duration {
				time.Sleep(apart)
				answer.Body.Reset()
				start := time.Now()
				page.ServeHTTP(answer, request)
				return time.Since(start)
			}
			look()
			var took, used time.Duration
			for range looks {
				before := cpuTime(b)
				took += look()
				used += cpuTime(b) - before
			}
			open := milliseconds(used)/looks - alone*took.Seconds()/looks // What the loops use meanwhile is not the page's.
			closed := spent(b) - alone

			b.ReportMetric(float64(took.Nanoseconds())/looks, "ns/op")
			b.ReportMetric(float64(answer.Body.Len()), "B/look")
			b.ReportMetric(max(0, open/pageInterval(loops).Seconds()), "ms-cpu-open")
			b.ReportMetric(max(0, closed), "ms-cpu-closed")
		})
	}
}

// spent is the milliseconds that the process uses in a second in which nobody asks
// anything of it.
func spent(b *testing.B) float64 {
	b.Helper()
	runtime.GC()
	before := cpuTime(b)
	time.Sleep(quiet)
	return milliseconds(cpuTime(b)-before) / quiet.Seconds()
}

// cpuTime is what all threads of the process have used so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
