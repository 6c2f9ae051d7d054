package ops

import (
	"errors"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// NewWindowedPlan plans an aggregation in windows of any kind.
func NewWindowedPlan[K, V, A any](store string, w *Windowing, fold Fold[K, V, A]) WindowedPlan[K, A] {
	switch {
	case w.Sliding != nil:
		return NewSlidingAggregate(store, *w.Sliding, fold, w.OnClose)
	case w.Session != nil:
		return NewSessionAggregate(store, *w.Session, fold, w.OnClose)
	default:
		return NewWindowAggregate(store, w.Time, fold, w.OnClose)
	}
}

// WindowedPlan is the plan of an aggregation in windows.
type WindowedPlan[K, A any] interface {
	Plan
	dsl.TableSupplier[window.Windowed[K], A]
}

// WindowedStore is the store of an aggregation in windows, which several nodes
// may share, and the serde of the resulting table's keys.
type WindowedStore[K, A any] struct {
	m        *dsl.Materialized[K, A]
	windows  *Windowing
	builders []statestore.Builder
	key      *lateKeySerde[K]
}

// NewWindowedStore plans the store of an aggregation.
func NewWindowedStore[K, A any](m *dsl.Materialized[K, A], w *Windowing) *WindowedStore[K, A] {
	return &WindowedStore[K, A]{m: m, windows: w, key: &lateKeySerde[K]{}}
}

// Key is the serde of windowed keys. Where neither the store nor the stream
// above has a serde for K it is known once the store's node is written, which
// is before anything below is; lax graphs have none then, as Java.
func (s *WindowedStore[K, A]) Key(lax bool) serde.Serde[window.Windowed[K]] {
	switch {
	case s.m.Key != nil:
		return WindowedSerde(s.windows, s.m.Key)
	case lax:
		return nil
	default:
		return s.key
	}
}

// Node makes the node of an aggregation that writes to the store.
func (s *WindowedStore[K, A]) Node(name string, plan Plan) *dsl.Node {
	var n *dsl.Node
	n = dsl.NewProcessor(name, dsl.Processor{New: plan.New, Stores: func() ([]statestore.Builder, error) { return s.build(n) }})
	grace := s.windows.GraceMs()
	n.Grace, n.Output = &grace, dsl.Unversioned
	return n
}

// build makes the builder when the first of the nodes is written.
func (s *WindowedStore[K, A]) build(n *dsl.Node) ([]statestore.Builder, error) {
	if s.builders != nil {
		return s.builders, nil
	}
	b, key, err := WindowStoreBuilder(n, s.m, s.windows)
	if err != nil {
		return nil, err
	}
	s.key.Serde, _ = WindowedSerde(s.windows, key).(window.BaseKeySerde[window.Windowed[K]])
	s.builders = []statestore.Builder{b}
	return s.builders, nil
}

// lateKeySerde is a serde of windowed keys that is known when the store's node
// has been written.
type lateKeySerde[K any] struct {
	Serde window.BaseKeySerde[window.Windowed[K]]
}

var errUnwritten = errors.New("the serde of windowed keys is used before its topology was built")

// Append implements serde.Serde.
func (s *lateKeySerde[K]) Append(dst []byte, topic string, v window.Windowed[K]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

// Decode implements serde.Serde.
func (s *lateKeySerde[K]) Decode(topic string, data []byte) (window.Windowed[K], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

// AppendWithHeaders implements serde.HeaderSerde.
func (s *lateKeySerde[K]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v window.Windowed[K]) ([]byte, error) {
	if s.Serde == nil {
		return dst, errUnwritten
	}
	return serde.AppendWith[window.Windowed[K]](s.Serde, dst, topic, h, v)
}

// DecodeWithHeaders implements serde.HeaderSerde.
func (s *lateKeySerde[K]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (w window.Windowed[K], err error) {
	if s.Serde == nil {
		return w, errUnwritten
	}
	return serde.DecodeWith[window.Windowed[K]](s.Serde, topic, h, data)
}

// AppendBaseKey implements window.BaseKeySerde.
func (s *lateKeySerde[K]) AppendBaseKey(dst []byte, topic string, h *record.Headers, v window.Windowed[K]) ([]byte, error) {
	if s.Serde == nil {
		return dst, errUnwritten
	}
	return s.Serde.AppendBaseKey(dst, topic, h, v)
}

// String names the serde.
func (s *lateKeySerde[K]) String() string {
	if s.Serde == nil {
		return "windowed key"
	}
	return serde.NameOf(s.Serde)
}
