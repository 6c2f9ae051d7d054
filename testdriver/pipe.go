package testdriver

import (
	"errors"
	"fmt"
	"time"

	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// ErrUnknownTopic is returned for a record of a topic the topology does not
// read.
var ErrUnknownTopic = errors.New("the topology does not read this topic")

// Pipe hands one record to the topology and processes everything that follows
// from it. After an error other than ErrUnknownTopic the driver is of no
// further use, as in Java.
func (d *Driver) Pipe(r Record) error {
	if d.err != nil {
		return d.err
	}
	tp, reads := d.reader(r.Topic)
	global := d.globals[r.Topic]
	if !reads && !global {
		return fmt.Errorf("topic %s: %w", r.Topic, ErrUnknownTopic)
	}
	if reads {
		d.err = d.enqueue(tp, r)
		if d.err == nil {
			d.err = d.processAll()
		}
	}
	if global && d.err == nil {
		d.err = d.updateGlobal(r)
	}
	return d.err
}

// Advance moves the wall clock, fires the wall-clock punctuators that are due,
// once each, and processes what has become processable.
func (d *Driver) Advance(by time.Duration) error {
	if d.err != nil {
		return d.err
	}
	d.clock += by.Milliseconds()
	if d.task == nil {
		return nil
	}
	_, d.err = d.task.Punctuate(processor.WallClock, d.clock)
	if d.err == nil {
		d.err = d.commit()
	}
	if d.err == nil {
		d.err = d.processAll()
	}
	return d.err
}

// Now is the driver's wall clock.
func (d *Driver) Now() time.Time { return time.UnixMilli(d.clock).UTC() }

func (d *Driver) reader(topic string) (task.TopicPartition, bool) {
	if tp, ok := d.inputs[topic]; ok {
		return tp, true
	}
	for _, p := range d.patterns {
		if p.expr.MatchString(topic) {
			return p.tp, true
		}
	}
	return task.TopicPartition{}, false
}

func (d *Driver) enqueue(tp task.TopicPartition, r Record) error {
	offset := d.offsets[tp]
	d.offsets[tp]++
	return d.task.Enqueue(tp, r.Topic, []record.Raw{raw(r, offset)}, task.Position{Offset: offset + 1, LeaderEpoch: -1})
}

func raw(r Record, offset int64) record.Raw {
	return record.Raw{Key: r.Key, Value: r.Value, Timestamp: r.Timestamp, Offset: offset, LeaderEpoch: -1, Headers: r.Headers}
}

// processAll processes until nothing may be processed any more: a step,
// stream-time punctuators, a commit, and then what was produced is handed on.
func (d *Driver) processAll() error {
	if err := d.capture(); err != nil || d.task == nil {
		return err
	}
	for {
		did, err := d.task.Step(d.clock)
		if err != nil || !did {
			return err
		}
		if _, err := d.task.Punctuate(processor.StreamTime, d.clock); err != nil {
			return err
		}
		if err := d.commit(); err != nil {
			return err
		}
		if err := d.capture(); err != nil {
			return err
		}
	}
}

func (d *Driver) commit() error {
	if err := d.task.Flush(); err != nil {
		return err
	}
	offsets := d.task.Offsets()
	for _, tp := range d.task.Inputs() {
		if at, ok := offsets[tp]; ok {
			d.committed[tp] = at
		}
	}
	return d.task.Committed(nil)
}

// capture moves what was sent to the outputs and feeds it to the sources that
// read those topics.
func (d *Driver) capture() error {
	sent := d.sent
	d.sent = nil
	for _, r := range sent {
		d.output[r.Topic] = append(d.output[r.Topic], r)
		if tp, ok := d.reader(r.Topic); ok {
			if err := d.enqueue(tp, r); err != nil {
				return err
			}
		}
		if d.globals[r.Topic] {
			if err := d.updateGlobal(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Driver) updateGlobal(r Record) error {
	tp := task.TopicPartition{Topic: r.Topic}
	offset := d.offsets[tp]
	d.offsets[tp]++
	in := raw(r, offset)
	if err := d.global.Update(tp, &in, d.clock); err != nil {
		return err
	}
	return d.global.Flush()
}
