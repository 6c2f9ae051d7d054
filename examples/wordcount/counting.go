package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/examples/internal/stage"
)

// progressEvery is the time between two lines about progress.
const progressEvery = 500 * time.Millisecond

// movesEvery is the time between two lines about moving counts.
const movesEvery = time.Second

// counting is one run.
type counting struct {
	options
	stage      *stage.Stage
	text       text
	stdout     io.Writer
	partitions int32    // of the input topic
	topics     []string // which the application reads
}

// makeTopics makes what is missing of the two topics and returns the number of
// partitions of the input.
func (r *counting) makeTopics(ctx context.Context) (int32, error) {
	n, err := r.stage.Topic(ctx, r.input, int32(r.options.partitions), nil)
	if err != nil {
		return 0, err
	}
	_, err = r.stage.Topic(ctx, r.output, n, map[string]string{"cleanup.policy": "compact"})
	return n, err
}

// toTheEnd writes the text, lets the application count all of it, ends it and
// shows the result.
func (r *counting) toTheEnd(ctx context.Context, app *millrace.App) error {
	counted := make(table)
	err := stage.Together(ctx, app.Run, func(ctx context.Context) error {
		if err := r.writeLines(ctx); err != nil {
			return err
		}
		if err := r.stage.Drained(ctx, r.appID, r.topics, r.progress()); err != nil {
			return err
		}
		var bad error
		err := r.stage.Read(ctx, r.output, func(key, value []byte) { bad = errors.Join(bad, counted.update(r.output, key, value)) })
		if err := errors.Join(err, bad); err != nil {
			return err
		}
		return stage.ErrDone
	})
	if err != nil {
		return err
	}
	counted.print(r.stdout, r.top)
	return nil
}

// writeLines writes the text to the input topic, one partition after the
// other, with -follow at the given rate.
func (r *counting) writeLines(ctx context.Context) error {
	var pause <-chan time.Time
	if r.follow && r.rate > 0 {
		ticker := time.NewTicker(time.Second / time.Duration(r.rate))
		defer ticker.Stop()
		pause = ticker.C
	}
	n := 0
	err := r.text.lines(func(line []byte) error {
		if pause != nil {
			select {
			case <-pause:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.stage.Send(ctx, r.input, int32(n)%r.partitions, nil, append([]byte{}, line...), time.Now())
		n++
		return nil
	})
	if err := errors.Join(err, r.stage.Flush(ctx)); err != nil {
		return err
	}
	fmt.Fprintf(r.stdout, "%d lines written to topic %s with %d partitions\n", n, r.input, r.partitions)
	return nil
}

// progress returns a function that prints now and then how far the
// application is, and that it is done.
func (r *counting) progress() func(map[string]stage.Progress) {
	start := time.Now()
	var last time.Time
	return func(p map[string]stage.Progress) {
		lines := p[r.input]
		var words stage.Progress
		for topic, of := range p {
			if topic != r.input {
				words.Done, words.Total = words.Done+of.Done, words.Total+of.Total
			}
		}
		done := lines.Done == lines.Total && words.Done == words.Total
		if !done && time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		fmt.Fprintf(r.stdout, "%5.1f s  %d of %d lines split, %d of %d words counted\n", time.Since(start).Seconds(),
			lines.Done, lines.Total, words.Done, words.Total)
	}
}

// showMoves follows the output topic and prints the counts as they move.
func (r *counting) showMoves(ctx context.Context) error {
	var mu sync.Mutex
	now, last, changed := make(table), make(table), false
	var bad error
	return stage.Together(ctx, func(ctx context.Context) error {
		err := r.stage.Follow(ctx, r.output, func(key, value []byte) {
			mu.Lock()
			defer mu.Unlock()
			bad = errors.Join(bad, now.update(r.output, key, value))
			changed = true
		})
		return errors.Join(err, bad)
	}, func(ctx context.Context) error {
		ticker := time.NewTicker(movesEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
			mu.Lock()
			if changed {
				now.printMoves(r.stdout, r.top, last)
				maps.Copy(last, now)
				changed = false
			}
			mu.Unlock()
		}
	})
}
