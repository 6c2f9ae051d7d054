package expr

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/millrace/millrace/compat-tests/internal/judge"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
)

var (
	writeCorpus = flag.Bool("write-corpus", false, "write the committed expression scenarios and Java's goldens anew")
	rounds      = flag.Int("rounds", 20, "scenarios of 100 random expressions for Java to judge")
)

const corpus = "../../corpus/language"

// effects walks a parsed document's members.
func at(t *testing.T, node any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, ok := node.(*tree.Object)
			if !ok {
				t.Fatalf("no object before %q in %v", p, path)
			}
			node, _ = o.Get(p)
		case int:
			l, ok := node.([]any)
			if !ok || p >= len(l) {
				t.Fatalf("no element %d in %v", p, path)
			}
			node = l[p]
		}
	}
	return node
}

// compareEffects evaluates the expressions of a scenario made by the generator
// and compares them with the effects of Java's golden.
func compareEffects(t *testing.T, scenario, golden any) {
	t.Helper()
	statements := at(t, scenario, "topology", 1, "program", "process").([]any)
	effects, ok := at(t, golden, "steps", 0, "effects").([]any)
	if !ok || len(effects) != len(statements) {
		t.Fatalf("Java shows %d effects for %d statements: %s", len(effects), len(statements), tree.Compact(golden))
	}
	for i := range statements {
		source := at(t, statements[i], "effect")
		want := at(t, effects[i], "x")
		x, err := Parse(source, "effect")
		if err != nil {
			t.Errorf("%s: %v", tree.Compact(source), err)
			continue
		}
		v, err := x.Eval(Vars("key", "a", "value", "b", "ts", int64(0)))
		if got := value.Text(v); err != nil || got != want {
			t.Errorf("%s\n want %v\n got  %v, %v", tree.Compact(source), want, got, err)
		}
	}
}

func TestCommittedExpressions(t *testing.T) {
	if *writeCorpus {
		writeExpressions(t)
	}
	files, err := filepath.Glob(filepath.Join(corpus, "scenarios", "expressions-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no expression scenarios: %v", err)
	}
	for _, f := range files {
		compareEffects(t, load(t, f), load(t, filepath.Join(corpus, "golden", filepath.Base(f))))
	}
}

func load(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	node, err := tree.Parse(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return node
}

func writeExpressions(t *testing.T) {
	t.Helper()
	dir := filepath.Join(corpus, "scenarios")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		g := &generator{rand.New(rand.NewPCG(7, uint64(i)))}
		name := fmt.Sprintf("expressions-%d", i)
		text := tree.File(g.scenario(name, 120))
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := judge.Goldens(t.Context(), dir, filepath.Join(corpus, "golden")); err != nil {
		t.Fatal(err)
	}
}

func TestRandomExpressionsAgainstJava(t *testing.T) {
	if testing.Short() {
		t.Skip("asks Java")
	}
	if err := judge.Available(); err != nil {
		t.Skip(err)
	}
	java, err := judge.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := java.Close(); err != nil {
			t.Error(err)
		}
	}()
	for i := range *rounds {
		g := &generator{rand.New(rand.NewPCG(11, uint64(i)))}
		scenario := g.scenario(fmt.Sprint("random-", i), 100)
		golden, err := java.Golden([]byte(tree.Compact(scenario)))
		if err != nil {
			t.Fatal(err)
		}
		compareEffects(t, scenario, golden)
	}
}
