// Command wordcount counts the words of a text: lines go to a topic, an
// application counts their words, the counts come back from another topic.
//
//	go run ./examples/wordcount                     the book that comes with Go
//	go run ./examples/wordcount FILE                a file, - for the standard input
//	go run ./examples/wordcount -follow             keeps running, counts move
//	go run ./examples/wordcount -brokers host:9092  on a real cluster
//
// Without -brokers a cluster starts in the process. On a real one the topics
// stay, and a further run adds to the counts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/examples/internal/stage"
)

const (
	exitUsage     = 2
	exitInterrupt = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	brokers       string
	appID         string
	stateDir      string
	input, output string
	partitions    int
	top           int
	follow        bool
	rate          int
	verbose       bool
	text          string
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("wordcount", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.brokers, "brokers", "", "host:port,... of a Kafka cluster (default: one in this process)")
	f.StringVar(&o.appID, "app-id", "wordcount", "application id")
	f.StringVar(&o.stateDir, "state-dir", "", "where the stores lie (default: a temporary directory)")
	f.StringVar(&o.input, "input", "lines", "topic of the lines")
	f.StringVar(&o.output, "output", "word-counts", "topic of the counts")
	f.IntVar(&o.partitions, "partitions", 4, "partitions of the topics that are made")
	f.IntVar(&o.top, "top", 10, "how many words to show")
	f.BoolVar(&o.follow, "follow", false, "keep running until interrupted and show how the counts move")
	f.IntVar(&o.rate, "rate", 200, "with -follow, lines written per second, 0 for no limit")
	f.BoolVar(&o.verbose, "v", false, "log what the application does")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.text = f.Arg(0)
	var err error
	switch {
	case f.NArg() > 1:
		err = fmt.Errorf("one text at most, not %q", f.Args())
	case o.top < 1:
		err = fmt.Errorf("-top %d: at least 1", o.top)
	case o.partitions < 1:
		err = fmt.Errorf("-partitions %d: at least 1", o.partitions)
	case o.rate < 0:
		err = fmt.Errorf("-rate %d: 0 for no limit, or more", o.rate)
	case o.input == o.output:
		err = fmt.Errorf("-input and -output are both %q", o.input)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		f.Usage()
	}
	return o, err
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return millrace.ExitOK
	case err != nil:
		return exitUsage
	}
	err = count(ctx, o, stdin, stdout, stderr)
	switch {
	case err == nil:
		return millrace.ExitOK
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "wordcount: interrupted before the end of the text")
		return exitInterrupt
	}
	fmt.Fprintln(stderr, "wordcount:", err)
	return millrace.ExitFailed
}

// count runs the application beside a writer of lines and a reader of counts.
func count(ctx context.Context, o options, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	text, err := openText(ctx, o.text, stdin)
	if err != nil {
		return err
	}
	var brokers []string
	if o.brokers != "" {
		brokers = strings.Split(o.brokers, ",")
	}
	st, err := stage.Open(ctx, brokers)
	if err != nil {
		return err
	}
	defer st.Close()
	r := &counting{options: o, stage: st, text: text, stdout: stdout}
	if r.partitions, err = r.makeTopics(ctx); err != nil {
		return err
	}
	cfg, cleanUp, err := r.config(stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cleanUp()) }()
	topology, err := wordCount(cfg.Topology(), o.input, o.output)
	if err != nil {
		return err
	}
	app, err := millrace.New(topology, cfg)
	if err != nil {
		return err
	}
	r.topics = topology.SourceTopics(o.appID)
	where := "brokers"
	if st.Embedded() {
		where = "cluster in this process"
	}
	fmt.Fprintf(stdout, "%s: %s\ntext: %s\n", where, st, text.name)
	if o.follow {
		if err := stage.Together(ctx, app.Run, r.writeLines, r.showMoves); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil // the interrupt is how it is meant to end
	}
	return r.toTheEnd(ctx, app)
}

// config is the application's configuration; the function removes what was
// made for it.
func (r *counting) config(stderr io.Writer) (millrace.Config, func() error, error) {
	level := slog.LevelWarn
	if r.verbose {
		level = slog.LevelInfo
	}
	cfg := millrace.Config{
		ApplicationID: r.appID, Brokers: r.stage.Brokers(), Workers: 2,
		StateDir:       r.stateDir,
		CommitInterval: 200 * time.Millisecond, // results are seen sooner than with the usual 30 s
		Linger:         5 * time.Millisecond,
		Logger:         slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})),
	}
	if !r.stage.Embedded() {
		return cfg, func() error { return nil }, nil
	}
	// The changelogs of a cluster in the process end with it, and the stores
	// must not outlive them.
	dir, err := os.MkdirTemp(r.stateDir, "wordcount-")
	if err != nil {
		return cfg, nil, fmt.Errorf("make a state directory: %w", err)
	}
	cfg.StateDir = dir
	return cfg, func() error { return os.RemoveAll(dir) }, nil
}
