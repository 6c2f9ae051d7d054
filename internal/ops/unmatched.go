package ops

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// UnmatchedKey is the key of the store in which left and outer joins of streams
// keep the records that have no partner yet (Java:
// TimestampedKeyAndJoinSide). Its byte order is that in which they are sent:
// by time, then the right side before the left, then by key.
type UnmatchedKey[K any] struct {
	Key       K
	Timestamp int64
	Left      bool
}

// UnmatchedStore is that store: the values of one key, time and side, each the
// byte of its side and then as its serde writes it (Java: ListValueStore of
// LeftOrRightValue).
type UnmatchedStore[K any] interface {
	statestore.KeyValue[UnmatchedKey[K], [][]byte]
}

// NewUnmatchedStore is the builder of such a store.
func NewUnmatchedStore[K any](name string, key serde.Serde[K], opts ...statestore.Option) statestore.Builder {
	return statestore.NewKeyValue(name, serde.Serde[UnmatchedKey[K]](unmatchedKeySerde[K]{key}), serde.List(serde.Bytes()), opts...)
}

const (
	rightSide byte = 0
	leftSide  byte = 1
)

func sideByte(left bool) byte {
	if left {
		return leftSide
	}
	return rightSide
}

// unmatchedKeySerde writes `i64 timestamp ‖ i8 side ‖ key`.
type unmatchedKeySerde[K any] struct{ inner serde.Serde[K] }

func (s unmatchedKeySerde[K]) Append(dst []byte, topic string, k UnmatchedKey[K]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, k)
}

func (s unmatchedKeySerde[K]) Decode(topic string, data []byte) (UnmatchedKey[K], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s unmatchedKeySerde[K]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, k UnmatchedKey[K]) ([]byte, error) {
	dst = binary.BigEndian.AppendUint64(dst, uint64(k.Timestamp))
	return serde.AppendWith(s.inner, append(dst, sideByte(k.Left)), topic, h, k.Key)
}

func (s unmatchedKeySerde[K]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (k UnmatchedKey[K], err error) {
	const front = 8 + 1
	if len(data) < front {
		return k, fmt.Errorf("key of an unmatched record: wanted at least %d bytes, got %d", front, len(data))
	}
	k.Timestamp, k.Left = int64(binary.BigEndian.Uint64(data)), data[front-1] == leftSide
	k.Key, err = serde.DecodeWith(s.inner, topic, h, data[front:])
	return k, err
}

func (s unmatchedKeySerde[K]) String() string { return "unmatched " + serde.NameOf(s.inner) }

// unmatched is the store as one side of the join sees it: T is what the side's
// own records hold, O the other's.
type unmatched[K, T, O any] struct {
	store UnmatchedStore[K]
	topic string
	left  bool
	this  serde.Serde[T]
	other serde.Serde[O]
	// one and buf hold the value that is being put.
	one [1][]byte
	buf []byte
}

func openUnmatched[K, T, O any](n *processor.Node, name string, left bool, this serde.Serde[T], other serde.Serde[O]) (*unmatched[K, T, O], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	store, ok := s.(UnmatchedStore[K])
	if !ok {
		return nil, fmt.Errorf("node %s: store %s is %T, want the store of unmatched records of a join over %T: %w",
			n.Name(), name, s, *new(K), processor.ErrTypeMismatch)
	}
	return &unmatched[K, T, O]{store: store, topic: n.Host().ApplicationID() + "-" + name + "-changelog", left: left, this: this, other: other}, nil
}

// put keeps a record of this side behind those of the same key and time. A
// value that its serde writes as null removes them instead, as in Java.
func (u *unmatched[K, T, O]) put(rec *processor.Record[K, T]) error {
	k := UnmatchedKey[K]{Key: rec.Key, Timestamp: rec.Timestamp, Left: u.left}
	buf, err := serde.AppendWith(u.this, append(u.buf[:0], sideByte(u.left)), u.topic, rec.Headers, rec.Value)
	if errors.Is(err, serde.ErrNull) {
		return u.store.Remove(k)
	}
	if err != nil {
		return fmt.Errorf("write to store %s: %w", u.store.Name(), err)
	}
	u.buf, u.one[0] = buf, buf
	list, ok, err := u.store.Get(k)
	if err != nil {
		return err
	}
	if !ok {
		return u.store.Put(k, u.one[:])
	}
	return u.store.Put(k, append(list, buf))
}

// matched removes the records of the other side of a key and time, which have
// found a partner.
func (u *unmatched[K, T, O]) matched(key K, timestamp int64) error {
	k := UnmatchedKey[K]{Key: key, Timestamp: timestamp, Left: !u.left}
	_, ok, err := u.store.Get(k)
	if err != nil || !ok {
		return err
	}
	return u.store.Remove(k)
}

func (u *unmatched[K, T, O]) remove(k UnmatchedKey[K]) error { return u.store.Remove(k) }

func (u *unmatched[K, T, O]) all() iter.Seq2[statestore.Entry[UnmatchedKey[K], [][]byte], error] {
	return u.store.All()
}

// decode reads one value; mine says of which side it is.
func (u *unmatched[K, T, O]) decode(h *record.Headers, data []byte) (this T, other O, mine bool, err error) {
	if len(data) == 0 {
		return this, other, false, fmt.Errorf("read from store %s: an unmatched value has no bytes", u.store.Name())
	}
	mine = data[0] == sideByte(u.left)
	if mine {
		this, err = serde.DecodeWith(u.this, u.topic, h, data[1:])
	} else {
		other, err = serde.DecodeWith(u.other, u.topic, h, data[1:])
	}
	if err != nil {
		err = fmt.Errorf("read from store %s: %w", u.store.Name(), err)
	}
	return this, other, mine, err
}

// isArray tells keys that Java takes for different each time they are read.
func isArray[K any](k K) bool {
	t := reflect.TypeOf(k)
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}
