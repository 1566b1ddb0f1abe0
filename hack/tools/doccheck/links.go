package doccheck

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	image      = regexp.MustCompile(`!\[[^\[\]]*\]\(([^()\s]*)(?: +"[^"]*")?\)`)
	link       = regexp.MustCompile(`\[[^\[\]]*\]\(([^()\s]*)(?: +"[^"]*")?\)`)
	attribute  = regexp.MustCompile(`<[a-zA-Z][^>]* (?:href|src)="([^"]*)"`)
	autolink   = regexp.MustCompile(`<(https?:[^<>]*)>`)
	definition = regexp.MustCompile(`^ {0,3}\[([^\[\]]+)\]: +(\S+)`)
	reference  = regexp.MustCompile(`\[([^\[\]]+)\]\[([^\[\]]*)\]`)
)

// Links returns what is wrong with the links of the pages, which are files below
// root. A link to a file of the repository must name one that is there, by a path
// from the page; an anchor must be one of a page; any other link must be an https
// address.
func Links(root string, pages []*Page) (problems []Problem) {
	c := &linkCheck{root: root, pages: map[string]*Page{}}
	for _, page := range pages {
		c.pages[page.File] = page
	}
	for _, page := range pages {
		problems = append(problems, page.Problems...)
		for _, found := range page.links() {
			if text := c.wrong(page, found.target); text != "" {
				problems = append(problems, Problem{page.File, found.line, text})
			}
		}
	}
	return sorted(problems)
}

// target is what a link leads to; of one by a name that is not defined it is "[name]".
type target struct {
	line   int
	target string
}

func (p *Page) links() (found []target) {
	defined := map[string]string{}
	for _, l := range p.Lines {
		if m := definition.FindStringSubmatch(l.text); m != nil {
			defined[strings.ToLower(m[1])] = m[2]
			found = append(found, target{l.number, m[2]})
		}
	}
	for _, l := range p.Lines {
		text := l.text
		for _, pattern := range []*regexp.Regexp{image, link, attribute, autolink} {
			for _, m := range pattern.FindAllStringSubmatch(text, -1) {
				found = append(found, target{l.number, m[1]})
			}
			text = pattern.ReplaceAllString(text, "link")
		}
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			if name := cmp.Or(m[2], m[1]); defined[strings.ToLower(name)] == "" {
				found = append(found, target{l.number, "[" + name + "]"})
			}
		}
	}
	return found
}

type linkCheck struct {
	root  string
	pages map[string]*Page
}

// wrong returns what is wrong with a link of the page, or "".
func (c *linkCheck) wrong(page *Page, to string) string {
	if strings.HasPrefix(to, "[") {
		return fmt.Sprintf("the link %s is not defined", to)
	}
	u, err := url.Parse(to)
	switch {
	case err != nil || to == "":
		return fmt.Sprintf("the link %q can't be read", to)
	case u.Scheme == "mailto":
		return ""
	case u.Scheme != "" || u.Host != "":
		return wrongAddress(u)
	}
	file := page.File
	if u.Path != "" {
		file = path.Join(path.Dir(page.File), u.Path)
	}
	if path.IsAbs(u.Path) || strings.HasPrefix(file, "../") {
		return fmt.Sprintf("the link %q leaves the repository", to)
	}
	if _, err := os.Stat(filepath.Join(c.root, file)); err != nil {
		return fmt.Sprintf("the link %q leads to no file", to)
	}
	if u.Fragment == "" {
		return ""
	}
	if other := c.pages[file]; other == nil || !other.Anchors[u.Fragment] {
		return fmt.Sprintf("the link %q leads to no heading", to)
	}
	return ""
}

func wrongAddress(u *url.URL) string {
	host := u.Hostname()
	local := host == "localhost" || host == "127.0.0.1"
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return fmt.Sprintf("the link %q does not begin with https://", u)
	case !local && !strings.Contains(strings.Trim(host, "."), "."):
		return fmt.Sprintf("the link %q names no host", u)
	}
	return ""
}

// Orphans returns the pages below folder that no chain of links from the page start
// leads to. A link to a folder leads to all pages in it.
func Orphans(pages []*Page, start, folder string) (problems []Problem) {
	byFile := map[string]*Page{}
	for _, page := range pages {
		byFile[page.File] = page
	}
	reached := map[string]bool{}
	var visit func(file string)
	visit = func(file string) {
		page := byFile[file]
		if page == nil || reached[file] {
			return
		}
		reached[file] = true
		for _, found := range page.links() {
			to, _, _ := strings.Cut(found.target, "#")
			to = path.Join(path.Dir(file), to)
			visit(to)
			for other := range byFile {
				if path.Dir(other) == to {
					visit(other)
				}
			}
		}
	}
	visit(start)
	for _, page := range pages {
		if strings.HasPrefix(page.File, folder) && !reached[page.File] {
			problems = append(problems, Problem{page.File, 1, "no link from " + start + " leads here"})
		}
	}
	return sorted(problems)
}
