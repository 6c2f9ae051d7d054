package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/examples/internal/stage"
	"github.com/millrace/millrace/internal/devcluster"
)

// patience bounds each run; none is expected to take as long.
const patience = 90 * time.Second

var line = regexp.MustCompile(`(?m)^#(\d+) .*? (?:pay|trip) +\S+ +(.+)$`)

func checkRun(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, args, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	got := make(map[string]string)
	for _, m := range line.FindAllStringSubmatch(out.String(), -1) {
		verdict, _, _ := strings.Cut(m[2], "  ")
		got[m[1]] = verdict
	}
	want := map[string]string{"1": "t1 ORPHAN", "4": "t2 ok", "5": "t3 ORPHAN", "7": "t4 ok", "9": "t6 ORPHAN", "12": "t7 ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts by record (-want +got):\n%s", diff)
	}
	for _, text := range []string{
		"#1   18:42:13 pay  t1   t1 ORPHAN  false: the trip ended at 18:42:11 and arrives as #2\n",
		"#9   18:42:41 pay  t6   t6 ORPHAN  false: the trip ended at 18:41:30 and arrives as #10\n",
		"\n3 alarms, 2 false: t1, t6\n",
	} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("output\n%s\nwant in it %q", &out, text)
		}
	}
}

func TestNaiveLookup(t *testing.T) { checkRun(t) }

// TestOwnCluster runs twice: nothing of the first run may be left.
func TestOwnCluster(t *testing.T) {
	c, err := devcluster.Start(t.Context(), devcluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		checkRun(t, "-brokers", c.Brokers()[0])
	}
	st, err := stage.Open(t.Context(), c.Brokers())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	left, err := st.Topics(t.Context())
	if err != nil || len(left) > 0 {
		t.Errorf("topics left behind: %v, %v", left, err)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		errors string
	}{
		{[]string{"-fast"}, 2, "not defined: -fast"},
		{[]string{"file"}, 2, "unknown arguments"},
		{[]string{"-brokers", "localhost"}, 1, `broker "localhost" is not host:port`},
		{[]string{"-h"}, 0, "-brokers"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.errors) {
			t.Errorf("%q: exit code %d, want %d, errors %s", c.args, code, c.code, &errs)
		}
	}
}
