// Command wordcount is the word count of the tests on a real broker, in Go:
// it does what the Java class live.WordCount does. Arguments: a properties file
// as Java reads it, the input and the output topic. It runs until its standard
// input ends, which also happens when whoever started it dies, or a signal
// drains it. It prints one event a line: "state NEW_STATE", "restored STORE
// RECORDS" for each partition of a store, and "tasks N" when the number of its
// running tasks changes.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// patience bounds a drain, which would wait for a broker that is gone.
const patience = 30 * time.Second

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "wordcount:", err)
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	if len(args) != 3 {
		return millrace.ExitFailed, fmt.Errorf("want a properties file, an input and an output topic, not %q", args)
	}
	cfg, err := config(args[0])
	if err != nil {
		return millrace.ExitFailed, err
	}
	var events events
	cfg.OnState = func(_, next millrace.State) { events.print("state ", next) }
	cfg.OnRestore = func(e millrace.RestoreEvent) {
		if e.Phase == millrace.RestoreEnded {
			events.print("restored ", e.Store, " ", e.Records)
		}
	}
	topology, err := wordCount(cfg.Topology(), args[1], args[2])
	if err != nil {
		return millrace.ExitFailed, err
	}
	app, err := millrace.New(topology, cfg)
	if err != nil {
		return millrace.ExitFailed, err
	}
	ctx, drain := context.WithCancel(context.Background())
	defer drain()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing is ever said on it
		drain()
	}()
	go tellTasks(ctx, app, &events)
	return millrace.RunMain(ctx, app), nil
}

func config(path string) (millrace.Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return millrace.Config{}, err
	}
	defer f.Close()
	cfg, _, err := millrace.ConfigFromProperties(f)
	cfg.DrainTimeout = patience
	return cfg, err
}

func wordCount(cfg processor.Config, input, output string) (*processor.Topology, error) {
	b := kstream.NewBuilder()
	lines := kstream.From[string, string](b, input)
	words := kstream.FlatMapValues(lines, func(line string) []string { return strings.Split(line, " ") })
	counts := kstream.Count(kstream.GroupBy(words, func(_, word string) string { return word }), with.Store("counts"))
	kstream.FromTable(counts).To(output)
	return b.Build(cfg)
}

// events writes whole lines, from several goroutines.
type events struct{ mu sync.Mutex }

func (e *events) print(what ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Println(fmt.Sprint(what...))
}

// tellTasks looks now and then how many tasks run: the numbers are published by
// the clock.
func tellTasks(ctx context.Context, app *millrace.App, events *events) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	told := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		n := 0
		for _, w := range app.Stats().Workers {
			for _, t := range w.Tasks {
				if t.State == "RUNNING" {
					n++
				}
			}
		}
		if n != told {
			told = n
			events.print("tasks ", n)
		}
	}
}
