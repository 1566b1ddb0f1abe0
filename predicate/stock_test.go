package predicate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	stock "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/trimtab/trimtab/predicate"
)

// Everything that controller-runtime's package exports, in the version that
// this build selected, is here: types as aliases, functions as one-line calls.
func TestParity(t *testing.T) {
	theirs := exported(t, stockDir(t))
	ours := exported(t, ".")
	require.GreaterOrEqual(t, len(theirs), 16, "the source was not found")
	for name, decl := range theirs {
		switch decl.(type) {
		case *ast.TypeSpec:
			spec, ok := ours[name].(*ast.TypeSpec)
			require.True(t, ok, "type %s is missing", name)
			require.True(t, spec.Assign.IsValid(), "%s is no alias", name)
			require.Equal(t, name, selected(spec.Type), "%s is an alias of something else", name)
		case *ast.FuncDecl:
			f, ok := ours[name].(*ast.FuncDecl)
			require.True(t, ok, "func %s is missing", name)
			require.Len(t, f.Body.List, 1)
			ret, ok := f.Body.List[0].(*ast.ReturnStmt)
			require.True(t, ok, "%s does more than return", name)
			call, ok := ret.Results[0].(*ast.CallExpr)
			require.True(t, ok, "%s does not call", name)
			require.Equal(t, name, selected(call.Fun), "%s calls something else", name)
		default:
			t.Errorf("%s is neither a type nor a function: decide what it is here", name)
		}
	}
}

// selected returns the name that an expression selects from the package
// predicate, its type arguments aside.
func selected(e ast.Expr) string {
	if index, ok := e.(*ast.IndexExpr); ok {
		e = index.X
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.X.(*ast.Ident).Name != "predicate" {
		return ""
	}
	return sel.Sel.Name
}

// stockDir finds the source that this test was built from, whatever -modfile,
// replace or workspace chose it.
func stockDir(t *testing.T) string {
	t.Helper()
	pc := reflect.ValueOf(stock.NewPredicateFuncs).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	if !filepath.IsAbs(file) { // -trimpath
		cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
		require.NoError(t, err)
		file = filepath.Join(strings.TrimSpace(string(cache)), file)
	}
	return filepath.Dir(file)
}

// exported returns the declarations of the exported names of a package.
func exported(t *testing.T, dir string) map[string]ast.Node {
	t.Helper()
	names := map[string]ast.Node{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					names[d.Name.Name] = d
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							names[s.Name.Name] = s
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if n.IsExported() {
								names[n.Name] = s
							}
						}
					}
				}
			}
		}
	}
	return names
}

// The re-exports behave as they do there, where a case says how.
func TestStockComposition_PR12(t *testing.T) {
	pod := &corev1.Pod{}
	create, update := event.CreateEvent{Object: pod}, event.UpdateEvent{ObjectOld: pod, ObjectNew: pod}
	noCreates := predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return false }}

	require.True(t, predicate.And[client.Object]().Create(create))
	require.False(t, predicate.Or[client.Object]().Create(create))
	require.False(t, predicate.Not[client.Object](predicate.GenerationChangedPredicate{}).Create(create))
	require.True(t, predicate.Or[client.Object](noCreates, predicate.GenerationChangedPredicate{}).Create(create))

	// Ours compose by the same rules: And keeps the other's creates dropped.
	require.False(t, predicate.And(noCreates, predicate.SpecChanged()).Create(create))
	require.True(t, predicate.Or(noCreates, predicate.SpecChanged()).Create(create))
	labelled := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 1, Labels: map[string]string{"a": "b"}}}
	unlabelled := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	either := predicate.Or[client.Object](predicate.SpecChanged(), predicate.LabelChangedPredicate{})
	require.True(t, either.Update(event.UpdateEvent{ObjectOld: unlabelled, ObjectNew: labelled}))
	require.False(t, either.Update(update))
}

func TestStockFunctions(t *testing.T) {
	a := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": "x"}}}
	b := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	isA := func(o client.Object) bool { return o.GetName() == "a" }
	selector, err := predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}})
	require.NoError(t, err)
	for name, p := range map[string]predicate.Predicate{
		"NewPredicateFuncs":      predicate.NewPredicateFuncs(isA),
		"NewTypedPredicateFuncs": predicate.NewTypedPredicateFuncs(isA),
		"LabelSelectorPredicate": selector,
	} {
		require.True(t, p.Create(event.CreateEvent{Object: a}), name)
		require.False(t, p.Create(event.CreateEvent{Object: b}), name)
	}
	_, err = predicate.LabelSelectorPredicate(metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Operator: "Near"}}})
	require.Error(t, err)
}
