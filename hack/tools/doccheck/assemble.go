package doccheck

import (
	_ "embed" // for the context
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

//go:embed context.go.txt
var contextSource string

// variants are what r and h may be.
func variants() []string {
	return []string{
		"var r *Reconciler; var h handler.EventHandler",
		"var r reconcile.Reconciler; var h handler.TypedEventHandler[*corev1.Secret, reconcile.Request]",
	}
}

// assemble makes a file of a snippet: its imports, what of the context it does not
// declare itself, and the snippet. It is "" if it can't be read.
func assemble(packages *Packages, s Snippet, variant string, f form, code string) string {
	own := fmt.Sprintf("//line %s:%d\n%s%s%s\n", s.File, s.Line, f.before, "\n//line "+fmt.Sprintf("%s:%d\n", s.File, s.Line)+code, f.after)
	needs, imports := cutImports(s.Needs)
	rest := needs + "\n" + own
	without := declared(rest)
	for name := range selectedFrom(rest) {
		without[name] = without[name] || packages.ByName[name] != ""
	}
	body := context(variant, without) + rest
	return "package p\n" + imports + neededImports(packages, imports, body) + body
}

// cutImports parts the imports of a snippet's needs from its declarations.
func cutImports(needs string) (declarations, imports string) {
	for text := range strings.Lines(needs) {
		if strings.HasPrefix(text, "import ") {
			imports += strings.TrimSpace(text) + "\n"
			continue
		}
		declarations += text
	}
	return declarations, imports
}

// parse reads declarations, as far as they can be read.
func parse(declarations string) *ast.File {
	f, _ := parser.ParseFile(token.NewFileSet(), "", "package p\n"+declarations, parser.SkipObjectResolution)
	return f
}

// declared returns the names that the declarations declare; a method's is with its
// type.
func declared(declarations string) map[string]bool {
	names := map[string]bool{}
	for _, d := range parse(declarations).Decls {
		for _, name := range namesOf(d) {
			names[name] = true
		}
	}
	return names
}

func namesOf(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{methodName(d)}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			names = append(names, specNames(spec)...)
		}
	}
	return names
}

func specNames(spec ast.Spec) (names []string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return []string{spec.Name.Name}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

func methodName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	return types.ExprString(of) + "." + f.Name.Name
}

// context returns the declarations of the context but for those names.
func context(variant string, without map[string]bool) string {
	var b strings.Builder
	_, source, _ := strings.Cut(contextSource, "\n")
	for _, d := range parse(source + variant).Decls {
		if group, ok := d.(*ast.GenDecl); ok {
			for _, spec := range group.Specs {
				if !anyOf(specNames(spec), without) {
					write(&b, &ast.GenDecl{Tok: group.Tok, Specs: []ast.Spec{spec}})
				}
			}
			continue
		}
		if names := namesOf(d); !anyOf(names, without) {
			write(&b, d)
		}
	}
	return b.String()
}

func anyOf(names []string, of map[string]bool) bool {
	return slices.ContainsFunc(names, func(name string) bool { return of[name] })
}

func write(b *strings.Builder, d ast.Decl) {
	_ = printer.Fprint(b, token.NewFileSet(), d) // to memory
	b.WriteString("\n")
}

// neededImports returns the imports of the table that body uses and that are not among
// those given.
func neededImports(packages *Packages, given, body string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(selectedFrom(body))) {
		if path := packages.ByName[name]; path != "" && !strings.Contains(given, "import "+name+" ") {
			fmt.Fprintf(&b, "import %s %q\n", name, path)
		}
	}
	return b.String()
}

// selectedFrom returns the x of all x.Name in declarations.
func selectedFrom(declarations string) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(parse(declarations), func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}
