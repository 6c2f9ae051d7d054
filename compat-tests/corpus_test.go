package compat

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/millrace/millrace/compat-tests/internal/judge"
	"github.com/millrace/millrace/compat-tests/internal/run"
	"github.com/millrace/millrace/compat-tests/internal/suite"
)

// folders are the parts of the corpus: dsl goes through the language op by op,
// reported holds problems that users met, language the expressions, found what
// random scenarios brought to light.
func folders(t *testing.T) []string {
	t.Helper()
	dirs, err := filepath.Glob("corpus/*")
	if err != nil || len(dirs) < 3 {
		t.Fatalf("found the folders %v, %v", dirs, err)
	}
	return dirs
}

// TestCorpus compares every scenario whose words are implemented with the
// committed golden. It needs no JVM.
func TestCorpus(t *testing.T) {
	var all suite.Tally
	for _, dir := range folders(t) {
		results, err := suite.Folder(run.Interpreter{}, filepath.Join(dir, "scenarios"), filepath.Join(dir, "golden"))
		if err != nil {
			t.Fatal(err)
		}
		var tally suite.Tally
		tally.Count(results...)
		all.Count(results...)
		for _, r := range results {
			if r.Status == suite.Different {
				t.Errorf("%s/%s %s", filepath.Base(dir), r.Name, r.Detail)
			}
		}
		t.Logf("%s: %s", filepath.Base(dir), &tally)
	}
	t.Logf("all: %s; waiting for %s", &all, all.Waiting())
	if all.Equal == 0 {
		t.Error("no scenario is equal")
	}
}

// requireJVM makes the tests that ask Java fail instead of being skipped.
const requireJVM = "MILLRACE_REQUIRE_JVM"

// needJava skips a test where Java cannot be asked.
func needJava(t *testing.T) {
	t.Helper()
	err := judge.Available()
	switch {
	case err == nil && os.Getenv(requireJVM) == "" && testing.Short():
		t.Skip("skipped: asks Java, which -short leaves out")
	case err != nil && os.Getenv(requireJVM) != "":
		t.Fatal(err)
	case err != nil:
		t.Skipf("skipped: %v; set %s=1 to make Java mandatory", err, requireJVM)
	}
}

// TestGoldensAreJavas has Java write all goldens anew: the committed ones must
// be what it writes, byte for byte.
func TestGoldensAreJavas(t *testing.T) {
	needJava(t)
	checked := 0
	for _, dir := range folders(t) {
		fresh := t.TempDir()
		if err := judge.Goldens(t.Context(), filepath.Join(dir, "scenarios"), fresh); err != nil {
			t.Fatal(err)
		}
		files, err := suite.Files(filepath.Join(dir, "golden"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			checked++
			want, err := os.ReadFile(filepath.Join(fresh, filepath.Base(f)))
			if err != nil {
				t.Errorf("%s: no scenario for the golden: %v", f, err)
				continue
			}
			got, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) {
				t.Errorf("%s is not what Java writes", f)
			}
		}
	}
	t.Logf("%d goldens are what Java writes", checked)
}
