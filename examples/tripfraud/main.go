// Command tripfraud looks for payments without a trip, in the way one writes
// it first: each payment looks its trip up in a table at the moment it arrives.
// Thirteen records, in the order of their arrival, show what becomes of that
// when trips and payments overtake each other: of three alarms two are false.
//
//	go run ./examples/tripfraud
//	go run ./examples/tripfraud -brokers host:9092
//
// Without -brokers a cluster starts in the process. On a real one the topics of
// the run are deleted at its end.
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
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("tripfraud", flag.ContinueOnError)
	f.SetOutput(stderr)
	brokers := f.String("brokers", "", "host:port,... of a Kafka cluster (default: one in this process)")
	verbose := f.Bool("v", false, "log what the application does")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return millrace.ExitOK
	case err != nil:
		return exitUsage
	case f.NArg() > 0:
		fmt.Fprintf(stderr, "unknown arguments %q\n", f.Args())
		return exitUsage
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	err := detect(ctx, *brokers, log, stdout)
	switch {
	case err == nil:
		return millrace.ExitOK
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "tripfraud: interrupted")
		return exitInterrupt
	}
	fmt.Fprintln(stderr, "tripfraud:", err)
	return millrace.ExitFailed
}

// detect runs the application and shows it one record after the other.
func detect(ctx context.Context, brokers string, log *slog.Logger, stdout io.Writer) (err error) {
	var addresses []string
	appID := "tripfraud"
	if brokers != "" {
		addresses = strings.Split(brokers, ",")
		appID = fmt.Sprintf("tripfraud-%d", time.Now().UnixMilli()) // no topics of an earlier run
	}
	st, err := stage.Open(ctx, addresses)
	if err != nil {
		return err
	}
	defer st.Close()
	names := topics{trips: appID + "-trips", payments: appID + "-payments", verdicts: appID + "-verdicts"}
	for _, topic := range []string{names.trips, names.payments, names.verdicts} {
		if _, err := st.Topic(ctx, topic, 1, nil); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "tripfraud-")
	if err != nil {
		return fmt.Errorf("make a state directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg := millrace.Config{ApplicationID: appID, Brokers: st.Brokers(), StateDir: dir, Logger: log,
		// Each record shall be answered before the next arrives.
		CommitInterval: -1, Linger: -1, PollTimeout: 10 * time.Millisecond}
	topology, err := detector(cfg.Topology(), names)
	if err != nil {
		return err
	}
	app, err := millrace.New(topology, cfg)
	if err != nil {
		return err
	}
	s := &showing{stage: st, names: names, group: appID, inputs: topology.SourceTopics(appID), stdout: stdout}
	err = stage.Together(ctx, app.Run, s.show)
	if !st.Embedded() {
		err = errors.Join(err, st.Remove(context.WithoutCancel(ctx), appID, names.trips, names.payments, names.verdicts, appID+"-trips-changelog"))
	}
	return err
}
