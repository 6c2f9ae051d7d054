package ops

import (
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// TupleForwarder sends the changes of a materialised table downstream: at once
// if the store is not cached, otherwise when they leave the cache, which sends
// one change for all the updates of a key since the last flush (Java:
// TimestampedTupleForwarder and TimestampedCacheFlushListener).
type TupleForwarder[K, V any] struct {
	out     *processor.Out[K, processor.Change[V]]
	sendOld bool
	cached  bool
}

// NewTupleForwarder makes the forwarder of a node that sends through out and
// writes to the store. It sets the store's flush listener.
func NewTupleForwarder[K, V any](store statestore.Store, out *processor.Out[K, processor.Change[V]], sendOld bool) TupleForwarder[K, V] {
	f := TupleForwarder[K, V]{out: out, sendOld: sendOld}
	switch c := store.(type) {
	case statestore.CacheFlusher[K, statestore.Timed[V]]:
		f.cached = c.OnFlush(flushTo(out), sendOld)
	case statestore.CacheFlusher[K, statestore.TimedHeaders[V]]:
		f.cached = c.OnFlush(flushWithHeadersTo(out), sendOld)
	}
	return f
}

// Forward sends a change that has just been put into the store, unless the
// cache will. The old value is dropped if nobody asked for it.
func (f *TupleForwarder[K, V]) Forward(rec processor.Record[K, processor.Change[V]]) error {
	if f.cached {
		return nil
	}
	if !f.sendOld {
		var none V
		rec.Value.Old, rec.Value.HasOld = none, false
	}
	return f.out.Forward(rec)
}

// flushTo returns the listener that forwards what leaves the cache. A deletion
// has the time of the record that deleted, a value its own.
func flushTo[K, V any](out *processor.Out[K, processor.Change[V]]) func(statestore.Flushed[K, statestore.Timed[V]]) error {
	return func(u statestore.Flushed[K, statestore.Timed[V]]) error {
		ts := u.Context.Timestamp
		if u.HasNew {
			ts = u.New.Timestamp
		}
		return out.Forward(flushed(u.Key, processor.Change[V]{New: u.New.Value, Old: u.Old.Value, HasNew: u.HasNew, HasOld: u.HasOld},
			ts, u.Context.Headers))
	}
}

// flushWithHeadersTo is flushTo for stores of values with headers. What is
// forwarded has the headers of the last update's record.
func flushWithHeadersTo[K, V any](out *processor.Out[K, processor.Change[V]]) func(statestore.Flushed[K, statestore.TimedHeaders[V]]) error {
	return func(u statestore.Flushed[K, statestore.TimedHeaders[V]]) error {
		ts := u.Context.Timestamp
		if u.HasNew {
			ts = u.New.Timestamp
		}
		return out.Forward(flushed(u.Key, processor.Change[V]{New: u.New.Value, Old: u.Old.Value, HasNew: u.HasNew, HasOld: u.HasOld},
			ts, u.Context.Headers))
	}
}

// withChange is the record with another value and the same key and headers.
func withChange[K, V, V2 any](rec processor.Record[K, V], c processor.Change[V2], timestamp int64) processor.Record[K, processor.Change[V2]] {
	return processor.Record[K, processor.Change[V2]]{Key: rec.Key, Value: c, Timestamp: timestamp, Headers: rec.Headers}
}
