package scrape

import (
	"math"

	dto "github.com/prometheus/client_model/go"
)

// Buckets are those of a histogram, from the lowest to the one without
// an upper bound.
type Buckets []Bucket

// Bucket counts the observations at or below its upper bound, those of the
// lower buckets included.
type Bucket struct {
	UpperBound float64
	Count      float64
}

// Count returns the number of observations.
func (b Buckets) Count() float64 {
	if len(b) == 0 {
		return 0
	}
	return b[len(b)-1].Count
}

// Quantile estimates the q-quantile, q from 0 to 1, taking the observations
// of a bucket as spread evenly over it and the lowest bucket as starting at
// zero. The bucket without an upper bound gives its lower one: the truth is
// at least that. Without observations the answer is NaN.
func (b Buckets) Quantile(q float64) float64 {
	if b.Count() == 0 {
		return math.NaN()
	}
	rank := q * b.Count()
	lower, below := 0.0, 0.0
	for _, bucket := range b {
		if bucket.Count >= rank && bucket.Count > below {
			if math.IsInf(bucket.UpperBound, 1) {
				return lower
			}
			return lower + (bucket.UpperBound-lower)*(rank-below)/(bucket.Count-below)
		}
		lower, below = bucket.UpperBound, bucket.Count
	}
	return lower
}

// Index returns which of the buckets v is in; their number if it is in none.
func (b Buckets) Index(v float64) int {
	for i, bucket := range b {
		if v <= bucket.UpperBound {
			return i
		}
	}
	return len(b)
}

// Since returns what was observed after earlier, an earlier sample of the same
// histogram.
func (b Buckets) Since(earlier Buckets) Buckets {
	if len(earlier) == 0 {
		return b
	}
	diff := make(Buckets, len(b))
	for i := range b {
		diff[i] = Bucket{UpperBound: b[i].UpperBound, Count: b[i].Count - earlier[i].Count}
	}
	return diff
}

// add returns the sum of b and other, which have the same bounds or are empty.
func (b Buckets) add(other Buckets) Buckets {
	if len(b) == 0 {
		return other
	}
	if len(other) == 0 {
		return b
	}
	sum := make(Buckets, len(b))
	for i := range b {
		sum[i] = Bucket{UpperBound: b[i].UpperBound, Count: b[i].Count + other[i].Count}
	}
	return sum
}

func buckets(h *dto.Histogram) Buckets {
	b := make(Buckets, 0, len(h.GetBucket())+1)
	for _, bucket := range h.GetBucket() {
		b = append(b, Bucket{UpperBound: bucket.GetUpperBound(), Count: float64(bucket.GetCumulativeCount())})
	}
	if len(b) == 0 || !math.IsInf(b[len(b)-1].UpperBound, 1) {
		b = append(b, Bucket{UpperBound: math.Inf(1), Count: float64(h.GetSampleCount())})
	}
	return b
}
