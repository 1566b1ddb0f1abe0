package metrics

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Distribution is how many of something took how long. It knows a time to a tenth of
// it. The zero value is of nothing. It is a value, safe to copy.
type Distribution struct {
	count  uint64
	sum    time.Duration
	schema int32    // 2^(2^-schema) is by how much a bucket is wider than the one before
	short  uint64   // of at most zero, which stands before the buckets
	zero   float64  // in seconds
	first  int      // the index of the first bucket
	counts []uint64 // of the buckets; never changed
}

// distributionOf returns what h has observed. Of one without native buckets only the
// count and the sum are known.
func distributionOf(h prometheus.Histogram) Distribution {
	w := written(h.Write).GetHistogram()
	if w.GetSampleCount() == 0 {
		return Distribution{}
	}
	d := Distribution{
		count:  w.GetSampleCount(),
		sum:    inSeconds(w.GetSampleSum()),
		schema: w.GetSchema(),
		short:  w.GetZeroCount(),
		zero:   w.GetZeroThreshold(),
	}
	deltas, count := w.GetPositiveDelta(), int64(0)
	d.counts = make([]uint64, 0, len(deltas))
	for i, span := range w.GetPositiveSpan() {
		if i == 0 {
			d.first = int(span.GetOffset())
		} else {
			d.counts = append(d.counts, make([]uint64, span.GetOffset())...)
		}
		for range span.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			d.counts = append(d.counts, uint64(count))
		}
	}
	return d
}

// Count is how many there were.
func (d Distribution) Count() uint64 { return d.count }

// Sum is how long all of them took.
func (d Distribution) Sum() time.Duration { return d.sum }

// Mean is how long one of them took. Zero if there is none.
func (d Distribution) Mean() time.Duration {
	if d.count == 0 {
		return 0
	}
	return d.sum / time.Duration(d.count)
}

// Since returns what came to d after earlier, which must be of the same histogram.
// It is d if earlier has more than d.
func (d Distribution) Since(earlier Distribution) Distribution {
	if earlier.count > d.count || earlier.short > d.short {
		return d
	}
	for earlier.schema > d.schema && len(earlier.counts) > 0 { // It had become too wide meanwhile.
		earlier = earlier.coarser()
	}
	counts := make([]uint64, len(d.counts))
	for i, n := range d.counts {
		counts[i] = n - min(n, earlier.at(d.first+i))
	}
	d.count, d.sum, d.short, d.counts = d.count-earlier.count, d.sum-earlier.sum, d.short-earlier.short, counts
	return d
}

// Plus returns the two together. They must be of histograms of this package.
func (d Distribution) Plus(o Distribution) Distribution {
	if d.count == 0 || o.count == 0 {
		if d.count == 0 {
			return o
		}
		return d
	}
	for d.schema > o.schema {
		d = d.coarser()
	}
	for o.schema > d.schema {
		o = o.coarser()
	}
	first := min(d.first, o.first)
	counts := make([]uint64, max(d.first+len(d.counts), o.first+len(o.counts))-first)
	for i := range counts {
		counts[i] = d.at(first+i) + o.at(first+i)
	}
	d.count, d.sum, d.short, d.first, d.counts = d.count+o.count, d.sum+o.sum, d.short+o.short, first, counts
	return d
}

// coarser returns d in buckets that are wider by the next step: two become one.
func (d Distribution) coarser() Distribution {
	c := d
	c.schema--
	c.first, c.counts = wider(d.first), nil
	for i, n := range d.counts {
		at := wider(d.first+i) - c.first
		for len(c.counts) <= at {
			c.counts = append(c.counts, 0)
		}
		c.counts[at] += n
	}
	return c
}

// wider is the bucket of the next coarser schema that a bucket goes into. It rounds
// up, also below zero.
func wider(index int) int { return (index + 1) >> 1 }

// at is the count of the bucket of that index.
func (d Distribution) at(index int) uint64 {
	if i := index - d.first; i >= 0 && i < len(d.counts) {
		return d.counts[i]
	}
	return 0
}

// Quantile returns the time within which the share q of them, from 0 to 1, was done.
// Zero if there is none.
func (d Distribution) Quantile(q float64) time.Duration {
	rank := q * float64(d.buckets())
	if d.short > 0 && rank <= float64(d.short) {
		return inSeconds(d.zero * rank / float64(d.short))
	}
	rank -= float64(d.short)
	var within time.Duration
	for i, n := range d.counts {
		if n == 0 {
			continue
		}
		// What is within a bucket is spread as the buckets are.
		at := float64(d.first+i-1) + min(1, rank/float64(n))
		within = inSeconds(math.Exp2(at * math.Exp2(-float64(d.schema))))
		if rank <= float64(n) {
			break
		}
		rank -= float64(n)
	}
	return within
}

// buckets is how many are in a bucket: a run that ends while they are read can be in
// the one and not yet in the other.
func (d Distribution) buckets() uint64 {
	n := d.short
	for _, count := range d.counts {
		n += count
	}
	return n
}
