package doccheck

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// Snippets returns what is wrong with the snippets: each must compile as one of the
// forms that it can have. The errors are those of the form that comes nearest. In a
// whole file nothing may be unused; in a part of one a variable may.
func Snippets(packages *Packages, snippets []Snippet) (problems []Problem) {
	for _, s := range snippets {
		if err := compile(packages, s); err != nil {
			problems = append(problems, *err)
		}
	}
	return sorted(problems)
}

// form is a way to make a file of a snippet.
type form struct{ before, after string }

// forms are tried one after the other. Each of the last is a function of another type,
// so that a snippet can return something.
func forms() []form {
	return []form{
		{},
		{"func _() { _ = ", "\n}"},
		{"func _() { _ = ctrl.NewControllerManagedBy(mgr).", "\n}"},
		{"func _() {", "\n}"},
		{"func _() error {", "\npanic(0)}"},
		{"func _() (reconcile.Result, error) {", "\npanic(0)}"},
		{"func _() (ctrl.Manager, error) {", "\npanic(0)}"},
		{"func _() reconcile.Result {", "\npanic(0)}"},
		{"func _() bool {", "\npanic(0)}"},
		{"type _ interface {", "\n}"},
	}
}

var elided = regexp.MustCompile(`(?m)…\s*$`)

// compile returns the first problem of a snippet, or nil.
func compile(packages *Packages, s Snippet) *Problem {
	code := strings.TrimRight(elided.ReplaceAllString(s.Code, "// …"), "\n")
	if strings.HasPrefix(strings.TrimSpace(firstCode(code)), "package ") {
		errs, _ := check(packages, s, code, false)
		return worst(s, errs)
	}
	var best scanner.ErrorList
	bestIsRead := false
	for _, f := range forms() {
		body := code
		if strings.Contains(f.before, "NewControllerManagedBy") {
			body = strings.TrimSuffix(strings.TrimRight(trimComment(code), " \t"), ".")
		}
		for _, variant := range variants() {
			errs, read := check(packages, s, assemble(packages, s, variant, f, body), true)
			if len(errs) == 0 {
				return nil
			}
			if best == nil || read && !bestIsRead || read == bestIsRead && better(errs, best, read) {
				best, bestIsRead = errs, read
			}
		}
	}
	return worst(s, best)
}

// better reports whether a form is nearer to what the snippet is meant to be: it has
// fewer errors, or could be read further.
func better(errs, than scanner.ErrorList, read bool) bool {
	if read {
		return len(errs) < len(than)
	}
	return errs[0].Pos.Line > than[0].Pos.Line
}

// firstCode returns code without the comments that it begins with.
func firstCode(code string) string {
	for strings.HasPrefix(code, "//") {
		_, code, _ = strings.Cut(code, "\n")
	}
	return code
}

// trimComment returns code without a comment at the end of its last line.
func trimComment(code string) string {
	last := strings.LastIndex(code, "\n") + 1
	before, _, _ := strings.Cut(code[last:], "//")
	return code[:last] + before
}

func worst(s Snippet, errs scanner.ErrorList) *Problem {
	if len(errs) == 0 {
		return nil
	}
	p := &Problem{File: s.File, Line: s.Line, Text: errs[0].Msg}
	if errs[0].Pos.Filename == s.File {
		p.Line = errs[0].Pos.Line
	}
	return p
}

// check returns the errors of a file, and whether it can be read. Unused variables and
// imports are none in what was assembled.
func check(packages *Packages, s Snippet, source string, assembled bool) (errs scanner.ErrorList, read bool) {
	files := token.NewFileSet()
	name := s.File
	if !assembled {
		source = fmt.Sprintf("//line %s:%d\n%s", s.File, s.Line, source)
	}
	f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if errors.As(err, &errs) && len(errs) > 0 {
		return errs, false
	}
	conf := types.Config{Importer: packages, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && (!assembled || !e.Soft && !isAlternative(e)) {
			errs = append(errs, &scanner.Error{Pos: files.Position(e.Pos), Msg: e.Msg})
		}
	}}
	_, _ = conf.Check("p", files, []*ast.File{f}, nil) // Its error is the first of errs.
	return errs, true
}

// isAlternative reports whether two methods have one name: each is a way to do it.
func isAlternative(e types.Error) bool { return sameMethod.MatchString(e.Msg) }

var sameMethod = regexp.MustCompile(`^(duplicate method|\s*other declaration of method) `)
