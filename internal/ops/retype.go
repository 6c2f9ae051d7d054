package ops

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// Convert is a value under another type that it also has: one of the two is an
// interface. nil becomes the zero value.
func Convert[B, A any](a A) (B, error) {
	v := any(a)
	if b, ok := v.(B); ok {
		return b, nil
	}
	var none B
	if v == nil {
		return none, nil
	}
	return none, fmt.Errorf("a %T where a %T is wanted: %w", v, none, processor.ErrTypeMismatch)
}

// RetypeSerde is a serde under another type; nil stays nil.
func RetypeSerde[B, A any](s serde.Serde[A]) serde.Serde[B] {
	if s == nil {
		return nil
	}
	if same, ok := s.(serde.Serde[B]); ok {
		return same
	}
	if base, ok := s.(window.BaseKeySerde[A]); ok {
		return retypedKeySerde[A, B]{retypedSerde[A, B]{s}, base}
	}
	return retypedSerde[A, B]{s}
}

// retypedKeySerde still shows how a windowed key is written without its window.
type retypedKeySerde[A, B any] struct {
	retypedSerde[A, B]
	base window.BaseKeySerde[A]
}

// AppendBaseKey implements window.BaseKeySerde.
func (s retypedKeySerde[A, B]) AppendBaseKey(dst []byte, topic string, h *record.Headers, v B) ([]byte, error) {
	a, err := Convert[A](v)
	if err != nil {
		return dst, err
	}
	return s.base.AppendBaseKey(dst, topic, h, a)
}

type retypedSerde[A, B any] struct{ inner serde.Serde[A] }

func (s retypedSerde[A, B]) Append(dst []byte, topic string, v B) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

func (s retypedSerde[A, B]) Decode(topic string, data []byte) (B, error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s retypedSerde[A, B]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v B) ([]byte, error) {
	a, err := Convert[A](v)
	if err != nil {
		return dst, err
	}
	return serde.AppendWith(s.inner, dst, topic, h, a)
}

func (s retypedSerde[A, B]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (B, error) {
	a, err := serde.DecodeWith(s.inner, topic, h, data)
	if err != nil {
		var none B
		return none, err
	}
	return Convert[B](a)
}

func (s retypedSerde[A, B]) String() string { return serde.NameOf(s.inner) }

// RetypeTable makes the node of a table, which sends K and V, acceptable to
// units that take K2 and V2. below is the adapter of a handle that was retyped
// before, nil otherwise.
func RetypeTable[K2, V2, K, V any](below dsl.Adapter) dsl.Adapter {
	return func(unit processor.Unit, target any) bool {
		to, ok := unit.(processor.Receiver[K2, processor.Change[V2]])
		if !ok {
			return false
		}
		r := &retypedChanges[K, V, K2, V2]{Unit: unit, to: to}
		if want, ok := target.(*processor.Receiver[K, processor.Change[V]]); ok {
			*want = r
			return true
		}
		return below != nil && below(r, target)
	}
}

type retypedChanges[K, V, K2, V2 any] struct {
	processor.Unit
	to processor.Receiver[K2, processor.Change[V2]]
}

// Receive implements processor.Receiver.
func (r *retypedChanges[K, V, K2, V2]) Receive(rec processor.Record[K, processor.Change[V]]) (err error) {
	out := processor.Record[K2, processor.Change[V2]]{KeyNull: rec.KeyNull, Timestamp: rec.Timestamp, Headers: rec.Headers}
	c := &out.Value
	c.HasNew, c.HasOld, c.Stale = rec.Value.HasNew, rec.Value.HasOld, rec.Value.Stale
	if out.Key, err = Convert[K2](rec.Key); err != nil {
		return err
	}
	if c.HasNew {
		if c.New, err = Convert[V2](rec.Value.New); err != nil {
			return err
		}
	}
	if c.HasOld {
		if c.Old, err = Convert[V2](rec.Value.Old); err != nil {
			return err
		}
	}
	if out.KeyNull {
		var none K2
		out.Key = none
	}
	return r.to.Receive(out)
}

// RetypeView reads a table's rows under other types.
func RetypeView[K2, V2, K, V any](v dsl.View[K, V]) dsl.View[K2, V2] {
	return dsl.View[K2, V2]{Stores: v.Stores, New: func() dsl.ValueGetter[K2, V2] {
		return &retypedGetter[K, V, K2, V2]{v.New()}
	}}
}

type retypedGetter[K, V, K2, V2 any] struct{ inner dsl.ValueGetter[K, V] }

// Init implements dsl.ValueGetter.
func (g *retypedGetter[K, V, K2, V2]) Init(n *processor.Node) error { return g.inner.Init(n) }

// Get implements dsl.ValueGetter.
func (g *retypedGetter[K, V, K2, V2]) Get(key K2) (row statestore.Timed[V2], ok bool, err error) {
	k, err := Convert[K](key)
	if err != nil {
		return row, false, err
	}
	return retypeRow[V2](g.inner.Get(k))
}

// GetAsOf implements dsl.ValueGetter.
func (g *retypedGetter[K, V, K2, V2]) GetAsOf(key K2, time int64) (row statestore.Timed[V2], ok bool, err error) {
	k, err := Convert[K](key)
	if err != nil {
		return row, false, err
	}
	return retypeRow[V2](g.inner.GetAsOf(k, time))
}

// Versioned implements dsl.ValueGetter.
func (g *retypedGetter[K, V, K2, V2]) Versioned() bool { return g.inner.Versioned() }

// Close implements dsl.ValueGetter.
func (g *retypedGetter[K, V, K2, V2]) Close() error { return g.inner.Close() }

func retypeRow[V2, V any](t statestore.Timed[V], ok bool, err error) (row statestore.Timed[V2], _ bool, _ error) {
	if err != nil || !ok {
		return row, false, err
	}
	row.Timestamp = t.Timestamp
	row.Value, err = Convert[V2](t.Value)
	return row, err == nil, err
}

// RetypeSupplier is the supplier of a table under other types.
func RetypeSupplier[K2, V2, K, V any](s dsl.TableSupplier[K, V]) dsl.TableSupplier[K2, V2] {
	return retypedSupplier[K, V, K2, V2]{s}
}

type retypedSupplier[K, V, K2, V2 any] struct{ inner dsl.TableSupplier[K, V] }

// EnableOldValues implements dsl.TableSupplier.
func (s retypedSupplier[K, V, K2, V2]) EnableOldValues(force bool) bool {
	return s.inner.EnableOldValues(force)
}

// View implements dsl.TableSupplier.
func (s retypedSupplier[K, V, K2, V2]) View() dsl.View[K2, V2] {
	return RetypeView[K2, V2](s.inner.View())
}
