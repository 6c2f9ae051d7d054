//go:build unix

package millrace_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
)

// appOf makes an application that runs by RunMain, and a channel that is closed
// when it runs.
func (c *cluster) appOf(topology *processor.Topology, cfg millrace.Config) (*millrace.App, chan struct{}) {
	c.t.Helper()
	started := make(chan struct{})
	cfg.Brokers, cfg.PollTimeout, cfg.Linger = c.brokers, 10*time.Millisecond, -1
	cfg.OnState = func(_, next millrace.State) {
		if next == millrace.Running {
			close(started)
		}
	}
	app, err := millrace.New(topology, cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	return app, started
}

func signalSelf(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

func TestRunMainDrainsOnASignal(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1, "b": 1})
	app, started := c.appOf(forward(t, "a", "b"), millrace.Config{ApplicationID: "main"})
	code := make(chan int)
	go func() { code <- millrace.RunMain(c.ctx, app) }()
	<-started
	c.produce("a", 0, rec{"k", "v", 1})
	c.follow("b", func(kafka.TopicPartition, []byte, []byte) bool { return true })
	signalSelf(t)
	if got := <-code; got != millrace.ExitOK {
		t.Errorf("exit code %d", got)
	}
	tp := kafka.TopicPartition{Topic: "a"}
	if at, err := c.admin.Committed(c.ctx, "main", tp); err != nil || at[tp].Offset != 1 {
		t.Errorf("committed %v, %v", at, err)
	}
	if err := app.Run(c.ctx); err == nil || !strings.Contains(err.Error(), "runs once") {
		t.Errorf("a second Run gave %v", err)
	}
}

func TestRunMainFails(t *testing.T) {
	c := startCluster(t, nil)
	app, _ := c.appOf(forward(t, "nowhere", "b"), millrace.Config{ApplicationID: "main"})
	if got := millrace.RunMain(c.ctx, app); got != millrace.ExitFailed {
		t.Errorf("exit code %d", got)
	}
}

// blocked returns a topology whose operator waits for the channel.
func blocked(t *testing.T, until chan struct{}, reached chan<- struct{}) *processor.Topology {
	t.Helper()
	b := kstream.NewBuilder()
	kstream.From[string, string](b, "a").ForEach(func(string, string) {
		reached <- struct{}{}
		<-until
	})
	topology, err := b.Build(processor.Config{ApplicationID: "blocked"})
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

func TestSecondSignalEndsABlockedApplication(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1})
	until, reached := make(chan struct{}), make(chan struct{}, 1)
	app, started := c.appOf(blocked(t, until, reached), millrace.Config{ApplicationID: "blocked"})
	defer close(until)
	code := make(chan int)
	go func() { code <- millrace.RunMain(c.ctx, app) }()
	<-started
	c.produce("a", 0, rec{"k", "v", 1})
	<-reached
	signalSelf(t)
	for app.State() != millrace.PendingShutdown {
		select {
		case <-c.ctx.Done():
			t.Fatal("the first signal does not drain")
		case <-time.After(time.Millisecond):
		}
	}
	signalSelf(t)
	if got := <-code; got != millrace.ExitForced {
		t.Errorf("exit code %d", got)
	}
}

func TestDrainTimeout(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1})
	until, reached := make(chan struct{}), make(chan struct{}, 1)
	app, started := c.appOf(blocked(t, until, reached), millrace.Config{ApplicationID: "blocked", DrainTimeout: 10 * time.Millisecond})
	ctx, drain := context.WithCancel(c.ctx)
	ended := make(chan error)
	go func() { ended <- app.Run(ctx) }()
	<-started
	c.produce("a", 0, rec{"k", "v", 1})
	<-reached
	drain()
	// The operator returns in the time that an abort leaves.
	go func() {
		for app.State() != millrace.PendingShutdown {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		close(until)
	}()
	if err := <-ended; !errors.Is(err, millrace.ErrAborted) {
		t.Errorf("ended with %v", err)
	}
}
