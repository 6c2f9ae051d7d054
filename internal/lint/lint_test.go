package lint

import (
	"os"
	"testing"
)

const root = "../.."

func load(t *testing.T) *Repo {
	t.Helper()
	r, err := Load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHouseRules runs every rule over this repository.
func TestHouseRules(t *testing.T) {
	r := load(t)
	if len(r.Files) == 0 || len(r.Module) == 0 {
		t.Fatal("no Go files found")
	}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			for _, p := range sortProblems(rule.Check(r)) {
				t.Error(p)
			}
		})
	}
}

// TestMapRanges needs types and so the compiler's output for the imports.
func TestMapRanges(t *testing.T) {
	r := load(t)
	var packages []string
	names, _ := r.dirs()
	for _, dir := range names {
		if within(dir, orderedDirs...) {
			packages = append(packages, "./"+dir)
		}
	}
	if len(packages) == 0 {
		t.Fatalf("none of %v exists", orderedDirs)
	}
	imports, err := ExportData(r.Fset, root, packages...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range MapRanges(r, imports) {
		t.Error(p)
	}
}
