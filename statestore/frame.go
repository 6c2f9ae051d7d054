package statestore

import (
	"encoding/binary"
	"fmt"

	"github.com/millrace/millrace/internal/storebytes"
	"github.com/millrace/millrace/record"
)

// frame says what lies in front of a raw value in the layers of a store.
type frame uint8

const (
	// frameNone: the raw value alone.
	frameNone frame = iota
	// frameTimed: `i64 timestamp`.
	frameTimed
	// frameHeaders: `varint n ‖ header block of n bytes ‖ i64 timestamp`.
	frameHeaders
	// frameAggregate: `varint n ‖ header block of n bytes`, of sessions.
	frameAggregate
)

func frameOf(k Kind) frame {
	switch k {
	case KindTimestampedKeyValue, KindTimestampedWindow:
		return frameTimed
	case KindHeadersKeyValue, KindHeadersWindow:
		return frameHeaders
	case KindHeadersSession:
		return frameAggregate
	}
	return frameNone
}

// split takes a framed value apart. Parts that the frame does not have are nil
// and noTimestamp.
func (f frame) split(data []byte) (block []byte, timestamp int64, raw []byte, err error) {
	timestamp = noTimestamp
	switch f {
	case frameTimed:
		timestamp, raw, err = storebytes.SplitTimed(data)
	case frameHeaders:
		block, timestamp, raw, err = storebytes.SplitTimedWithHeaders(data)
	case frameAggregate:
		block, raw, err = storebytes.SplitHeaders(data)
	default:
		raw = data
	}
	return block, timestamp, raw, err
}

// noTimestamp stands where a store has none.
const noTimestamp = -1

// restored appends what a store with this frame holds for a changelog record.
func (f frame) restored(dst []byte, c *Change) []byte {
	switch f {
	case frameTimed:
		return storebytes.AppendTimed(dst, c.Timestamp, c.Value)
	case frameHeaders:
		return storebytes.AppendTimedWithHeaders(dst, record.NewHeaders(c.Headers...), c.Timestamp, c.Value)
	case frameAggregate:
		return storebytes.AppendWithHeaders(dst, record.NewHeaders(c.Headers...), c.Value)
	}
	return append(dst, c.Value...)
}

// reframing turns the values of a store into those of a simpler one below it
// and back, see [Supplied].
type reframing struct {
	above, below frame
	// prefix is what a value read from below lacks.
	prefix []byte
}

// reframe is nil if nothing needs to be done.
func reframe(k Kind, s *settings) *reframing {
	if s.supplied == "" || !s.persistent() {
		return nil
	}
	r := &reframing{above: frameOf(k), below: frameOf(s.supplied)}
	if r.above <= r.below {
		return nil
	}
	noHeaders := byte(0)
	switch r.above {
	case frameTimed:
		r.prefix = binary.BigEndian.AppendUint64(nil, ^uint64(0))
	case frameHeaders:
		r.prefix = []byte{noHeaders}
		if r.below == frameNone {
			r.prefix = binary.BigEndian.AppendUint64(r.prefix, ^uint64(0))
		}
	case frameAggregate:
		r.prefix = []byte{noHeaders}
	}
	return r
}

// down is the part of a value that the store below keeps.
func (r *reframing) down(value []byte) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	_, _, raw, err := r.above.split(value)
	if err != nil {
		return nil, err
	}
	if r.below == frameTimed {
		return value[len(value)-len(raw)-storebytes.TimestampSize:], nil
	}
	return raw, nil
}

// headersValues are stored as `varint n ‖ header block ‖ i64 timestamp ‖ raw`.
// Key and value are written with the value's own headers.
type headersValues[V any] struct{ coder[V] }

func (c *headersValues[V]) append(dst []byte, topic string, _ *record.Headers, v TimedHeaders[V]) ([]byte, error) {
	dst = storebytes.AppendTimedWithHeaders(dst, v.Headers, v.Timestamp, nil)
	return c.coder.append(dst, topic, ownHeaders(v.Headers), v.Value)
}

func (c *headersValues[V]) decode(topic string, _ *record.Headers, data []byte) (v TimedHeaders[V], err error) {
	block, ts, raw, err := storebytes.SplitTimedWithHeaders(data)
	if err != nil {
		return v, err
	}
	v.Timestamp = ts
	if v.Headers, err = parseHeaders(block); err != nil {
		return v, err
	}
	v.Value, err = c.coder.decode(topic, ownHeaders(v.Headers), raw)
	return v, err
}

func (c *headersValues[V]) headers(v TimedHeaders[V]) *record.Headers {
	return c.coder.headersFor(v.Headers, v.Value)
}

// headersAggregates are stored as `varint n ‖ header block ‖ raw`.
type headersAggregates[V any] struct{ coder[V] }

func (c *headersAggregates[V]) append(dst []byte, topic string, _ *record.Headers, v WithHeaders[V]) ([]byte, error) {
	dst = storebytes.AppendWithHeaders(dst, v.Headers, nil)
	return c.coder.append(dst, topic, ownHeaders(v.Headers), v.Value)
}

func (c *headersAggregates[V]) decode(topic string, _ *record.Headers, data []byte) (v WithHeaders[V], err error) {
	block, raw, err := storebytes.SplitHeaders(data)
	if err != nil {
		return v, err
	}
	if v.Headers, err = parseHeaders(block); err != nil {
		return v, err
	}
	v.Value, err = c.coder.decode(topic, ownHeaders(v.Headers), raw)
	return v, err
}

func (c *headersAggregates[V]) headers(v WithHeaders[V]) *record.Headers {
	return c.coder.headersFor(v.Headers, v.Value)
}

// headersCoder is the coder of values that bring their own headers. Those of a
// null value are nil: the current record's stand in for them.
type headersCoder[V any] interface {
	headers(V) *record.Headers
}

func (c *coder[T]) headersFor(h *record.Headers, v T) *record.Headers {
	if c.null.Is(&v) {
		return nil
	}
	return ownHeaders(h)
}

// ownHeaders gives serdes a list to look into in place of nil.
func ownHeaders(h *record.Headers) *record.Headers {
	if h == nil {
		return &record.Headers{}
	}
	return h
}

// parseHeaders is nil for an empty block, which is what most values have.
func parseHeaders(block []byte) (*record.Headers, error) {
	if len(block) == 0 {
		return nil, nil
	}
	return storebytes.ParseHeaders(block)
}

// changelog writes the changelog records of a store (Java: the ChangeLogging…
// classes): a framed value goes out raw, under its own timestamp and headers.
// What has no timestamp of its own, deletes too, gets that of the current
// record; a delete of a header-aware store gets the current record's headers.
type changelog struct {
	host  Host
	log   Log
	frame frame
}

func (l *changelog) write(key, value []byte) error {
	current := contextOf(l.host)
	if value == nil {
		var h *record.Headers
		if l.frame >= frameHeaders {
			h = current.Headers
		}
		return l.log.Log(key, nil, current.Timestamp, h)
	}
	block, ts, raw, err := l.frame.split(value)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	if l.frame != frameTimed && l.frame != frameHeaders {
		ts = current.Timestamp
	}
	h, err := parseHeaders(block)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return l.log.Log(key, raw, ts, h)
}
