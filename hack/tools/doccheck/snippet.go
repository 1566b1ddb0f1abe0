package doccheck

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// Snippet is a piece of Go in a page or a doc comment.
type Snippet struct {
	File  string
	Line  int    // where it begins
	Code  string // it
	Needs string // declarations that it needs beside the common ones
}

// Comments returns the Go snippets in all doc comments of a Go file, by its path from
// root.
func Comments(root, file string) (snippets []Snippet, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("doccheck: %w", err)
	}
	for _, group := range docs(parsed) {
		var p comment.Parser
		for _, block := range p.Parse(group.Text()).Content {
			if code, ok := block.(*comment.Code); ok && looksLikeGo(code.Text) {
				snippets = append(snippets, Snippet{File: file, Line: lineOf(files, group, code.Text), Code: code.Text})
			}
		}
	}
	return snippets, nil
}

// docs returns the comments of f that godoc shows.
func docs(f *ast.File) (groups []*ast.CommentGroup) {
	add := func(group *ast.CommentGroup) {
		if group != nil {
			groups = append(groups, group)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			add(n.Doc)
		case *ast.GenDecl:
			add(n.Doc)
		case *ast.FuncDecl:
			add(n.Doc)
			return false
		case *ast.TypeSpec:
			add(n.Doc)
		case *ast.ValueSpec:
			add(n.Doc)
		case *ast.Field:
			add(n.Doc)
		}
		return true
	})
	return groups
}

// lineOf returns the line at which code begins in a comment.
func lineOf(files *token.FileSet, group *ast.CommentGroup, code string) int {
	first, _, _ := strings.Cut(strings.TrimSpace(code), "\n")
	for _, c := range group.List {
		if strings.Contains(c.Text, first) {
			return files.Position(c.Pos()).Line
		}
	}
	return files.Position(group.Pos()).Line
}

var (
	// row is a line of a table: a word, and from two spaces on what it means.
	row = regexp.MustCompile(`^\S+( \S+){0,2} {2,}\S`)
	// yaml is a key, which no statement of Go is: that has a space, or =, too.
	yaml    = regexp.MustCompile(`^[a-zA-Z]+:( |$)`)
	command = regexp.MustCompile(`^(go|make|kubectl|helm) [a-z]`)
)

// looksLikeGo tells a snippet from the other blocks of doc comments: tables, trees of
// spans, commands, YAML.
func looksLikeGo(code string) bool {
	lines, rows := 0, 0
	for text := range strings.Lines(code) {
		switch {
		case strings.TrimSpace(text) == "":
			continue
		case lines == 0 && (yaml.MatchString(text) || command.MatchString(text)):
			return false
		case row.MatchString(text), strings.HasPrefix(text, " "):
			rows++
		}
		lines++
	}
	return 2*rows <= lines && !strings.ContainsAny(code, "├└│")
}
