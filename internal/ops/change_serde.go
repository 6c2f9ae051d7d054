package ops

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/internal/storebytes"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// ChangeSerde writes and reads the changes of a regrouped table in its
// repartition topic, with the serde of the values inside (Java:
// ChangedSerializer and ChangedDeserializer). The bytes are those of package
// storebytes.
func ChangeSerde[V any](inner serde.Serde[V]) serde.HeaderSerde[processor.Change[V]] {
	return changeSerde[V]{inner: inner, null: record.NullsOf[V]()}
}

type changeSerde[V any] struct {
	inner serde.Serde[V]
	null  record.Nulls[V]
}

// Missing tells package dsl about an inner serde that there is not.
func (s changeSerde[V]) Missing() error { return missingInside(s.inner) }

func (s changeSerde[V]) Append(dst []byte, topic string, c processor.Change[V]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, c)
}

func (s changeSerde[V]) Decode(topic string, data []byte) (processor.Change[V], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

// AppendWithHeaders writes both sides behind dst, lets the format be written
// behind them and moves the result to the front: no memory but dst is needed.
func (s changeSerde[V]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, c processor.Change[V]) ([]byte, error) {
	start := len(dst)
	buf, err := s.side(dst, topic, h, c.New, c.HasNew, "new")
	if err != nil {
		return dst, err
	}
	middle := len(buf)
	if buf, err = s.side(buf, topic, h, c.Old, c.HasOld, "old"); err != nil {
		return dst, err
	}
	end := len(buf)
	buf, err = storebytes.AppendChange(buf, buf[middle:end], buf[start:middle], c.HasOld, c.HasNew)
	if err != nil {
		return dst, err
	}
	n := copy(buf[start:], buf[end:])
	return buf[:start+n], nil
}

func (s changeSerde[V]) side(dst []byte, topic string, h *record.Headers, v V, has bool, name string) ([]byte, error) {
	if !has {
		return dst, nil
	}
	dst, err := serde.AppendWith(s.inner, dst, topic, h, v)
	if err != nil {
		return dst, fmt.Errorf("%s value of a change: %w", name, notNull(err))
	}
	return dst, nil
}

// notNull makes a failure of the answer that a value is null: half a change
// cannot be.
func notNull(err error) error {
	if errors.Is(err, serde.ErrNull) {
		return errors.New("its serde writes null for a value that is not")
	}
	return err
}

func (s changeSerde[V]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (c processor.Change[V], err error) {
	parsed, err := storebytes.ParseChange(data)
	if err != nil {
		return c, err
	}
	c.Stale = !parsed.Latest
	if c.New, c.HasNew, err = s.decodeSide(topic, h, parsed.New); err != nil {
		return c, fmt.Errorf("new value of a change: %w", err)
	}
	if c.Old, c.HasOld, err = s.decodeSide(topic, h, parsed.Old); err != nil {
		return c, fmt.Errorf("old value of a change: %w", err)
	}
	return c, nil
}

func (s changeSerde[V]) decodeSide(topic string, h *record.Headers, data []byte) (v V, has bool, err error) {
	if data == nil {
		return v, false, nil
	}
	v, err = serde.DecodeWith(s.inner, topic, h, data)
	if errors.Is(err, serde.ErrNull) {
		return v, false, nil
	}
	return v, err == nil && !s.null.Is(&v), err
}

func (s changeSerde[V]) String() string { return "change of " + serde.NameOf(s.inner) }
