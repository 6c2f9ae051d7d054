package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/devcluster"
)

// patience bounds each run; none is expected to take as long.
const patience = 90 * time.Second

// program runs the program and returns its exit code and output.
func program(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	code = run(ctx, args, stdin, &out, &errs)
	return code, out.String(), errs.String()
}

var (
	countLine = regexp.MustCompile(`(?m)^ +(\d+)  (\S+)$`)
	totalLine = regexp.MustCompile(`(?m)^(\d+) words, (\d+) different$`)
	wordShape = regexp.MustCompile(`[\p{L}\p{Nd}](?:[\p{L}\p{Nd}']*[\p{L}\p{Nd}])?`)
)

// counts reads the table that the program prints.
func counts(t *testing.T, stdout string) map[string]int64 {
	t.Helper()
	got := make(map[string]int64)
	for _, m := range countLine.FindAllStringSubmatch(stdout, -1) {
		var n int64
		if _, err := fmt.Sscan(m[1], &n); err != nil {
			t.Fatal(err)
		}
		got[m[2]] = n
	}
	return got
}

// plain counts the words of a text times over, without any of the program.
func plain(text string, times int64) map[string]int64 {
	want := make(map[string]int64)
	for _, w := range wordShape.FindAllString(strings.ToLower(text), -1) {
		want[w] += times
	}
	return want
}

func checkCounts(t *testing.T, stdout string, want map[string]int64) {
	t.Helper()
	if diff := cmp.Diff(want, counts(t, stdout)); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	var total int64
	for _, n := range want {
		total += n
	}
	m := totalLine.FindStringSubmatch(stdout)
	if m == nil || m[1] != fmt.Sprint(total) || m[2] != fmt.Sprint(len(want)) {
		t.Errorf("totals %q, want %d words, %d different", m, total, len(want))
	}
}

func TestCountsTheBookOfGo(t *testing.T) {
	root, err := goRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	book, err := bookIn(root)
	if err != nil {
		t.Fatal(err)
	}
	var whole strings.Builder
	if err := book.lines(func(line []byte) error { whole.Write(append(line, '\n')); return nil }); err != nil {
		t.Fatal(err)
	}
	code, out, errs := program(t, nil, "-top", "1000000")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d, output\n%s\nerrors\n%s", code, out, errs)
	}
	want := plain(whole.String(), 1)
	if len(want) < 1000 {
		t.Fatalf("the book has only %d different words", len(want))
	}
	checkCounts(t, out, want)
	if !strings.Contains(out, "counted\n") {
		t.Errorf("no progress was shown:\n%s", out)
	}
}

func TestTop(t *testing.T) {
	code, out, errs := program(t, strings.NewReader("b a\nc B\n\na b don't 'tis 12\n"), "-top", "3", "-")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	want := "\n     count  word\n         3  b\n         2  a\n         1  12\n\n9 words, 6 different\n"
	if !strings.HasSuffix(out, want) {
		t.Errorf("output\n%s\nwant at the end\n%s", out, want)
	}
}

func TestEmptyText(t *testing.T) {
	code, out, errs := program(t, strings.NewReader(""), "-")
	if code != 0 || !strings.Contains(out, "\n0 words, 0 different\n") {
		t.Errorf("exit code %d, output\n%s%s", code, out, errs)
	}
}

// TestFurtherRunAddsUp also restores the counts: the second run has no state
// directory of the first, the third has the second's.
func TestFurtherRunAddsUp(t *testing.T) {
	c, err := devcluster.Start(t.Context(), devcluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := "to be or not to be\nthat is the question\n"
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	for i, dir := range []string{t.TempDir(), kept, kept} {
		code, out, errs := program(t, nil, "-brokers", c.Brokers()[0], "-state-dir", dir, "-app-id", "again", file)
		if code != 0 {
			t.Fatalf("run %d: exit code %d: %s", i, code, errs)
		}
		checkCounts(t, out, plain(text, int64(i+1)))
	}
}

// screen hands on what is written to it.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	close(s.changed)
	s.changed = make(chan struct{})
	return len(p), nil
}

// await waits until the text matches.
func (s *screen) await(ctx context.Context, what string) error {
	pattern := regexp.MustCompile(what)
	for {
		s.mu.Lock()
		text, changed := s.text.String(), s.changed
		s.mu.Unlock()
		if pattern.MatchString(text) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%q did not show:\n%s", what, text)
		}
	}
}

func TestFollow(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	interrupt, stop := context.WithCancel(ctx)
	defer stop()
	stdin, keyboard := io.Pipe()
	out := &screen{changed: make(chan struct{})}
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(interrupt, []string{"-follow", "-rate", "0", "-"}, stdin, out, &errs) }()
	for _, step := range []struct{ typed, shown string }{
		{"green green grass\n", `3 words \(\+3\):  green 2 \(\+2\)  grass 1 \(\+1\)\n`},
		{"grass grass\n", `5 words \(\+2\):  grass 3 \(\+2\)  green 2\n`},
	} {
		if _, err := io.WriteString(keyboard, step.typed); err != nil {
			t.Fatal(err)
		}
		if err := out.await(ctx, step.shown); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	select {
	case c := <-code:
		if c != 0 || errs.Len() > 0 {
			t.Errorf("exit code %d, %s", c, &errs)
		}
	case <-ctx.Done():
		t.Fatal("does not end when interrupted")
	}
}

func TestInterruptBeforeTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stdin, keyboard := io.Pipe()
	defer keyboard.Close()
	var out, errs bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"-"}, stdin, &out, &errs) }()
	if _, err := io.WriteString(keyboard, "half a\n"); err != nil {
		t.Fatal(err)
	}
	stop()
	select {
	case c := <-code:
		if c != exitInterrupt || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("exit code %d, %s", c, &errs)
		}
	case <-time.After(patience):
		t.Fatal("does not end when interrupted")
	}
}

func TestBadInput(t *testing.T) {
	// A port on which nobody listens.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	notADir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notADir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		stdin  io.Reader
		args   []string
		code   int
		errors string
	}{
		{"missing file", nil, []string{"gone.txt"}, 1, "gone.txt: no such file"},
		{"folder", nil, []string{"."}, 1, ". is a folder"},
		{"two files", nil, []string{"a", "b"}, 2, "one text at most"},
		{"unknown flag", nil, []string{"-fast"}, 2, "not defined: -fast"},
		{"top", nil, []string{"-top", "0"}, 2, "-top 0: at least 1"},
		{"partitions", nil, []string{"-partitions", "-1"}, 2, "-partitions -1: at least 1"},
		{"rate", nil, []string{"-rate", "-1"}, 2, "-rate -1"},
		{"one topic", nil, []string{"-input", "x", "-output", "x"}, 2, `both "x"`},
		{"no port", nil, []string{"-brokers", "localhost", "-"}, 1, `broker "localhost" is not host:port`},
		{"nobody there", strings.NewReader(""), []string{"-brokers", nobody, "-"}, 1, "no Kafka broker answers at " + nobody},
		{"state directory", strings.NewReader("x"), []string{"-state-dir", notADir, "-"}, 1, "make a state directory"},
		{"application id", strings.NewReader("x"), []string{"-app-id", "no/slash", "-"}, 1, "ApplicationID"},
		{"endless line", strings.NewReader(strings.Repeat("x", maxLine+1)), []string{"-"}, 1, "after line 0: bufio.Scanner: token too long"},
		{"broken input", io.MultiReader(strings.NewReader("one\n"), broken{}), []string{"-"}, 1, "after line 1: the disk is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := program(t, c.stdin, c.args...)
			if code != c.code || !strings.Contains(errs, c.errors) {
				t.Errorf("exit code %d, want %d; errors\n%s\nwant %q in them; output\n%s", code, c.code, errs, c.errors, out)
			}
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestHelp(t *testing.T) {
	code, _, errs := program(t, nil, "-h")
	if code != 0 || !strings.Contains(errs, "-brokers") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestTextWithoutTheBook stands for a packaged Go that has its source only.
func TestTextWithoutTheBook(t *testing.T) {
	root := t.TempDir()
	if _, err := bookIn(root); err == nil || !strings.Contains(err.Error(), "give a file") {
		t.Errorf("an empty installation: %v", err)
	}
	dir := filepath.Join(root, "src", "strings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"b.go": "package b\n", "a.go": "package a\n\n// End", "c.txt": "no"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := bookIn(root)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	if err := text.lines(func(line []byte) error { lines = append(lines, string(line)); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"package a", "", "// End", "package b"}, lines); diff != "" {
		t.Error(diff)
	}
}
