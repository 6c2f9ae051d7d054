// Package suite compares an implementation with Java's goldens: one scenario, a
// folder of them, and what to say about the result. It refuses to know how a
// scenario is run.
package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/millrace/millrace/compat-tests/internal/golden"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// Runner is an implementation of the scenario language.
type Runner interface {
	// Missing lists the words of the scenario that are not implemented yet.
	Missing(*scenario.Scenario) []string
	// Run gives the golden of a scenario that misses nothing.
	Run(*scenario.Scenario) *tree.Object
}

// Status is how a comparison ended.
type Status int

// The ends of a comparison. A scenario that cannot be run yet is NotYet and
// never Equal.
const (
	Equal Status = iota
	Different
	NotYet
)

// Result is the comparison of one scenario.
type Result struct {
	Name    string
	Status  Status
	Missing []string // of NotYet
	Detail  string   // of Different: where the documents differ, or what went wrong
	Got     *tree.Object
}

// timeout ends the wait for a scenario that does not come to an end.
const timeout = 20 * time.Second

// Compare runs a scenario and compares with Java's golden.
func Compare(r Runner, data []byte, want *tree.Object) Result {
	s, name, err := scenario.Parse(data)
	if err != nil {
		return faulty(name, err, want)
	}
	if missing := r.Missing(s); len(missing) > 0 {
		return Result{Name: name, Status: NotYet, Missing: missing}
	}
	got, err := guarded(func() *tree.Object { return r.Run(s) })
	if err != nil {
		return Result{Name: name, Status: Different, Detail: err.Error()}
	}
	if d := golden.Compare(want, got); d != nil {
		return Result{Name: name, Status: Different, Detail: d.String() + explained(got), Got: got}
	}
	return Result{Name: name, Status: Equal, Got: got}
}

// explained adds what the implementation says about its errors.
func explained(got *tree.Object) string {
	if why, ok := got.Get("advisory"); ok {
		return "\n  said " + tree.Compact(why)
	}
	return ""
}

// faulty judges a scenario that cannot be read: Java must say so, too. The texts
// of oracle errors do not bind.
func faulty(name string, err error, want *tree.Object) Result {
	if _, ok := want.Get("oracleError"); ok {
		return Result{Name: name, Status: Equal}
	}
	return Result{Name: name, Status: Different, Detail: err.Error()}
}

// guarded turns a panic and a run without end into errors.
func guarded(run func() *tree.Object) (*tree.Object, error) {
	type answer struct {
		got *tree.Object
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
			done <- a
		}()
		a.got = run()
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case a := <-done:
		return a.got, a.err
	case <-timer.C:
		return nil, fmt.Errorf("no end after %v", timeout)
	}
}

// Files lists the scenarios of a folder in order.
func Files(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no scenarios in %s (%v)", dir, err)
	}
	slices.Sort(files)
	return files, nil
}

// Folder compares every scenario of a folder with the golden of the same name.
func Folder(r Runner, scenarios, goldens string) ([]Result, error) {
	files, err := Files(scenarios)
	if err != nil {
		return nil, err
	}
	var out []Result
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read a scenario: %w", err)
		}
		want, err := golden.Load(filepath.Join(goldens, filepath.Base(f)))
		if err != nil {
			return nil, err
		}
		res := Compare(r, data, want)
		res.Name = strings.TrimSuffix(filepath.Base(f), ".json")
		out = append(out, res)
	}
	return out, nil
}

// Tally counts results.
type Tally struct {
	Equal, Different, NotYet int
	// Missing counts, per word, the scenarios that wait for it.
	Missing map[string]int
}

// Count adds results to the tally.
func (t *Tally) Count(results ...Result) {
	for _, r := range results {
		switch r.Status {
		case Equal:
			t.Equal++
		case Different:
			t.Different++
		case NotYet:
			t.NotYet++
		}
		for _, w := range r.Missing {
			if t.Missing == nil {
				t.Missing = map[string]int{}
			}
			t.Missing[w]++
		}
	}
}

// String is the final line of a report.
func (t *Tally) String() string {
	return fmt.Sprintf("%d equal, %d different, %d not yet", t.Equal, t.Different, t.NotYet)
}

// Waiting lists the missing words by how many scenarios wait for them.
func (t *Tally) Waiting() string {
	list := make([]string, 0, len(t.Missing))
	for w := range t.Missing {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b string) int {
		if d := t.Missing[b] - t.Missing[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, w := range list {
		list[i] = fmt.Sprintf("%s (%d)", w, t.Missing[w])
	}
	return strings.Join(list, ", ")
}
