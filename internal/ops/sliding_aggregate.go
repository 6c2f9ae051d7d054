package ops

import (
	"slices"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// SlidingAggregate aggregates the records of each key in windows that follow
// the records (Java: KStreamSlidingWindowAggregate): one that ends at each
// record, its left window, and one that begins right behind it, its right
// window, if there are records in that. Records with a null key or value are
// dropped. The timestamp of a stored aggregate is that of the newest record in
// it, on which the algorithm relies: the record before another is found so.
//
// No window begins before 0. Records that are earlier than the difference share
// the window from 0 to the difference in place of their left windows.
type SlidingAggregate[K, V, A any] struct {
	windowedPlan[K, V, A]
	windows window.Sliding
}

// NewSlidingAggregate plans an aggregation that keeps its results in the store.
func NewSlidingAggregate[K, V, A any](store string, w window.Sliding, fold Fold[K, V, A], onClose bool) *SlidingAggregate[K, V, A] {
	return &SlidingAggregate[K, V, A]{windowedPlan[K, V, A]{store: store, fold: fold, onClose: onClose}, w}
}

// View implements dsl.TableSupplier.
func (p *SlidingAggregate[K, V, A]) View() dsl.View[window.Windowed[K], A] {
	return windowView[K, A](p.store)
}

// New makes the unit of a task.
func (p *SlidingAggregate[K, V, A]) New() (processor.Unit, error) {
	return &slidingAggregate[K, V, A]{windowUnit: windowUnit[K, V, A]{plan: &p.windowedPlan},
		difference: p.windows.DifferenceMs(), grace: p.windows.GraceMs()}, nil
}

type slidingAggregate[K, V, A any] struct {
	windowUnit[K, V, A]
	difference, grace int64
	// rec is the record at hand, closeTime where windows must end, or begin to
	// end, to be open still. What scans look at lies here so that nothing
	// escapes from the stack.
	rec       processor.Record[K, V]
	closeTime int64
	found     slidingScan[A]
}

// slidingScan is what a scan over the windows around a record has found.
type slidingScan[A any] struct {
	// starts are the starts of the windows that were seen.
	starts []int64
	// right holds at least the records behind the one at hand, left those before
	// it; combined is the window that begins at 0.
	right, left, combined          statestore.Timed[A]
	hasRight, hasLeft, hasCombined bool
	// rightMade and leftMade say that the record's own windows exist.
	rightMade, leftMade bool
	// previous is the timestamp of the record before, noTime if there is none.
	previous int64
	// complete says that a record of this very timestamp has made all windows.
	complete bool
}

func (s *slidingScan[A]) reset() { *s = slidingScan[A]{starts: s.starts[:0], previous: noTime} }

// missesRightOf tells whether the right window of a record is not there.
func (s *slidingScan[A]) missesRightOf(timestamp int64) bool {
	return !slices.Contains(s.starts, timestamp+1)
}

// needsRight tells whether the record's right window is missing and would not
// be empty.
func (s *slidingScan[A]) needsRight(timestamp int64) bool {
	return !s.rightMade && s.hasRight && s.right.Timestamp > timestamp
}

// Receive implements processor.Receiver.
func (u *slidingAggregate[K, V, A]) Receive(rec processor.Record[K, V]) error {
	if rec.KeyNull || rec.ValueNull {
		dropNull(u.node, "its key or value is null")
		return nil
	}
	u.streamTime = max(u.streamTime, rec.Timestamp)
	u.rec, u.closeTime = rec, u.streamTime-u.grace
	u.found.reset()
	if end := rec.Timestamp + u.difference; end < u.closeTime {
		dropLate(u.node, expired{rec.Timestamp, rec.Timestamp, end, u.closeTime, u.streamTime})
		return nil
	}
	if rec.Timestamp < u.difference {
		// As in Java, closed windows are not looked for here.
		return u.early()
	}
	if err := u.ordinary(); err != nil {
		return err
	}
	if u.emission == nil || !u.emission.due(u.closeTime) {
		return nil
	}
	return u.emitClosed()
}

// ordinary takes in a record that has a left window of its own. The scan runs
// backward from the record's right window.
func (u *slidingAggregate[K, V, A]) ordinary() error {
	from := max(0, u.rec.Timestamp-2*u.difference)
	for e, err := range u.store.ofKey(u.rec.Key, from, u.rec.Timestamp+1, true) {
		if err != nil {
			return err
		}
		stop, err := u.visit(e.Key.Start, e.Value)
		if err != nil {
			return err
		}
		if stop {
			break
		}
	}
	if u.found.complete {
		return nil
	}
	return u.create()
}

// visit looks at a window and updates it if the record is in it.
func (u *slidingAggregate[K, V, A]) visit(start int64, row statestore.Timed[A]) (stop bool, err error) {
	s := &u.found
	s.starts = append(s.starts, start)
	w := window.Span{Start: start, End: start + u.difference}
	switch {
	case start == u.rec.Timestamp+1:
		s.rightMade = true
		return false, nil
	case w.End > u.rec.Timestamp:
		if !s.hasRight {
			s.right, s.hasRight = row, true
		}
		return false, u.updateOpen(w, row, true)
	case w.End == u.rec.Timestamp:
		s.leftMade = true
		if row.Timestamp < u.rec.Timestamp {
			s.previous = row.Timestamp
		} else {
			s.complete = true
		}
		return s.complete, u.updateOpen(w, row, true)
	default:
		s.left, s.hasLeft, s.previous = row, true, row.Timestamp
		return true, nil
	}
}

// create makes the windows that the record needs and that are not there: the
// right window of the record before, its own left one, its own right one.
func (u *slidingAggregate[K, V, A]) create() error {
	s := &u.found
	if s.previous != noTime && s.missesRightOf(s.previous) && s.previous+1+u.difference >= u.rec.Timestamp {
		if err := u.createFor(s.previous + 1); err != nil {
			return err
		}
	}
	if !s.leftMade {
		if err := u.createLeft(); err != nil {
			return err
		}
	}
	if s.needsRight(u.rec.Timestamp) {
		return u.createRight()
	}
	return nil
}

// createLeft makes the window that ends at the record. The records before it
// that it shares are those of the window that was found there.
func (u *slidingAggregate[K, V, A]) createLeft() error {
	start := u.rec.Timestamp - u.difference
	if s := &u.found; !s.hasLeft || s.previous < start {
		return u.createFor(start)
	}
	w, err := window.TimeSpan(start, u.difference)
	if err != nil {
		return err
	}
	return u.updateOpen(w, statestore.Timed[A]{Value: u.found.left.Value, Timestamp: u.rec.Timestamp}, true)
}

// createFor makes a window with nothing but the record in it.
func (u *slidingAggregate[K, V, A]) createFor(start int64) error {
	row := statestore.Timed[A]{Timestamp: u.rec.Timestamp}
	var has bool
	row.Value, has = u.plan.fold.Init()
	w, err := window.TimeSpan(start, u.difference)
	if err != nil {
		return err
	}
	return u.updateOpen(w, row, has)
}

// createRight makes the window right behind the record, which does not hold
// the record, and sends it with the time of the newest record in it. It is made
// even if it has closed already.
func (u *slidingAggregate[K, V, A]) createRight() error {
	w, err := window.TimeSpan(u.rec.Timestamp+1, u.difference)
	if err != nil {
		return err
	}
	right := u.found.right
	if err := u.store.put(u.rec.Key, right, true, w.Start); err != nil {
		return err
	}
	return u.send(u.rec, w, processor.Change[A]{New: right.Value, HasNew: true}, right.Timestamp)
}

// updateOpen puts the record into a window unless that has closed.
func (u *slidingAggregate[K, V, A]) updateOpen(w window.Span, row statestore.Timed[A], has bool) error {
	if w.End < u.closeTime {
		dropLate(u.node, expired{u.rec.Timestamp, w.Start, w.End, u.closeTime, u.streamTime})
		return nil
	}
	return u.update(u.rec, w, row, has)
}

// early takes in a record whose left window would begin before 0.
func (u *slidingAggregate[K, V, A]) early() error {
	s := &u.found
	for e, err := range u.store.ofKey(u.rec.Key, 0, u.rec.Timestamp+1, false) {
		if err != nil {
			return err
		}
		if err := u.visitEarly(e.Key.Start, e.Value); err != nil {
			return err
		}
	}
	// Without a window from between, all records of the combined one that come
	// behind this record are in its right window.
	if !s.hasRight && s.hasCombined && s.combined.Timestamp > u.rec.Timestamp {
		s.right, s.hasRight = s.combined, true
	}
	if s.needsRight(u.rec.Timestamp) {
		if err := u.createRight(); err != nil {
			return err
		}
	}
	if s.previous != noTime && s.missesRightOf(s.previous) {
		if err := u.createFor(s.previous + 1); err != nil {
			return err
		}
	}
	if !s.hasCombined {
		return u.createFor(0)
	}
	return u.updateOpen(window.Span{End: u.difference}, s.combined, true)
}

func (u *slidingAggregate[K, V, A]) visitEarly(start int64, row statestore.Timed[A]) error {
	s := &u.found
	s.starts = append(s.starts, start)
	switch {
	case start == 0:
		s.combined, s.hasCombined = row, true
		if row.Timestamp < u.rec.Timestamp {
			s.previous = row.Timestamp
		}
	case start <= u.rec.Timestamp:
		s.right, s.hasRight = row, true
		return u.updateOpen(window.Span{Start: start, End: start + u.difference}, row, true)
	default:
		s.rightMade = true
	}
	return nil
}

// emitClosed sends the windows that ended, inclusively, before the close time.
func (u *slidingAggregate[K, V, A]) emitClosed() error {
	to := u.closeTime - u.difference - 1
	if to < 0 {
		return nil
	}
	from := int64(0)
	if u.emission.last != noTime {
		from = max(0, u.emission.last-u.difference)
	}
	return u.emit(u.rec, from, to, u.closeTime)
}
