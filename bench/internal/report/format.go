package report

import (
	"math"
	"strconv"
	"strings"
)

// value returns v with three digits, in the unit that benchstat gives it.
func value(v float64, unit string) string {
	what, _, _ := strings.Cut(unit, "/")
	switch {
	case what == "sec":
		return duration(v)
	case strings.HasPrefix(what, "ms-"):
		return duration(v / 1000)
	case strings.HasPrefix(what, "s-"):
		return duration(v)
	case what == "B" || what == "live-B":
		return digits(v) + " B"
	case strings.HasPrefix(what, "x-"):
		return digits(v) + "×"
	default:
		return digits(v)
	}
}

func duration(seconds float64) string {
	for _, unit := range []struct {
		name string
		of   float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= unit.of {
			return digits(seconds/unit.of) + " " + unit.name
		}
	}
	return digits(seconds/1e-9) + " ns"
}

// digits returns v with three digits, or all of its whole part, and without noughts
// at the end.
func digits(v float64) string {
	if math.Abs(v) >= 100 || v == 0 {
		return grouped(int(math.Round(v)))
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	s := strconv.FormatFloat(v, 'f', min(3, decimals), 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// grouped returns n as people write it: 1,000,000.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// times returns a ratio: 0.25×.
func times(ratio float64, ok bool) string {
	switch {
	case !ok:
		return ""
	case math.IsInf(ratio, 0):
		return "∞"
	case ratio > 0 && ratio < 0.01:
		return "<0.01×"
	default:
		return strconv.FormatFloat(ratio, 'f', 2, 64) + "×"
	}
}
