package doccheck

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// Page is a Markdown file, as far as it is of interest here.
type Page struct {
	File     string
	Anchors  map[string]bool // of headings and of HTML elements with an id
	Snippets []Snippet
	Lines    []line // outside of comments
	Problems []Problem
}

// line is a line of text: code is what stands in backticks, and text is the rest.
// One in a block of code is only that.
type line struct {
	number int
	text   string
	code   []string
	block  string
}

var (
	fence   = regexp.MustCompile("^ *(```+|~~~+) *([^ `]*)")
	heading = regexp.MustCompile(`^ {0,3}#{1,6} +(.*?)(?: +#+)? *$`)
	element = regexp.MustCompile(`<[a-zA-Z][^>]* (?:id|name)="([^"]+)"`)
	span    = regexp.MustCompile("`([^`]+)`")
	inline  = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()]*\)`)
)

// ReadPage reads a Markdown file by its path from root.
func ReadPage(root, file string) (*Page, error) {
	data, err := os.ReadFile(filepath.Join(root, file)) //nolint:gosec // It is a file of the repository.
	if err != nil {
		return nil, fmt.Errorf("doccheck: %w", err)
	}
	r := &reader{page: &Page{File: file, Anchors: map[string]bool{}}}
	for i, text := range strings.Split(string(data), "\n") {
		r.number = i + 1
		r.read(text)
	}
	if r.fence != "" {
		r.problem(r.snippet.Line-1, "this block of code has no end")
	}
	if r.inComment {
		r.problem(r.comment.Line, "this comment has no end")
	}
	return r.page, nil
}

// reader reads a page line by line.
type reader struct {
	page   *Page
	number int

	fence   string // that the block around this line ends with, or ""
	isGo    bool
	snippet Snippet

	inComment bool
	comment   Snippet // the last comment, if nothing has come since
}

func (r *reader) problem(number int, format string, args ...any) {
	r.page.Problems = append(r.page.Problems, Problem{r.page.File, number, fmt.Sprintf(format, args...)})
}

func (r *reader) read(text string) {
	switch {
	case r.fence != "":
		r.readCode(text)
	case r.inComment:
		r.readComment(text)
	case strings.HasPrefix(text, "<!--"):
		r.inComment, r.comment = true, Snippet{Line: r.number}
		r.readComment(strings.TrimPrefix(text, "<!--"))
	case fence.MatchString(text):
		m := fence.FindStringSubmatch(text)
		r.fence, r.isGo = m[1], m[2] == "go"
		r.snippet = Snippet{File: r.page.File, Line: r.number + 1}
		if needs, ok := strings.CutPrefix(strings.TrimSpace(r.comment.Code), "go:"); ok {
			r.snippet.Needs = needs
		}
	case strings.TrimSpace(text) != "":
		r.comment = Snippet{}
		r.readText(text)
	}
}

func (r *reader) readCode(text string) {
	if strings.HasPrefix(strings.TrimSpace(text), r.fence) {
		r.fence, r.comment = "", Snippet{}
		if r.isGo {
			r.page.Snippets = append(r.page.Snippets, r.snippet)
		}
		return
	}
	r.snippet.Code += text + "\n"
	r.page.Lines = append(r.page.Lines, line{number: r.number, block: text})
}

func (r *reader) readComment(text string) {
	text, _, r.inComment = cutEnd(text)
	r.comment.Code += text + "\n"
}

func cutEnd(text string) (before, after string, open bool) {
	before, after, ended := strings.Cut(text, "-->")
	return before, after, !ended
}

func (r *reader) readText(text string) {
	if m := heading.FindStringSubmatch(text); m != nil {
		r.anchor(slug(m[1]))
	}
	for _, m := range element.FindAllStringSubmatch(text, -1) {
		r.page.Anchors[m[1]] = true
	}
	l := line{number: r.number}
	l.text = span.ReplaceAllStringFunc(text, func(code string) string {
		l.code = append(l.code, strings.Trim(code, "`"))
		return "code"
	})
	r.page.Lines = append(r.page.Lines, l)
}

// anchor adds that of a heading: a second one of the same name has a number.
func (r *reader) anchor(name string) {
	unique := name
	for n := 1; r.page.Anchors[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	r.page.Anchors[unique] = true
}

// slug returns the anchor that GitHub gives to a heading.
func slug(text string) string {
	text = inline.ReplaceAllString(text, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, text)
}
