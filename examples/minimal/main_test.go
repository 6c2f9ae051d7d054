package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/examples/internal/stage"
	"github.com/millrace/millrace/serde"
)

// patience bounds each wait; none is expected to take as long.
const patience = 90 * time.Second

// asProgram makes the test binary run main instead of the tests.
const asProgram = "MILLRACE_MINIMAL"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// program is the application as a process of its own.
func program(ctx context.Context, t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	// The state lies in the system's temporary directory unless told otherwise.
	cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+t.TempDir())
	var errs bytes.Buffer
	cmd.Stderr = &errs
	return cmd, &errs
}

func TestCountsUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	st, err := stage.Open(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, topic := range []string{"lines", "word-counts"} {
		if _, err := st.Topic(ctx, topic, 2, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i, line := range []string{"to be or not", "to be"} {
		st.Send(ctx, "lines", int32(i), nil, []byte(line), time.Now())
	}
	if err := st.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	cmd, errs := program(ctx, t, st.Brokers()...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := st.Drained(ctx, "words", []string{"lines", "words-counts-repartition"}, nil); err != nil {
		t.Fatal(errors.Join(err, cmd.Process.Kill()), errs)
	}
	got := make(map[string]int64)
	err = st.Read(ctx, "word-counts", func(key, value []byte) {
		n, err := serde.Int64().Decode("word-counts", value)
		if err != nil {
			t.Error(err)
		}
		got[string(key)] = n
	})
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]int64{"to": 2, "be": 2, "or": 1, "not": 1}, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, errs)
	}
}

func TestWithoutBrokers(t *testing.T) {
	cmd, errs := program(t.Context(), t)
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(errs.String(), "Brokers (bootstrap.servers) is missing") {
		t.Errorf("%v\n%s", err, errs)
	}
}
