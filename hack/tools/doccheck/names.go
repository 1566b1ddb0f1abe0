package doccheck

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// Names returns the names in backticks that do not exist:
//
//   - pkg.Name and what follows it, where pkg is one of the packages that pages can
//     import;
//   - Type.Name, where Type is of one of Trimtab's packages, or a field of its
//     Options, as in Options.Queue and Queue.MaxWait;
//   - trimtab_name, a series, in a block too: it must be one of the series, or one of
//     these with an ending that Prometheus gives it. One with a colon is that of a
//     recording rule, and trimtab_ alone is no name.
//
// Any other name, such as a kind of Kubernetes or a flag, is not looked at.
func Names(packages *Packages, pages []*Page, series map[string]bool) (problems []Problem, err error) {
	c := nameCheck{packages: packages, series: series}
	for name, path := range packages.ByName {
		if strings.HasPrefix(path, module) && !strings.Contains(path, "/examples/") {
			p, err := packages.Import(path)
			if err != nil {
				return nil, fmt.Errorf("doccheck: %s: %w", name, err)
			}
			c.ours = append(c.ours, p)
		}
	}
	for _, page := range pages {
		for _, l := range page.Lines {
			for _, text := range c.wrongIn(l) {
				problems = append(problems, Problem{page.File, l.number, text})
			}
		}
	}
	return sorted(problems), nil
}

type nameCheck struct {
	packages *Packages
	ours     []*types.Package
	series   map[string]bool
}

var (
	qualified  = regexp.MustCompile(`(?:^|[^\w./"-])([a-z]\w*)((?:\.[A-Z]\w*)+)`)
	ofType     = regexp.MustCompile(`(?:^|[^\w.])([A-Z]\w*)((?:\.[A-Z]\w*)+)`)
	seriesName = regexp.MustCompile(`[\w:]*trimtab_[\w:]*`)
	ending     = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// wrongIn returns what is wrong in a line.
func (c nameCheck) wrongIn(l line) (all []string) {
	for _, code := range l.code {
		if text := c.wrong(code); text != "" {
			all = append(all, text)
		}
	}
	if text := c.wrongSeries(l.block); text != "" {
		all = append(all, text)
	}
	return all
}

// wrong returns what is wrong with the first bad name in code, or "".
func (c nameCheck) wrong(code string) string {
	for _, m := range qualified.FindAllStringSubmatch(code, -1) {
		if path := c.packages.ByName[m[1]]; path != "" && !c.has(path, m[2]) && !c.has(m[1], m[2]) {
			return fmt.Sprintf("there is no %s%s", m[1], m[2])
		}
	}
	for _, m := range ofType.FindAllStringSubmatch(code, -1) {
		if known, found := c.member(m[1], strings.Split(m[2], ".")[1:]); known && !found {
			return fmt.Sprintf("there is no %s%s in any of Trimtab's packages", m[1], m[2])
		}
	}
	return c.wrongSeries(code)
}

func (c nameCheck) wrongSeries(code string) string {
	for _, name := range seriesName.FindAllString(code, -1) {
		if !strings.Contains(name, ":") && !strings.HasSuffix(name, "_") && !c.series[name] && !c.series[ending.ReplaceAllString(name, "")] {
			return fmt.Sprintf("there is no series %s", name)
		}
	}
	return ""
}

// has reports whether the package of that path has a name. A package of the standard
// library may have the name of one in the table.
func (c nameCheck) has(path, name string) bool {
	p, err := c.packages.Import(path)
	return err == nil && exists(p, strings.Split(name, ".")[1:])
}

// member looks for a member of a type of any package of ours, or of a field of its
// Options: known is whether there is such a type or field.
func (c nameCheck) member(of string, path []string) (known, found bool) {
	for _, p := range c.ours {
		for _, whole := range [][]string{{of}, {"Options", of}} {
			if exists(p, whole) {
				known = true
				found = found || exists(p, append(whole, path...))
			}
		}
	}
	return known, found
}

// exists reports whether p exports a name, and that has the members which follow. What
// follows a func or a value that is no struct is not known.
func exists(p *types.Package, path []string) bool {
	obj := p.Scope().Lookup(path[0])
	if obj == nil || !token.IsExported(path[0]) {
		return false
	}
	for _, name := range path[1:] {
		if _, ok := obj.(*types.Func); ok {
			return false // It has no members.
		}
		if obj, _, _ = types.LookupFieldOrMethod(obj.Type(), true, p, name); obj == nil {
			return false
		}
	}
	return true
}
