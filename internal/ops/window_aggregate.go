package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/window"
)

// WindowAggregate aggregates the records of each key in windows that lie in
// time without regard to the records (Java: KStreamWindowAggregate). Records
// with a null key are dropped, those with a null value are not. For each window
// that has closed already a record is counted as dropped. The timestamp of an
// aggregate is the highest of the records in it.
type WindowAggregate[K, V, A any] struct {
	windowedPlan[K, V, A]
	windows window.Windows
}

// NewWindowAggregate plans an aggregation that keeps its results in the store.
func NewWindowAggregate[K, V, A any](store string, w window.Windows, fold Fold[K, V, A], onClose bool) *WindowAggregate[K, V, A] {
	return &WindowAggregate[K, V, A]{windowedPlan[K, V, A]{store: store, fold: fold, onClose: onClose}, w}
}

// View implements dsl.TableSupplier.
func (p *WindowAggregate[K, V, A]) View() dsl.View[window.Windowed[K], A] {
	return windowView[K, A](p.store)
}

// New makes the unit of a task.
func (p *WindowAggregate[K, V, A]) New() (processor.Unit, error) {
	return &windowAggregate[K, V, A]{windowUnit: windowUnit[K, V, A]{plan: &p.windowedPlan}, windows: p.windows}, nil
}

type windowAggregate[K, V, A any] struct {
	windowUnit[K, V, A]
	windows window.Windows
	// hit and other are scratch.
	hit, other []window.Span
}

// Receive implements processor.Receiver.
func (u *windowAggregate[K, V, A]) Receive(rec processor.Record[K, V]) (err error) {
	if rec.KeyNull {
		dropNull(u.node, "its key is null")
		return nil
	}
	u.streamTime = max(u.streamTime, rec.Timestamp)
	closeTime := u.streamTime - u.windows.GraceMs()
	if u.hit, err = u.windows.AppendWindows(u.hit[:0], rec.Timestamp); err != nil {
		return err
	}
	for _, w := range u.hit {
		if w.End <= closeTime {
			dropLate(u.node, expired{rec.Timestamp, w.Start, w.End, closeTime, u.streamTime})
			continue
		}
		if err := u.aggregate(rec, w); err != nil {
			return err
		}
	}
	if u.emission == nil || !u.emission.due(closeTime) {
		return nil
	}
	return u.emitClosed(rec, closeTime)
}

func (u *windowAggregate[K, V, A]) aggregate(rec processor.Record[K, V], w window.Span) error {
	row, has, err := u.store.fetch(rec.Key, w.Start)
	if err != nil {
		return err
	}
	if !has {
		row.Value, has = u.plan.fold.Init()
		row.Timestamp = rec.Timestamp
	}
	return u.update(rec, w, row, has)
}

// emitClosed sends the windows that ended, exclusively, after the last close
// time and not after this one. A scan that could find no new window is left
// out, and then the close time is not remembered, as in Java.
func (u *windowAggregate[K, V, A]) emitClosed(rec processor.Record[K, V], closeTime int64) error {
	size := u.windows.SizeMs()
	to := closeTime - size
	if to < 0 {
		return nil
	}
	from := int64(0)
	if u.emission.last != noTime {
		from = max(0, u.emission.last-size) + 1
		same, err := u.sameWindows(to, from-1)
		if err != nil || same {
			return err
		}
	}
	return u.emit(rec, from, to, closeTime)
}

// sameWindows tells whether two timestamps hit the same windows.
func (u *windowAggregate[K, V, A]) sameWindows(a, b int64) (bool, error) {
	var err error
	if u.hit, err = u.windows.AppendWindows(u.hit[:0], a); err != nil {
		return false, err
	}
	if u.other, err = u.windows.AppendWindows(u.other[:0], b); err != nil {
		return false, err
	}
	if len(u.hit) != len(u.other) {
		return false, nil
	}
	for i, w := range u.hit {
		if w != u.other[i] {
			return false, nil
		}
	}
	return true, nil
}
