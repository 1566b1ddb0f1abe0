package trigger

import (
	"iter"
	"math/bits"
	"strings"
)

// Set is a set of sources: all that caused one run. The zero value is the empty
// set, which means that the cause is unknown.
type Set uint8

// All holds every source.
const All Set = 1<<Count - 1

// SetOf returns the set of sources. Values that are no source are left out.
func SetOf(sources ...Source) Set {
	var s Set
	for _, source := range sources {
		s = s.With(source)
	}
	return s
}

// With returns s and source together. A value that is no source changes nothing.
func (s Set) With(source Source) Set { return s | 1<<source&All }

// Has reports whether source is in s.
func (s Set) Has(source Source) bool { return s&(1<<source) != 0 }

// Strongest returns the strongest source of s, under which its run counts, and
// false if s is empty.
func (s Set) Strongest() (Source, bool) {
	if s&All == 0 {
		return 0, false
	}
	return Source(bits.TrailingZeros8(uint8(s))), true
}

// Sources yields the sources of s, strongest first.
func (s Set) Sources() iter.Seq[Source] {
	return func(yield func(Source) bool) {
		for source := range Source(Count) {
			if s.Has(source) && !yield(source) {
				return
			}
		}
	}
}

// String returns the names of the sources, strongest first, such as
// "primary+retry", and "unknown" for the empty set.
func (s Set) String() string {
	names := make([]string, 0, Count)
	for source := range s.Sources() {
		names = append(names, source.String())
	}
	if len(names) == 0 {
		return "unknown"
	}
	return strings.Join(names, "+")
}
