package lint

import (
	"fmt"
	"go/ast"
	"go/token"
)

const (
	maxFileLines     = 600
	maxFuncLines     = 80
	maxSwitchLines   = 150
	maxTestFuncLines = 150
)

// Sizes checks the length of files and functions. A function that is one flat
// switch, and a test with its table, may be longer.
func Sizes(r *Repo) []Problem {
	var ps []Problem
	for _, f := range r.Files {
		if f.Generated {
			continue
		}
		if f.Lines > maxFileLines {
			ps = append(ps, Problem{Rule: "size", Path: f.Path, Text: fmt.Sprintf("file has %d lines, %d are allowed", f.Lines, maxFileLines)})
		}
		for _, d := range f.AST.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			limit := maxFuncLines
			switch {
			case f.Test:
				limit = maxTestFuncLines
			case r.isSwitch(fn.Body):
				limit = maxSwitchLines
			}
			if n := r.span(fn.Pos(), fn.End()); n > limit {
				ps = append(ps, r.at("size", fn.Pos(), "%s has %d lines, %d are allowed", fn.Name.Name, n, limit))
			}
		}
	}
	return ps
}

// isSwitch reports whether the longest statement of a body is a switch or
// select.
func (r *Repo) isSwitch(body *ast.BlockStmt) bool {
	longest, is := 0, false
	for _, s := range body.List {
		if n := r.span(s.Pos(), s.End()); n > longest {
			longest = n
			switch s.(type) {
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				is = true
			default:
				is = false
			}
		}
	}
	return is
}

func (r *Repo) span(from, to token.Pos) int {
	return r.Fset.Position(to).Line - r.Fset.Position(from).Line + 1
}
