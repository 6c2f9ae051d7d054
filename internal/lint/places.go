package lint

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// placePattern is a place in the code as documents write it: a path, a colon,
// and a function, method, type, variable or constant.
var placePattern = regexp.MustCompile("`([\\w./-]+\\.go):([\\w.]+)`")

// Places checks that what documents write as `path/file.go:name` exists: a
// name that is declared in that file, with type.method for methods. The path
// begins at the root.
func Places(r *Repo) []Problem {
	files := make(map[string]*File)
	for _, f := range r.Files {
		files[f.Path] = f
	}
	var ps []Problem
	for _, p := range r.Markdown {
		lines, err := r.markdown(p)
		if err != nil {
			ps = append(ps, Problem{Rule: "places", Path: p, Text: err.Error()})
			continue
		}
		for _, l := range lines {
			for _, m := range placePattern.FindAllStringSubmatch(l.text, -1) {
				if why := missingPlace(files[path.Clean(m[1])], m[1], m[2]); why != "" && !l.code {
					ps = append(ps, Problem{Rule: "places", Path: p, Line: l.number, Text: why})
				}
			}
		}
	}
	return ps
}

func missingPlace(f *File, file, name string) string {
	if f == nil {
		return fmt.Sprintf("there is no file %s", file)
	}
	for _, d := range f.AST.Decls {
		for _, have := range placeNames(d) {
			if have == name {
				return ""
			}
		}
	}
	return fmt.Sprintf("%s does not declare %s", file, name)
}

// placeNames are the names by which documents may call a declaration.
func placeNames(d ast.Decl) []string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		var names []string
		for _, id := range declared(d) {
			names = append(names, id.Name)
		}
		return names
	}
	if fn.Recv == nil {
		return []string{fn.Name.Name}
	}
	return []string{receiverName(fn) + "." + fn.Name.Name}
}

// receiverName is the type of a method without star and type parameters.
func receiverName(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return strings.TrimSpace(fmt.Sprint(t))
		}
	}
}
