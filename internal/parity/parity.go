package parity

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// Source returns the folder of the source of f, a function, that this program was
// built from, whatever -modfile, replace or workspace chose it.
func Source(f any) (string, error) {
	pc := reflect.ValueOf(f).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	if !filepath.IsAbs(file) { // -trimpath
		cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
		if err != nil {
			return "", fmt.Errorf("parity: find the module cache: %w", err)
		}
		file = filepath.Join(strings.TrimSpace(string(cache)), file)
	}
	return filepath.Dir(file), nil
}

// Faults returns what the package in the folder ours lacks of the package pkg in
// the folder theirs: each of its exported types must be an alias there, each of its
// functions a function that only calls it, and each of its constants a constant.
// A variable is a fault: somebody has to decide what it is to be.
func Faults(pkg, theirs, ours string) ([]string, error) {
	want, err := exported(theirs)
	if err != nil {
		return nil, err
	}
	got, err := exported(ours)
	if err != nil {
		return nil, err
	}
	if len(want) == 0 {
		return nil, fmt.Errorf("parity: %s: no exported names", theirs)
	}
	var faults []string
	for name, decl := range want {
		if fault := compare(pkg, name, decl, got[name]); fault != "" {
			faults = append(faults, name+" "+fault)
		}
	}
	return faults, nil
}

// constant is the declaration of constants.
type constant struct{ *ast.ValueSpec }

// compare returns what is wrong with got as the re-export of want, or "".
func compare(pkg, name string, want, got ast.Node) string {
	switch want.(type) {
	case *ast.TypeSpec:
		spec, ok := got.(*ast.TypeSpec)
		if !ok || !spec.Assign.IsValid() || selected(pkg, spec.Type) != name {
			return "is a type: it must be an alias of it"
		}
	case *ast.FuncDecl:
		f, ok := got.(*ast.FuncDecl)
		if !ok || selected(pkg, called(f)) != name {
			return "is a function: it must be a function that only calls it"
		}
	case constant:
		c, ok := got.(constant)
		if !ok || len(c.Values) != 1 || selected(pkg, c.Values[0]) != name {
			return "is a constant: it must be a constant of its value"
		}
	default:
		return "is a variable"
	}
	return ""
}

// called returns the function that f calls if it does nothing else, or nil.
func called(f *ast.FuncDecl) ast.Expr {
	if len(f.Body.List) != 1 {
		return nil
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	call, ok := ret.Results[0].(*ast.CallExpr)
	if !ok {
		return nil
	}
	return call.Fun
}

// selected returns the name that e selects from the package pkg, its type
// arguments aside, or "".
func selected(pkg string, e ast.Expr) string {
	switch index := e.(type) {
	case *ast.IndexExpr:
		e = index.X
	case *ast.IndexListExpr:
		e = index.X
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != pkg {
		return ""
	}
	return sel.Sel.Name
}

// exported returns the declarations of the exported names of the package in dir.
func exported(dir string) (map[string]ast.Node, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("parity: %w", err)
	}
	names := map[string]ast.Node{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parity: %w", err)
		}
		for _, decl := range parsed.Decls {
			declared(decl, func(id *ast.Ident, node ast.Node) {
				if id.IsExported() {
					names[id.Name] = node
				}
			})
		}
	}
	return names, nil
}

// declared calls add for each name that decl declares in its package.
func declared(decl ast.Decl, add func(*ast.Ident, ast.Node)) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name, d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name, s)
			case *ast.ValueSpec:
				var node ast.Node = s
				if d.Tok == token.CONST {
					node = constant{s}
				}
				for _, id := range s.Names {
					add(id, node)
				}
			}
		}
	}
}
