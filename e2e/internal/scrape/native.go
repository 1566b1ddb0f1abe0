package scrape

import (
	"math"

	dto "github.com/prometheus/client_model/go"
)

// native returns the buckets of a native histogram without negative observations,
// from the zero bucket to the highest in use, the empty ones between included. It
// returns none if h is no native histogram.
func native(h *dto.Histogram) Buckets {
	if h.Schema == nil {
		return nil
	}
	counts, lowest, highest := nativeCounts(h)
	total := float64(h.GetZeroCount())
	b := Buckets{{UpperBound: h.GetZeroThreshold(), Count: total}}
	for i := lowest; i <= highest; i++ {
		total += float64(counts[i])
		bound := math.Exp2(float64(i) * math.Exp2(-float64(h.GetSchema())))
		b = append(b, Bucket{UpperBound: bound, Count: total})
	}
	return b
}

// nativeCounts returns the observations of each bucket, and the first and the last
// of these; none if the first is beyond the last.
func nativeCounts(h *dto.Histogram) (counts map[int]int64, lowest, highest int) {
	counts = map[int]int64{}
	lowest, highest = 0, -1
	deltas, count, index := h.GetPositiveDelta(), int64(0), 0
	for i, span := range h.GetPositiveSpan() {
		index += int(span.GetOffset())
		if i == 0 {
			lowest = index
		}
		for range span.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			counts[index], highest = count, index
			index++
		}
	}
	return counts, lowest, highest
}
