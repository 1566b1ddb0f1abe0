package ratelimit

import (
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalar returns the text of a value that is neither an object, a list, nor null.
func (d *decoder) scalar(n *yaml.Node, path, want string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		d.fail(n, path, " is %s, want %s", described(n), want)
		return "", false
	}
	return n.Value, true
}

// duration reads a duration of more than zero.
func (d *decoder) duration(to *time.Duration) reader {
	return func(n *yaml.Node, path string) {
		const want = `a duration with its unit, such as "30s"`
		text, ok := d.scalar(n, path, want)
		if !ok {
			return
		}
		v, err := time.ParseDuration(text)
		if err != nil {
			d.fail(n, path, " is %s, want %s", described(n), want)
			return
		}
		*to = v
		d.positive(n, path, v > 0)
	}
}

// number reads a number of more than zero.
func (d *decoder) number(to *float64) reader {
	return func(n *yaml.Node, path string) {
		if d.float(to, n, path) {
			d.positive(n, path, *to > 0)
		}
	}
}

// fraction reads a number, of which zero is one like the others.
func (d *decoder) fraction(to *float64) reader {
	return func(n *yaml.Node, path string) { d.float(to, n, path) }
}

// decimal is how a number is written. What YAML has beside it is a trap: 010 is 8
// to some of its readers and 10 to others.
var decimal = regexp.MustCompile(`^[-+]?(0|[1-9]\d*)?(\.\d*)?([eE][-+]?\d+)?$`)

func (d *decoder) float(to *float64, n *yaml.Node, path string) bool {
	text, ok := d.scalar(n, path, "a number")
	if !ok {
		return false
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || n.ShortTag() == "!!str" || !decimal.MatchString(text) {
		d.fail(n, path, " is %s, want a decimal number", described(n))
		return false
	}
	*to = v
	return true
}

// integer reads a whole number of more than zero.
func (d *decoder) integer(to *int) reader {
	return func(n *yaml.Node, path string) {
		text, ok := d.scalar(n, path, "a whole number")
		if !ok {
			return
		}
		v, err := strconv.Atoi(text)
		if err != nil || n.ShortTag() == "!!str" || !decimal.MatchString(text) {
			d.fail(n, path, " is %s, want a whole decimal number", described(n))
			return
		}
		*to = v
		d.positive(n, path, v > 0)
	}
}

// positive notes a number that is not: what is left out has a default, and zero,
// which stands for that in Go, is likelier a mistake of who has written it.
func (d *decoder) positive(n *yaml.Node, path string, ok bool) {
	if !ok {
		d.fail(n, path, " is %s, want more than 0", n.Value)
	}
}
