package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
)

// orderedDirs are the packages whose output must not depend on map order: the
// DSL names nodes by a counter, a task replays, and topologies are compared.
var orderedDirs = []string{"internal/dsl", "internal/task", "processor"}

// unordered are the functions of package maps whose result has map order.
var unordered = map[string]bool{"All": true, "Keys": true, "Values": true}

// MapRanges type-checks the ordered packages and reports where they range over
// a map, or over the iterators of package maps without sorting them first.
// imports resolves what they import, see [ExportData].
func MapRanges(r *Repo, imports types.Importer) []Problem {
	var ps []Problem
	names, byDir := r.dirs()
	for _, dir := range names {
		if !within(dir, orderedDirs...) {
			continue
		}
		trees := make([]*ast.File, 0, len(byDir[dir]))
		for _, f := range byDir[dir] {
			trees = append(trees, f.AST)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: imports}
		if _, err := config.Check(r.Module+"/"+dir, r.Fset, trees, info); err != nil {
			ps = append(ps, Problem{Rule: "map-range", Path: dir, Text: "type check: " + err.Error()})
			continue
		}
		for _, t := range trees {
			ps = append(ps, r.rangesIn(t, info)...)
		}
	}
	return sortProblems(ps)
}

func (r *Repo) rangesIn(t *ast.File, info *types.Info) []Problem {
	var ps []Problem
	ast.Inspect(t, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		switch {
		case isMap(info.TypeOf(loop.X)):
			ps = append(ps, r.at("map-range", loop.Pos(), "the order of a map must not show; sort its keys or keep a slice"))
		case isMapIterator(loop.X, info):
			ps = append(ps, r.at("map-range", loop.Pos(), "the order of a map must not show; use slices.Sorted"))
		}
		return true
	})
	return ps
}

// isMap reports whether t, or every type of its type set, is a map.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Map); ok {
		return true
	}
	param, ok := t.(*types.TypeParam)
	if !ok {
		return false
	}
	constraint, ok := param.Constraint().Underlying().(*types.Interface)
	if !ok || constraint.NumEmbeddeds() == 0 {
		return false
	}
	for i := range constraint.NumEmbeddeds() {
		embedded := constraint.EmbeddedType(i)
		if u, ok := embedded.(*types.Union); ok && u.Len() > 0 {
			embedded = u.Term(0).Type()
		}
		if _, ok := embedded.Underlying().(*types.Map); ok {
			return true
		}
	}
	return false
}

func isMapIterator(x ast.Expr, info *types.Info) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !unordered[fun.Sel.Name] {
		return false
	}
	object := info.Uses[fun.Sel]
	return object != nil && object.Pkg() != nil && object.Pkg().Path() == "maps"
}

// ExportData returns an importer of everything the packages need, from the
// compiler's own output: `go list` builds what is not in the build cache.
func ExportData(fset *token.FileSet, root string, packages ...string) (types.Importer, error) {
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list of %s: %w\n%s", strings.Join(packages, " "), err, stderr.String())
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		p, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[p] = file
	}
	return importer.ForCompiler(fset, "gc", func(p string) (io.ReadCloser, error) {
		if files[p] == "" {
			return nil, fmt.Errorf("no export data of %s", p)
		}
		return os.Open(files[p])
	}), nil
}
