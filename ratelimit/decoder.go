package ratelimit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader reads the value at path to where it belongs.
type reader func(n *yaml.Node, path string)

// fields are the readers of an object, by the names of its fields.
type fields map[string]reader

// What is longer, or deeper, is no limiter that anybody has written, and the paths
// of its faults would be long beyond measure.
const (
	maxName  = 100 // bytes
	maxDepth = 16  // limiters, each within another
	maxTold  = 50  // complaints
)

// decoder reads values and collects their faults.
type decoder struct {
	complaints []complaint
	lines      map[string]int  // by path
	unread     map[string]bool // the paths of values that could not be read
	depth      int             // of the limiter that is read
}

// complaint is a fault and its line.
type complaint struct {
	line int
	err  error
}

// fail notes why the value at path could not be read.
func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) {
	d.unread[path] = true
	d.note(n, path, format, args...)
}

// note notes what else is wrong with the value at path.
func (d *decoder) note(n *yaml.Node, path, format string, args ...any) {
	if path == "" {
		path = "the configuration"
	}
	d.complain(n.Line, path+fmt.Sprintf(format, args...))
}

func (d *decoder) complain(line int, text string) {
	d.complaints = append(d.complaints, complaint{line: line, err: fmt.Errorf("ratelimit: line %d: %s", line, text)})
}

// check notes the faults of what was read, but for those of values which were not:
// they have a complaint already.
func (d *decoder) check(all faults) {
	for _, f := range all {
		if d.wasRead(f.field) {
			d.complain(d.lineOf(f.field), f.field+f.text)
		}
	}
}

func (d *decoder) wasRead(path string) bool {
	for ; path != ""; path = parent(path) {
		if d.unread[path] {
			return false
		}
	}
	return !d.unread[path]
}

// lineOf returns the line of the value at path, or of what that is in.
func (d *decoder) lineOf(path string) int {
	for path != "" && d.lines[path] == 0 {
		path = parent(path)
	}
	return d.lines[path]
}

// parent returns the path of what path is in. Between the two of a name with a dot
// there are some that are none, and that no value has.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// errors returns the complaints from the first line to the last.
func (d *decoder) errors() (all []error) {
	slices.SortStableFunc(d.complaints, func(a, b complaint) int { return a.line - b.line })
	told := min(len(d.complaints), maxTold)
	for _, c := range d.complaints[:told] {
		all = append(all, c.err)
	}
	if more := len(d.complaints) - told; more > 0 {
		all = append(all, fmt.Errorf("ratelimit: there are %d more faults", more))
	}
	return all
}

// object reads an object with these fields, of which some must be there.
func (d *decoder) object(n *yaml.Node, path string, known fields, needed ...string) {
	there := make(map[string]bool)
	ok := d.each(n, path, at, func(name, path string, n *yaml.Node) {
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

// each calls f with each field of an object, whose path is that of the object
// joined with the name, and returns false if it is none. An alias is none: a few of
// them can make a short text a very long one.
func (d *decoder) each(n *yaml.Node, path string, join func(path, name string) string, f func(name, path string, n *yaml.Node)) bool {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, " is %s, want fields, or {} for none", described(n))
		return false
	}
	first := make(map[string]int)
	for pair := range slices.Chunk(n.Content, 2) {
		name, ok := d.name(pair[0], path)
		if !ok {
			continue
		}
		field := join(path, name)
		if line, twice := first[name]; twice {
			d.note(pair[0], field, " is there twice, before in line %d", line)
			continue
		}
		first[name], d.lines[field] = pair[0].Line, pair[0].Line
		f(name, field, pair[1])
	}
	return true
}

// name returns the name of a field of the object at path.
func (d *decoder) name(n *yaml.Node, path string) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.note(n, path, " has a field with the name %s, want a text", described(n))
	case len(n.Value) > maxName:
		d.note(n, path, " has a field with a name of %d bytes, want at most %d", len(n.Value), maxName)
	default:
		return n.Value, true
	}
	return "", false
}

// described returns what a value is, in words: a text has quotes.
func described(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "an object"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "the alias *" + n.Value
	case n.ShortTag() == "!!null":
		return "null"
	case n.ShortTag() == "!!str":
		return quoted(n.Value)
	default:
		return n.Value
	}
}

// quoted returns text, or its beginning if it is long, in quotes.
func quoted(text string) string {
	if len(text) > maxName {
		return strconv.Quote(text[:maxName]) + "…"
	}
	return strconv.Quote(text)
}
