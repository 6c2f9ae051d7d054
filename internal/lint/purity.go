package lint

import (
	"go/ast"
	"strings"
)

// taskDir is the pure core: a state machine without goroutines, clock or
// network, so that a run can be replayed.
const taskDir = "internal/task"

var clockReads = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true,
	"AfterFunc": true, "Tick": true, "NewTimer": true, "NewTicker": true,
}

// PureTask checks that internal/task imports no net and no os, starts no
// goroutine and reads no clock.
func PureTask(r *Repo) []Problem {
	var ps []Problem
	for _, f := range r.Files {
		if f.Test || !within(f.Dir, taskDir) {
			continue
		}
		for _, imp := range f.AST.Imports {
			if p := unquote(imp.Path.Value); within(p, "net", "os", "syscall") {
				ps = append(ps, r.at("pure-task", imp.Pos(), "the task core must not import %s", p))
			}
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				ps = append(ps, r.at("pure-task", n.Pos(), "the task core starts no goroutine"))
			case *ast.SelectorExpr:
				if clockReads[n.Sel.Name] && refersTo(f, n.X, "time") {
					ps = append(ps, r.at("pure-task", n.Pos(), "the task core gets the time as an argument, not from time.%s", n.Sel.Name))
				}
			}
			return true
		})
	}
	return ps
}

// NoPrint checks that library packages write nothing to standard output or
// error.
func NoPrint(r *Repo) []Problem {
	return r.calls("no-print", func(f *File, call *ast.CallExpr) string {
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			if fun.Name == "print" || fun.Name == "println" {
				return "a library does not call " + fun.Name
			}
		case *ast.SelectorExpr:
			if strings.HasPrefix(fun.Sel.Name, "Print") && (refersTo(f, fun.X, "fmt") || refersTo(f, fun.X, "log")) {
				return "a library does not print; write to the io.Writer or slog.Logger that was given"
			}
		}
		return ""
	})
}

// NoBackground checks that library packages take their context from the caller.
func NoBackground(r *Repo) []Problem {
	return r.calls("no-background", func(f *File, call *ast.CallExpr) string {
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if ok && (fun.Sel.Name == "Background" || fun.Sel.Name == "TODO") && refersTo(f, fun.X, "context") {
			return "a library takes its context from the caller"
		}
		return ""
	})
}

// calls reports what the check says of the calls in library packages.
func (r *Repo) calls(rule string, check func(*File, *ast.CallExpr) string) []Problem {
	var ps []Problem
	for _, f := range r.Files {
		if peripheral(f) {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if text := check(f, call); text != "" {
					ps = append(ps, r.at(rule, call.Pos(), "%s", text))
				}
			}
			return true
		})
	}
	return ps
}

// refersTo reports whether x is the name under which f imports the package.
func refersTo(f *File, x ast.Expr, importPath string) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	for _, imp := range f.AST.Imports {
		if unquote(imp.Path.Value) != importPath {
			continue
		}
		if imp.Name != nil {
			return imp.Name.Name == id.Name
		}
		return id.Name == importPath[strings.LastIndexByte(importPath, '/')+1:]
	}
	return false
}
