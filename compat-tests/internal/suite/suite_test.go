package suite

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// runner is an implementation whose answers the test gives.
type runner struct {
	missing []string
	run     func() *tree.Object
}

func (r runner) Missing(*scenario.Scenario) []string { return r.missing }

func (r runner) Run(*scenario.Scenario) *tree.Object { return r.run() }

const small = `{"name":"n","config":{"statestore.cache.max.bytes":"0"},"topology":[{"id":"s","op":"stream","topics":["a"]}]}`

func TestCompare(t *testing.T) {
	want := tree.NewObject("scenario", "n", "steps", []any{int64(1)})
	equal := func() *tree.Object { return tree.NewObject("scenario", "n", "steps", []any{int64(1)}) }
	for _, c := range []struct {
		name   string
		runner runner
		data   string
		status Status
		detail string
	}{
		{"equal", runner{run: equal}, small, Equal, ""},
		{"not yet", runner{missing: []string{"fly"}, run: equal}, small, NotYet, ""},
		{"different", runner{run: func() *tree.Object { return tree.NewObject("scenario", "n", "steps", []any{int64(2)}) }}, small, Different, "steps[0]"},
		{"panic", runner{run: func() *tree.Object { panic("ouch") }}, small, Different, "panic: ouch"},
		{"fault", runner{run: equal}, `{"name":"n"}`, Different, "config must set"},
	} {
		got := Compare(c.runner, []byte(c.data), want)
		if got.Status != c.status || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	fault := tree.NewObject("scenario", "n", "oracleError", "whatever")
	if got := Compare(runner{run: equal}, []byte(`{"name":"n"}`), fault); got.Status != Equal {
		t.Errorf("both sides see the fault: %+v", got)
	}
}

func TestTally(t *testing.T) {
	var tally Tally
	tally.Count(Result{Status: Equal}, Result{Status: NotYet, Missing: []string{"b", "a"}}, Result{Status: NotYet, Missing: []string{"b"}})
	if tally.String() != "1 equal, 0 different, 2 not yet" || tally.Waiting() != "b (2), a (1)" {
		t.Errorf("%s; %s", tally.String(), tally.Waiting())
	}
}
