package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/millrace/millrace/examples/internal/stage"
)

// clock is how times are shown.
const clock = "15:04:05"

// showing is one run.
type showing struct {
	stage  *stage.Stage
	names  topics
	group  string
	inputs []string // topics that the application reads
	stdout io.Writer

	answers int // verdicts shown so far
	orphans int
	wrong   []string // payments that were taken for orphans, but have a trip
}

// show lets the records arrive, each after the one before has been processed,
// and prints what follows from it.
func (s *showing) show(ctx context.Context) error {
	// Yesterday, so that no topic's retention lets a record go.
	start := time.Now().UTC().Truncate(24 * time.Hour).Add(-24*time.Hour + 18*time.Hour + 42*time.Minute)
	fmt.Fprintf(s.stdout, "%-4s %-8s %-9s %s\n", "", "happened", "arrives", "verdict")
	for i, e := range arrivals {
		if err := s.send(ctx, e, start); err != nil {
			return err
		}
		verdicts, err := s.news(ctx)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("#%-3d %s %-4s %-4s %s", i+1, e.at(start).Format(clock), e.kind(), e.trip, s.comment(verdicts, start))
		fmt.Fprintln(s.stdout, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(s.stdout, "\n%d alarms, %d false: %s\n", s.orphans, len(s.wrong), strings.Join(s.wrong, ", "))
	return stage.ErrDone
}

func (s *showing) send(ctx context.Context, e event, start time.Time) error {
	topic := s.names.trips
	if e.payment {
		topic = s.names.payments
	}
	value, err := e.value(start)
	if err != nil {
		return err
	}
	s.stage.Send(ctx, topic, 0, []byte(e.trip), value, e.at(start))
	if err := s.stage.Flush(ctx); err != nil {
		return err
	}
	return s.stage.Drained(ctx, s.group, s.inputs, nil)
}

// answer is a verdict and the trip it is about.
type answer struct {
	trip string
	Verdict
}

// news are the verdicts that came since the last call.
func (s *showing) news(ctx context.Context) ([]answer, error) {
	var all []answer
	var bad error
	err := s.stage.Read(ctx, s.names.verdicts, func(key, value []byte) {
		a := answer{trip: string(key)}
		if err := json.Unmarshal(value, &a.Verdict); err != nil {
			bad = errors.Join(bad, fmt.Errorf("verdict about %s: %w", key, err))
		}
		all = append(all, a)
	})
	if err := errors.Join(err, bad); err != nil {
		return nil, err
	}
	fresh := all[s.answers:]
	s.answers = len(all)
	return fresh, nil
}

// comment says what the verdicts are, and whether they are right.
func (s *showing) comment(verdicts []answer, start time.Time) string {
	var parts []string
	for _, v := range verdicts {
		n := tripOf(v.trip)
		switch {
		case !v.Orphan:
			parts = append(parts, v.trip+" ok")
			continue
		case n == 0:
			parts = append(parts, v.trip+" ORPHAN")
		default:
			s.wrong = append(s.wrong, v.trip)
			parts = append(parts, fmt.Sprintf("%s ORPHAN  false: the trip ended at %s and arrives as #%d", v.trip, arrivals[n-1].at(start).Format(clock), n))
		}
		s.orphans++
	}
	return strings.Join(parts, ", ")
}
