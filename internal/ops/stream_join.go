package ops

import (
	"fmt"
	"math"
	"reflect"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// StreamJoin is a join of two streams: what its two sides share (Java:
// KStreamImplJoin). Each side's records are in a window store, see
// [NewJoinWindow].
type StreamJoin[K, L, R, O any] struct {
	Window window.Join
	// LeftOuter and RightOuter sides send records without a partner too.
	LeftOuter, RightOuter bool
	// Join makes a result; of a side that is missing it gets the zero value and
	// false. WithKey says that it looks at the key.
	Join    func(key K, left L, hasLeft bool, right R, hasRight bool) O
	WithKey bool
	// LeftStore and RightStore are the window stores, Unmatched the store of
	// records without a partner, empty for inner joins.
	LeftStore, RightStore, Unmatched string
	// LeftValue and RightValue are the serdes of values in Unmatched. They are
	// known when the topology is written.
	LeftValue  serde.Serde[L]
	RightValue serde.Serde[R]

	clocks joinClocks
}

// NewLeft makes the unit that joins the records of the left side (Java:
// KStreamKStreamJoinLeftSide).
func (j *StreamJoin[K, L, R, O]) NewLeft() (processor.Unit, error) {
	return &joinSide[K, L, R, O]{
		left: true, outer: j.LeftOuter, withKey: j.WithKey, otherName: j.RightStore, unmatchedName: j.Unmatched,
		this: j.LeftValue, other: j.RightValue, clocks: &j.clocks, null: record.NullsOf[O](), window: j.Window,
		before: j.Window.BeforeMs(), after: j.Window.AfterMs(), join: j.Join,
	}, nil
}

// NewRight makes the unit that joins the records of the right side (Java:
// KStreamKStreamJoinRightSide).
func (j *StreamJoin[K, L, R, O]) NewRight() (processor.Unit, error) {
	return &joinSide[K, R, L, O]{
		outer: j.RightOuter, withKey: j.WithKey, otherName: j.LeftStore, unmatchedName: j.Unmatched,
		this: j.RightValue, other: j.LeftValue, clocks: &j.clocks, null: record.NullsOf[O](), window: j.Window,
		before: j.Window.AfterMs(), after: j.Window.BeforeMs(),
		join: func(key K, r R, hasR bool, l L, hasL bool) O { return j.Join(key, l, hasL, r, hasR) },
	}, nil
}

// joinSide joins the records of one side, which hold a T, with those of the
// other, which hold an O (Java: KStreamKStreamJoin). There is no test for
// lateness: what the stores still hold is joined.
type joinSide[K, T, O, Out any] struct {
	processor.Out[K, Out]
	left, outer, withKey     bool
	otherName, unmatchedName string
	this                     serde.Serde[T]
	other                    serde.Serde[O]
	clocks                   *joinClocks
	null                     record.Nulls[Out]
	window                   window.Join
	// before and after are the window's, seen from this side.
	before, after int64
	join          func(key K, this T, hasThis bool, other O, hasOther bool) Out

	node      *processor.Node
	clock     *joinClock
	others    statestore.HeadersWindow[K, O]
	unmatched *unmatched[K, T, O]

	// rec is the record at hand, matched whether it has met another, failure
	// what ended the scan that each is handed to. They lie here because what a
	// function literal captures would be allocated for every record.
	rec     processor.Record[K, T]
	matched bool
	failure error
	each    func(statestore.Entry[window.Windowed[K], statestore.TimedHeaders[O]], error) bool
}

// Init implements processor.Unit.
func (s *joinSide[K, T, O, Out]) Init(n *processor.Node) (err error) {
	s.node, s.clock, s.each = n, s.clocks.of(n.Host()), s.meet
	if s.others, err = openJoinWindow[K, O](n, s.otherName); err != nil {
		return err
	}
	if s.unmatchedName != "" {
		s.unmatched, err = openUnmatched[K](n, s.unmatchedName, s.left, s.this, s.other)
	}
	return err
}

// Close implements processor.Unit.
func (s *joinSide[K, T, O, Out]) Close() error {
	if s.node != nil {
		s.clocks.drop(s.node.Host())
	}
	return nil
}

// Receive implements processor.Receiver.
func (s *joinSide[K, T, O, Out]) Receive(rec processor.Record[K, T]) error {
	s.clock.streamTime = max(s.clock.streamTime, rec.Timestamp)
	if rec.KeyNull || rec.ValueNull {
		if s.outer && !rec.ValueNull {
			return s.alone(&rec)
		}
		s.node.Host().Dropped()
		return nil
	}
	if s.unmatched != nil && rec.Timestamp == s.clock.streamTime {
		if err := s.sendClosed(&rec); err != nil {
			return err
		}
	}
	from, to := max(0, rec.Timestamp-s.before), max(0, rec.Timestamp+s.after)
	s.rec, s.matched, s.failure = rec, false, nil
	s.others.FetchKey(rec.Key, from, to)(s.each)
	if s.failure != nil || s.matched || !s.outer {
		return s.failure
	}
	if to < s.clock.streamTime {
		return s.alone(&rec)
	}
	s.clock.minTime = min(s.clock.minTime, rec.Timestamp)
	return s.unmatched.put(&rec)
}

// meet sends the record at hand with one of the other side. Whatever waits
// under that one's key, time and side has a partner now.
func (s *joinSide[K, T, O, Out]) meet(e statestore.Entry[window.Windowed[K], statestore.TimedHeaders[O]], err error) bool {
	if err == nil && s.unmatched != nil {
		err = s.unmatched.matched(s.rec.Key, e.Key.Start)
	}
	if err == nil {
		s.matched = true
		v := s.join(s.rec.Key, s.rec.Value, true, e.Value.Value, true)
		err = s.send(&s.rec, s.rec.Key, v, max(s.rec.Timestamp, e.Key.Start))
	}
	s.failure = err
	return err == nil
}

// alone sends a record without a partner.
func (s *joinSide[K, T, O, Out]) alone(rec *processor.Record[K, T]) error {
	if rec.KeyNull && s.withKey && !record.NullsOf[K]().Possible() {
		t := reflect.TypeFor[K]()
		return fmt.Errorf("node %s: a null key reached a joiner over %v, which cannot hold it; a stream over *%v can: %w",
			s.node.Name(), t, t, processor.ErrNull)
	}
	var none O
	v := s.join(rec.Key, rec.Value, true, none, false)
	return s.Forward(processor.Record[K, Out]{Key: rec.Key, KeyNull: rec.KeyNull, Value: v, ValueNull: s.null.Is(&v),
		Timestamp: rec.Timestamp, Headers: rec.Headers})
}

// send forwards a result with the headers of the record that caused it.
func (s *joinSide[K, T, O, Out]) send(rec *processor.Record[K, T], key K, v Out, timestamp int64) error {
	return s.Forward(processor.Record[K, Out]{Key: key, Value: v, ValueNull: s.null.Is(&v), Timestamp: timestamp, Headers: rec.Headers})
}

// sendClosed sends the unmatched records of both sides whose windows have
// closed, unless it is certain that there are none or the last scan is not long
// ago. As in Java the sum wraps while the smallest time is not known, so that
// the first record makes a scan and starts the interval.
func (s *joinSide[K, T, O, Out]) sendClosed(rec *processor.Record[K, T]) error {
	c, host := s.clock, s.node.Host()
	if c.minTime+s.after+s.window.GraceMs() >= c.streamTime || host.SystemTime() < c.nextEmit {
		return nil
	}
	c.nextEmit = host.SystemTime() + host.EmitInterval()
	c.minTime = math.MaxInt64
	return s.scan(rec)
}

// scan walks over the unmatched records in the order of their times and ends
// at the first one behind open windows of both sides. A row is deleted when the
// next one has been sent, so that after a failure nothing is missing.
func (s *joinSide[K, T, O, Out]) scan(rec *processor.Record[K, T]) error {
	var sent UnmatchedKey[K]
	var leftOpen, rightOpen, has bool
	for e, err := range s.unmatched.all() {
		if err != nil {
			return err
		}
		s.clock.minTime = e.Key.Timestamp
		if leftOpen && rightOpen {
			break
		}
		if s.open(&e.Key) {
			leftOpen, rightOpen = leftOpen || e.Key.Left, rightOpen || !e.Key.Left
			if leftOpen && rightOpen && len(e.Value) > 1 {
				break // Java's next entry is the next value of this row
			}
			continue
		}
		for i, data := range e.Value {
			if err := s.sendUnmatched(rec, &e.Key, data); err != nil {
				return err
			}
			if has && (i == 0 || isArray(e.Key.Key)) {
				if err := s.unmatched.remove(sent); err != nil {
					return err
				}
			}
			sent, has = e.Key, true
		}
	}
	if !has {
		return nil
	}
	return s.unmatched.remove(sent)
}

// open reports whether a partner may still come. Not the record's side decides
// how far its window reaches but that of the unmatched one.
func (s *joinSide[K, T, O, Out]) open(k *UnmatchedKey[K]) bool {
	reach := s.window.BeforeMs()
	if k.Left {
		reach = s.window.AfterMs()
	}
	return k.Timestamp+reach+s.window.GraceMs() >= s.clock.streamTime
}

func (s *joinSide[K, T, O, Out]) sendUnmatched(rec *processor.Record[K, T], k *UnmatchedKey[K], data []byte) error {
	this, other, mine, err := s.unmatched.decode(rec.Headers, data)
	if err != nil {
		return err
	}
	return s.send(rec, k.Key, s.join(k.Key, this, mine, other, !mine), k.Timestamp)
}
