package ratelimit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader reads the value at path to where it belongs.
type reader func(n *yaml.Node, path string)

// fields are the readers of an object, by the names of its fields.
type fields map[string]reader

// decoder reads values and collects their faults.
type decoder struct {
	errs  []error
	lines map[string]int // by path
}

// fail notes what is wrong with the value at path.
func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) {
	if path == "" {
		path = "the configuration"
	}
	d.errs = append(d.errs, fmt.Errorf("ratelimit: line %d: %s%s", n.Line, path, fmt.Sprintf(format, args...)))
}

// located returns f with the line of its field, or of what that is in.
func (d *decoder) located(f *fault) error {
	for path := f.field; path != ""; {
		if line, ok := d.lines[path]; ok {
			return fmt.Errorf("ratelimit: line %d: %s%s", line, f.field, f.text)
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return f
}

// object reads an object with these fields, of which some must be there.
func (d *decoder) object(n *yaml.Node, path string, known fields, needed ...string) {
	there := make(map[string]bool)
	ok := d.each(n, path, func(name, path string, n *yaml.Node) {
		there[name] = true
		if read, ok := known[name]; ok {
			read(n, path)
			return
		}
		d.fail(n, path, " is unknown, want one of %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	})
	for _, name := range needed {
		if ok && !there[name] {
			d.fail(n, at(path, name), " is missing")
		}
	}
}

// each calls f with each field of an object, and returns false if it is none. An alias
// is none: a few of them can make a short text a very long one.
func (d *decoder) each(n *yaml.Node, path string, f func(name, path string, n *yaml.Node)) bool {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, " is %s, want fields", described(n))
		return false
	}
	seen := make(map[string]bool)
	for pair := range slices.Chunk(n.Content, 2) {
		name, field := pair[0].Value, at(path, pair[0].Value)
		if seen[name] {
			d.fail(pair[0], field, " is there twice")
			continue
		}
		seen[name] = true
		d.lines[field] = pair[0].Line
		f(name, field, pair[1])
	}
	return true
}

// described returns what a value is, in words.
func described(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "an object"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "the alias *" + n.Value
	case n.Tag == "!!null":
		return "null"
	default:
		return strconv.Quote(n.Value)
	}
}

func (d *decoder) scalar(n *yaml.Node, path, want string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.fail(n, path, " is %s, want %s", described(n), want)
		return "", false
	}
	return n.Value, true
}

// duration reads a duration that is not zero.
func (d *decoder) duration(to *time.Duration) reader {
	return func(n *yaml.Node, path string) {
		const want = `a duration with its unit, such as "30s"`
		text, ok := d.scalar(n, path, want)
		if !ok {
			return
		}
		v, err := time.ParseDuration(text)
		if err != nil {
			d.fail(n, path, " is %q, want %s", text, want)
			return
		}
		*to = v
		d.notZero(n, path, v == 0)
	}
}

// number reads a number that is not zero.
func (d *decoder) number(to *float64) reader {
	return func(n *yaml.Node, path string) { d.notZero(n, path, d.float(to, n, path) && *to == 0) }
}

// fraction reads a number.
func (d *decoder) fraction(to *float64) reader {
	return func(n *yaml.Node, path string) { d.float(to, n, path) }
}

func (d *decoder) float(to *float64, n *yaml.Node, path string) bool {
	text, ok := d.scalar(n, path, "a number")
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || n.Tag == "!!str" {
		d.fail(n, path, " is %q, want a number", text)
		return false
	}
	*to = v
	return true
}

// integer reads a whole number that is not zero.
func (d *decoder) integer(to *int) reader {
	return func(n *yaml.Node, path string) {
		text, ok := d.scalar(n, path, "a whole number")
		if !ok {
			return
		}
		v, err := strconv.Atoi(text)
		if err != nil || n.Tag == "!!str" {
			d.fail(n, path, " is %q, want a whole number", text)
			return
		}
		*to = v
		d.notZero(n, path, v == 0)
	}
}

// notZero notes a zero that somebody has written: what is left out has a default.
func (d *decoder) notZero(n *yaml.Node, path string, zero bool) {
	if zero {
		d.fail(n, path, " is %s, want more than 0, or nothing for the default", n.Value)
	}
}
