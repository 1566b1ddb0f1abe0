package loopz

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// last is the time that w looks back at, as a sentence says it.
func (w *window) last() string { return span(w.over.Round(time.Second)) }

// span is a duration as people say it, to two or three digits.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + span(-d)
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + "µs"
	case d < time.Second:
		return number(d.Seconds()*1000) + "ms"
	case d < time.Minute:
		return number(d.Seconds()) + "s"
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return pair(d, time.Minute, "m", time.Second, "s")
	}
	return pair(d.Round(time.Minute), time.Hour, "h", time.Minute, "m")
}

// pair is d in two units, or in the one if nothing is left.
func pair(d, unit time.Duration, name string, rest time.Duration, restName string) string {
	s := fmt.Sprint(int64(d/unit)) + name
	if d %= unit; d > 0 {
		s += fmt.Sprint(int64(d/rest)) + restName
	}
	return s
}

// number is f to three digits, and whole from 100 on.
func number(f float64) string {
	if f >= 100 {
		return strconv.FormatFloat(math.Round(f), 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', max(1, digits(f)), 64)
}

// digits is how many significant digits of f are worth reading.
func digits(f float64) int {
	if f < 1 {
		return 2
	}
	return 3
}

// percent is a share. The plain one of 99.6 % is not everything.
func percent(share float64) string {
	p := share * 100
	if p > 99 && p < 100 {
		return ">99%"
	}
	return strconv.FormatFloat(math.Round(p), 'f', -1, 64) + "%"
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

// plural is n of something, "1 worker" or "4 workers".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// verb is its form for n of something.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// names lists the first of some names.
func names(all []string) string {
	const shown = 3
	if len(all) <= shown {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:shown], ", "), len(all)-shown)
}
