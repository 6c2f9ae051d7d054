package lint

import (
	"go/ast"
	"strings"
)

// PackageDocs checks that every package, commands too, has one doc comment and
// that it is more than a name.
func PackageDocs(r *Repo) []Problem {
	var ps []Problem
	names, byDir := r.dirs()
	for _, dir := range names {
		var docs []string
		for _, f := range byDir[dir] {
			if f.AST.Doc != nil {
				docs = append(docs, f.AST.Doc.Text())
			}
		}
		switch {
		case len(docs) == 0:
			ps = append(ps, Problem{Rule: "package-doc", Path: dir, Text: "package has no doc comment"})
		case len(docs) > 1:
			ps = append(ps, Problem{Rule: "package-doc", Path: dir, Text: "package has doc comments in several files"})
		case len(strings.Fields(docs[0])) < 5:
			ps = append(ps, Problem{Rule: "package-doc", Path: dir, Text: "package doc says nothing"})
		}
	}
	return ps
}

// ExportedDocs checks that every exported name of a library package has a doc
// comment: constants, variables, types, functions, and methods of exported
// types. A comment of a group serves its members. Error, Unwrap and String are
// explained by the interfaces they satisfy.
func ExportedDocs(r *Repo) []Problem {
	var ps []Problem
	for _, f := range r.Files {
		if peripheral(f) || f.Generated {
			continue
		}
		for _, d := range f.AST.Decls {
			for _, id := range undocumented(d) {
				ps = append(ps, r.at("exported-doc", id.Pos(), "%s has no doc comment", id.Name))
			}
		}
	}
	return ps
}

func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !selfExplaining(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Doc != nil && d.Lparen.IsValid() {
			return nil
		}
		var ids []*ast.Ident
		for _, s := range d.Specs {
			ids = append(ids, undocumentedSpec(d, s)...)
		}
		return ids
	}
	return nil
}

func undocumentedSpec(d *ast.GenDecl, s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
			return []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		if d.Doc != nil || s.Doc != nil || s.Comment != nil {
			return nil
		}
		for _, n := range s.Names {
			if n.IsExported() {
				return []*ast.Ident{n}
			}
		}
	}
	return nil
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

func selfExplaining(d *ast.FuncDecl) bool {
	switch d.Name.Name {
	case "Error", "Unwrap", "String":
		return d.Recv != nil
	}
	return false
}
