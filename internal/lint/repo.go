package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/version"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Repo is a repository as the rules see it: every Go file parsed, every
// Markdown file by path.
type Repo struct {
	// FS is the tree itself, for rules that look files up.
	FS fs.FS
	// Module is the module path from go.mod.
	Module string
	// Fset gives the positions of every file.
	Fset *token.FileSet
	// Files are the Go files, test files too, by path.
	Files []*File
	// Markdown are the paths of the Markdown files.
	Markdown []string
}

// File is one Go file.
type File struct {
	// Path is slash-separated and relative to the root; Dir is its folder, "."
	// for the root.
	Path, Dir string
	// AST is the syntax tree with comments.
	AST *ast.File
	// Lines is the number of lines.
	Lines int
	// Test tells whether it is a _test.go file, Generated whether a tool wrote it.
	Test, Generated bool
}

// Problem is one breach of a rule.
type Problem struct {
	// Rule is the rule's name.
	Rule string
	// Path and Line say where; Line is 0 for a whole file or package.
	Path string
	Line int
	// Text says what is wrong and what would be right.
	Text string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", p.Path, p.Line, p.Rule, p.Text)
}

// Load reads a repository. Hidden folders, testdata and build output are left
// out, as are files that need a newer Go than this one.
func Load(fsys fs.FS) (*Repo, error) {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, fmt.Errorf("read module file: %w", err)
	}
	r := &Repo{FS: fsys, Fset: token.NewFileSet(), Module: modulePath(mod)}
	if r.Module == "" {
		return nil, fmt.Errorf("go.mod names no module")
	}
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && skipped(d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case strings.HasSuffix(p, ".md"):
			r.Markdown = append(r.Markdown, p)
		case strings.HasSuffix(p, ".go"):
			return r.parse(p)
		}
		return nil
	})
	return r, err
}

func skipped(dir string) bool {
	return dir[0] == '.' || dir[0] == '_' || dir == "testdata" || dir == "target" || dir == "node_modules"
}

func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

func (r *Repo) parse(p string) error {
	src, err := fs.ReadFile(r.FS, p)
	if err != nil {
		return err
	}
	if needsNewerGo(src) {
		return nil
	}
	tree, err := parser.ParseFile(r.Fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	r.Files = append(r.Files, &File{
		Path: p, Dir: path.Dir(p), AST: tree, Lines: bytes.Count(src, []byte("\n")),
		Test: strings.HasSuffix(p, "_test.go"), Generated: ast.IsGenerated(tree),
	})
	return nil
}

// needsNewerGo reports whether a build constraint asks for a release whose
// syntax this parser may not know.
func needsNewerGo(src []byte) bool {
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, "package ") {
			return false
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			return false
		}
		return version.Compare(constraint.GoVersion(expr), version.Lang(runtime.Version())) > 0
	}
	return false
}

func (r *Repo) at(rule string, pos token.Pos, format string, args ...any) Problem {
	p := r.Fset.Position(pos)
	return Problem{Rule: rule, Path: p.Filename, Line: p.Line, Text: fmt.Sprintf(format, args...)}
}

// dirs returns the folders that hold Go files which are no tests, sorted, with
// those files.
func (r *Repo) dirs() ([]string, map[string][]*File) {
	byDir := map[string][]*File{}
	for _, f := range r.Files {
		if !f.Test {
			byDir[f.Dir] = append(byDir[f.Dir], f)
		}
	}
	names := make([]string, 0, len(byDir))
	for d := range byDir {
		names = append(names, d)
	}
	slices.Sort(names)
	return names, byDir
}

// within reports whether dir is one of the folders or below one.
func within(dir string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return dir == f || strings.HasPrefix(dir, f+"/")
	})
}

// peripheral folders are programs and tests around the library, which are
// bound by the rules of size and names only.
func peripheral(f *File) bool {
	return f.Test || f.AST.Name.Name == "main" || within(f.Dir, "examples", "bench", "compat-tests")
}

func sortProblems(ps []Problem) []Problem {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return ps
}
