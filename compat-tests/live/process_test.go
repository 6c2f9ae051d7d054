//go:build unix

package live

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/millrace/millrace/compat-tests/internal/judge"
)

// program is the word count of one side, as a command with arguments.
type program struct {
	name    string
	command func(ctx context.Context, args ...string) (*exec.Cmd, error)
}

// java is the word count as a Kafka Streams application.
var java = program{"java", func(ctx context.Context, args ...string) (*exec.Cmd, error) {
	return judge.Live(ctx, "WordCount", args...)
}}

// build builds both sides. Where Java is missing the test is skipped, or fails
// if it must not be.
func build(t *testing.T) (millrace program) {
	t.Helper()
	if err := judge.Available(); err != nil {
		if os.Getenv("MILLRACE_REQUIRE_JVM") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err := judge.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "wordcount")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./wordcount").CombinedOutput(); err != nil {
		t.Fatalf("build the word count: %v\n%s", err, out)
	}
	return program{"millrace", func(ctx context.Context, args ...string) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, binary, args...), nil
	}}
}

// settings are what the properties files of the tests differ in.
type settings struct {
	app, client, dir string
	// commit is the commit interval in milliseconds, cache the size of the
	// record cache in bytes.
	commit, cache int
}

func (s settings) properties(brokers []string) string {
	return strings.Join([]string{
		"application.id=" + s.app,
		"client.id=" + s.client,
		"bootstrap.servers=" + strings.Join(brokers, ","),
		"state.dir=" + s.dir,
		fmt.Sprint("commit.interval.ms=", s.commit),
		fmt.Sprint("statestore.cache.max.bytes=", s.cache),
		"num.stream.threads=2",
		"linger.ms=5",
		"session.timeout.ms=10000",
		"heartbeat.interval.ms=300",
		"auto.offset.reset=earliest",
		// What was committed must stay to be compared.
		"repartition.purge.interval.ms=3600000",
	}, "\n") + "\n"
}

// process is a running word count.
type process struct {
	c *cluster
	program
	client string
	cmd    *exec.Cmd
	stdin  io.Closer
	done   chan struct{}
	err    error // how it ended, once done is closed
	stderr bytes.Buffer

	mu      sync.Mutex
	wanted  bool // its end
	events  []string
	changed chan struct{}
}

// start runs a word count from topic in to topic out. It ends with the test at
// the latest, and with the test's process if that is killed.
func (c *cluster) start(run program, s settings, in, out string) *process {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "properties")
	if err := os.WriteFile(file, []byte(s.properties(c.brokers)), 0o600); err != nil {
		c.t.Fatal(err)
	}
	p := &process{c: c, program: run, client: s.client, done: make(chan struct{}), changed: make(chan struct{})}
	cmd, err := run.command(context.WithoutCancel(c.ctx), file, in, out)
	if err != nil {
		c.t.Fatal(err)
	}
	p.cmd, cmd.Stderr = cmd, &p.stderr
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go p.follow(stdout)
	c.t.Cleanup(func() {
		p.want()
		_ = cmd.Process.Kill()
		<-p.done
		if c.t.Failed() {
			c.t.Logf("%s: %v\n%s", p.client, p.events, &p.stderr)
		}
	})
	return p
}

// follow reads the events and then the end, which fails the test if nobody
// wanted it.
func (p *process) follow(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		p.mu.Lock()
		p.events = append(p.events, lines.Text())
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
	p.err = p.cmd.Wait()
	p.mu.Lock()
	wanted := p.wanted
	p.mu.Unlock()
	if !wanted {
		p.c.fail(fmt.Errorf("%s ended: %v", p.client, p.err))
	}
	close(p.done)
}

func (p *process) want() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = true
}

// seen returns the number of events so far.
func (p *process) seen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.events)
}

// await waits for an event.
func (p *process) await(event string) {
	p.c.t.Helper()
	for from := 0; ; {
		p.mu.Lock()
		events, changed := p.events[from:], p.changed
		p.mu.Unlock()
		for _, e := range events {
			if e == event {
				return
			}
		}
		from += len(events)
		select {
		case <-changed:
		case <-p.c.ctx.Done():
			p.c.t.Fatalf("%s: no %q: %v", p.client, event, context.Cause(p.c.ctx))
		}
	}
}

// restored adds up the records of all restores after so many events.
func (p *process) restored(after int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := 0
	for _, e := range p.events[after:] {
		var n int
		if _, err := fmt.Sscanf(e, "restored counts %d", &n); err == nil {
			sum += n
		}
	}
	return sum
}

// stop expects the process to drain and end with exit code 0: here on a
// SIGTERM, in Java, which has an exit code of its own for signals, at the end of
// the standard input.
func (p *process) stop() {
	p.c.t.Helper()
	p.want()
	if p.program.name == java.name {
		p.stdin.Close()
	} else if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.c.t.Fatal(err)
	}
	p.join()
}

func (p *process) join() {
	p.c.t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		p.c.t.Fatalf("%s does not end", p.client)
	}
	if p.err != nil {
		p.c.t.Fatalf("%s ended with %v", p.client, p.err)
	}
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	p.c.t.Helper()
	p.want()
	if err := p.cmd.Process.Kill(); err != nil {
		p.c.t.Fatal(err)
	}
	<-p.done
}
