// Package fuzz lets Java draw random scenarios and judge them, runs the same
// ones here, and makes what differs small. It owns the loop, its state on disk
// and the shrinking; it refuses to know how a scenario is run.
package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/millrace/millrace/compat-tests/internal/judge"
	"github.com/millrace/millrace/compat-tests/internal/suite"
	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// Options say what to draw and when to stop.
type Options struct {
	// Seed is that of the first batch; each batch takes the next one.
	Seed int64
	// Count is the number of scenarios; 0 means until Limit or cancellation.
	Count int
	// Limit ends the loop after the scenario at hand; 0 means no limit.
	Limit time.Duration
	// Words and ConfigKeys limit the draw; nil allows everything.
	Words, ConfigKeys []string
	// Keep is the folder for differences and for the state a later run with the
	// same options resumes from; empty keeps nothing.
	Keep string
	// Show is how many differences are printed in full.
	Show int
	// Out gets progress and differences.
	Out io.Writer
}

// batchSize is the number of scenarios that one run of the generator writes.
const batchSize = 100

// state is what a later run resumes from.
type state struct {
	Options string // of the run, to notice that they changed
	Batch   int64  // finished batches
	Tally   suite.Tally
}

type loop struct {
	Options
	runner suite.Runner
	java   *judge.Judge
	state  state
	file   string
	shown  int
	start  time.Time
	done   int // scenarios of this run
}

// Run draws and compares until the count, the limit or ctx ends it. The tally
// includes the batches of the runs it resumed.
func Run(ctx context.Context, r suite.Runner, o Options) (suite.Tally, error) {
	l := &loop{Options: o, runner: r, start: time.Now()}
	l.state.Options = fmt.Sprint(o.Seed, o.Words, o.ConfigKeys)
	if err := l.resume(); err != nil {
		return l.state.Tally, err
	}
	var err error
	if l.java, err = judge.Start(ctx); err != nil {
		return l.state.Tally, err
	}
	err = l.batches(ctx)
	if closeErr := l.java.Close(); err == nil && ctx.Err() == nil {
		err = closeErr
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		err = nil
	}
	return l.state.Tally, err
}

func (l *loop) resume() error {
	if l.Keep == "" {
		return nil
	}
	if err := os.MkdirAll(l.Keep, 0o755); err != nil {
		return fmt.Errorf("fuzz: %w", err)
	}
	l.file = filepath.Join(l.Keep, "state.json")
	data, err := os.ReadFile(l.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var old state
	if err == nil {
		err = json.Unmarshal(data, &old)
	}
	if err != nil {
		return fmt.Errorf("fuzz: resume: %w", err)
	}
	if old.Options == l.state.Options {
		l.state = old
		fmt.Fprintf(l.Out, "resuming after %d batches: %s\n", old.Batch, &old.Tally)
	}
	return nil
}

func (l *loop) save() error {
	if l.file == "" {
		return nil
	}
	data, err := json.Marshal(l.state)
	if err == nil {
		err = os.WriteFile(l.file, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("fuzz: save the state: %w", err)
	}
	return nil
}

func (l *loop) over(ctx context.Context) bool {
	return ctx.Err() != nil || l.Count > 0 && l.done >= l.Count || l.Limit > 0 && time.Since(l.start) >= l.Limit
}

func (l *loop) batches(ctx context.Context) error {
	for !l.over(ctx) {
		finished, err := l.batch(ctx, l.Seed+l.state.Batch)
		if err != nil {
			return err
		}
		if !finished {
			break // it is drawn again by a run that resumes
		}
		l.state.Batch++
		if err := l.save(); err != nil {
			return err
		}
		fmt.Fprintf(l.Out, "%6.0fs  seed %d done, %s\n", time.Since(l.start).Seconds(), l.Seed+l.state.Batch-1, &l.state.Tally)
	}
	return nil
}

// batch draws and compares the scenarios of one seed; it is finished when it had
// the full size and nothing ended it early.
func (l *loop) batch(ctx context.Context, seed int64) (finished bool, err error) {
	dir, err := os.MkdirTemp("", "fuzz-")
	if err != nil {
		return false, fmt.Errorf("fuzz: %w", err)
	}
	defer os.RemoveAll(dir)
	n := batchSize
	if l.Count > 0 {
		n = min(n, l.Count-l.done)
	}
	if err := judge.Generate(ctx, seed, n, dir, l.Words, l.ConfigKeys); err != nil {
		return false, err
	}
	for i := range n {
		if l.over(ctx) {
			return false, nil
		}
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("gen-%d-%d.json", seed, i)))
		if err != nil {
			return false, fmt.Errorf("fuzz: %w", err)
		}
		if err := l.one(data); err != nil {
			return false, err
		}
	}
	return n == batchSize, nil
}

// one compares a scenario; a difference is made small, kept and shown.
func (l *loop) one(data []byte) error {
	res, _, err := l.compare(data)
	if err != nil {
		return err
	}
	l.done++
	l.state.Tally.Count(res)
	if res.Status != suite.Different {
		return nil
	}
	small, err := l.shrink(data)
	if err != nil {
		return err
	}
	return l.report(small)
}

func (l *loop) compare(data []byte) (suite.Result, *tree.Object, error) {
	want, err := l.java.Golden(data)
	if err != nil {
		return suite.Result{}, nil, err
	}
	return suite.Compare(l.runner, data, want), want, nil
}

// report shows a small scenario that differs and keeps it as files.
func (l *loop) report(data []byte) error {
	res, want, err := l.compare(data)
	if err != nil {
		return err
	}
	l.shown++
	if l.shown <= l.Show {
		fmt.Fprintf(l.Out, "--- %s\n%s%s\n", res.Name, data, res.Detail)
	} else {
		first, _, _ := strings.Cut(res.Detail, "\n")
		fmt.Fprintf(l.Out, "--- %s %s\n", res.Name, first)
	}
	if l.Keep == "" {
		return nil
	}
	files := map[string]string{res.Name + ".json": string(data), res.Name + ".want.json": tree.File(want), res.Name + ".diff.txt": res.Detail + "\n"}
	if res.Got != nil {
		files[res.Name+".got.json"] = tree.File(res.Got)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(l.Keep, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("fuzz: keep a difference: %w", err)
		}
	}
	return nil
}
