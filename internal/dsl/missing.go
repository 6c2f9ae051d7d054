package dsl

import (
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// missing stands for a serde that Java would miss only when the task starts;
// see [Lax]. What holds one fails when it is readied.
type missing[T any] struct {
	side Side
	node string
	err  error
}

// Append implements [serde.Serde].
func (m missing[T]) Append(dst []byte, _ string, _ T) ([]byte, error) { return dst, m.Missing() }

// Decode implements [serde.Serde].
func (m missing[T]) Decode(string, []byte) (v T, err error) { return v, m.Missing() }

// Missing tells what is missing; serdes around this one pass it on.
func (m missing[T]) Missing() error {
	return &processor.StreamsError{Msg: fmt.Sprintf("cannot ready the %s serde of %s", m.side, m.node), Err: m.err}
}

// Missing is the failure of the first stand-in among serdes, nil if there is
// none; see [Lax].
func Missing(serdes ...any) error {
	for _, s := range serdes {
		if m, ok := s.(interface{ Missing() error }); ok {
			return m.Missing()
		}
	}
	return nil
}

// NewSourceUnit is the constructor of a source's units.
func NewSourceUnit[K, V any](key serde.Serde[K], value serde.Serde[V]) func() processor.SourceUnit {
	err := Missing(key, value)
	return func() processor.SourceUnit {
		s := processor.NewSource(key, value)
		if err != nil {
			return &unreadySource{s, err}
		}
		return s
	}
}

// NewSink is the constructor of a sink's units.
func NewSink[K, V any](c processor.SinkConfig[K, V]) func() processor.Unit {
	err := Missing(c.Key, c.Value)
	return func() processor.Unit {
		s := processor.NewSink(c)
		if err != nil {
			return &unreadySink[K, V]{s, err}
		}
		return s
	}
}

// ReadyStore is the builder of a store with these serdes.
func ReadyStore(b statestore.Builder, serdes ...any) statestore.Builder {
	if err := Missing(serdes...); err != nil {
		return unreadyBuilder{b, err}
	}
	return b
}

type unreadySource struct {
	processor.SourceUnit
	err error
}

// Init implements [processor.Unit].
func (u *unreadySource) Init(*processor.Node) error { return u.err }

type unreadySink[K, V any] struct {
	*processor.Sink[K, V]
	err error
}

// Init implements [processor.Unit].
func (u *unreadySink[K, V]) Init(*processor.Node) error { return u.err }

type unreadyBuilder struct {
	statestore.Builder
	err error
}

// Build implements [statestore.Builder].
func (b unreadyBuilder) Build() statestore.Store { return unreadyStore{b.Builder.Build(), b.err} }

// WithoutLog implements [statestore.Builder].
func (b unreadyBuilder) WithoutLog() statestore.Builder {
	return unreadyBuilder{b.Builder.WithoutLog(), b.err}
}

type unreadyStore struct {
	statestore.Store
	err error
}

// Open implements [statestore.Store].
func (s unreadyStore) Open(statestore.Host) error { return s.err }
