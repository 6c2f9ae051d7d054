// Command compat compares this implementation with Java's. It owns the command
// line of the compatibility tests; what the comparison is lies below
// compat-tests/internal.
//
//	compat one FILE                      the golden this implementation writes for a scenario
//	compat run [-golden DIR] SCENARIOS   compare a folder of scenarios with its goldens
//	compat fuzz [flags]                  random scenarios, drawn and judged by Java
//	compat ops                           what is implemented
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/millrace/millrace/compat-tests/internal/fuzz"
	"github.com/millrace/millrace/compat-tests/internal/run"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/suite"
	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// errDifferent ends the command with status 1 after its report.
var errDifferent = errors.New("not everything is equal")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := dispatch(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string, out io.Writer) error {
	commands := map[string]func(context.Context, []string, io.Writer) error{
		"one": one, "run": runFolder, "fuzz": runFuzz, "ops": listOps,
	}
	if len(args) > 0 && commands[args[0]] != nil {
		return commands[args[0]](ctx, args[1:], out)
	}
	return errors.New("usage: compat one FILE | run [-golden DIR] SCENARIOS | fuzz [flags] | ops")
}

func one(_ context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: compat one FILE")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	s, name, err := scenario.Parse(data)
	if err != nil {
		_, err = io.WriteString(out, tree.File(tree.NewObject("scenario", name, "oracleError", err.Error())))
		return err
	}
	var r run.Interpreter
	if missing := r.Missing(s); len(missing) > 0 {
		return fmt.Errorf("%s needs what is not implemented yet: %s", name, strings.Join(missing, ", "))
	}
	_, err = io.WriteString(out, tree.File(r.Run(s)))
	return err
}

func runFolder(_ context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("compat run", flag.ContinueOnError)
	goldens := flags.String("golden", "", "folder of the goldens (default: golden beside the scenarios)")
	only := flags.String("only", "", "only scenarios whose name contains this")
	brief := flags.Bool("brief", false, "one line per difference")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: compat run [-golden DIR] SCENARIOS")
	}
	dir := flags.Arg(0)
	if *goldens == "" {
		*goldens = filepath.Join(filepath.Dir(filepath.Clean(dir)), "golden")
	}
	results, err := suite.Folder(run.Interpreter{}, dir, *goldens)
	if err != nil {
		return err
	}
	var tally suite.Tally
	for _, r := range results {
		if !strings.Contains(r.Name, *only) {
			continue
		}
		tally.Count(r)
		if r.Status == suite.Different {
			detail := r.Detail
			if *brief {
				detail, _, _ = strings.Cut(detail, "\n")
			}
			fmt.Fprintf(out, "%s %s\n", r.Name, detail)
		}
	}
	if w := tally.Waiting(); w != "" {
		fmt.Fprintln(out, "not yet:", w)
	}
	fmt.Fprintln(out, &tally)
	if tally.Different+tally.NotYet > 0 {
		return errDifferent
	}
	return nil
}

func runFuzz(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("compat fuzz", flag.ContinueOnError)
	seed := flags.Int64("seed", 1, "seed of the first batch of 100")
	n := flags.Int("n", 0, "number of scenarios, 0 for no limit")
	ops := flags.String("ops", "", "comma-separated words the generator may use (default: all that is implemented)")
	config := flags.String("config", "", "comma-separated configuration keys the generator may use (default: all that are implemented)")
	seconds := flags.Int("seconds", 0, "end after this many seconds, 0 for no limit")
	keep := flags.String("keep", "", "folder for differences and for the state to resume from")
	show := flags.Int("show", 3, "differences to print in full")
	if err := flags.Parse(args); err != nil {
		return err
	}
	implemented, more, keys := run.Words()
	o := fuzz.Options{Seed: *seed, Count: *n, Limit: time.Duration(*seconds) * time.Second, Keep: *keep, Show: *show, Out: out,
		Words: append(implemented, more...), ConfigKeys: keys}
	if *ops != "" {
		o.Words = strings.Split(*ops, ",")
	}
	if *config != "" {
		o.ConfigKeys = strings.Split(*config, ",")
	}
	tally, err := fuzz.Run(ctx, run.Interpreter{}, o)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, &tally)
	if tally.Different > 0 {
		return errDifferent
	}
	return nil
}

func listOps(_ context.Context, _ []string, out io.Writer) error {
	ops, more, keys := run.Words()
	var missing []string
	for _, op := range scenario.Ops() {
		if !slices.Contains(ops, op) {
			missing = append(missing, op)
		}
	}
	fmt.Fprintf(out, "ops:      %s\nfeatures: %s\nconfig:   %s\nmissing:  %s\n", strings.Join(ops, " "), strings.Join(more, " "),
		strings.Join(keys, " "), strings.Join(missing, " "))
	return nil
}
