package ops

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/millrace/millrace/internal/murmur"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// instruction tells the side of the foreign key what to do with a subscription
// (Java: SubscriptionWrapper.Instruction).
type instruction byte

const (
	// unsubscribe deletes and does not answer.
	unsubscribe instruction = iota
	// unsubscribeAnswered deletes and answers that there is no row.
	unsubscribeAnswered
	// subscribeAnswered subscribes and answers in any case.
	subscribeAnswered
	// subscribe answers only if there is a row.
	subscribe
)

// rowHash recognises the row of the left table that was asked about; absent for
// a deleted one.
type rowHash struct {
	has    bool
	h1, h2 uint64
}

// hashOf hashes the bytes of a value.
func hashOf(value []byte) rowHash {
	h1, h2 := murmur.Murmur3x64_128(value, murmur.Seed3)
	return rowHash{has: true, h1: h1, h2: h2}
}

// noHash is set in the version byte when there is no hash.
const noHash = 0x80

// versionByte says of which version the bytes are and whether a hash follows.
func versionByte(version byte, h rowHash) byte {
	if h.has {
		return version
	}
	return version | noHash
}

// appendHash appends `i64 h1 ‖ i64 h2`, or nothing.
func appendHash(dst []byte, h rowHash) []byte {
	if !h.has {
		return dst
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, h.h1), h.h2)
}

var errShort = errors.New("too few bytes")

// splitHash reads a version byte and the hash behind it; extra is the number of
// bytes in between.
func splitHash(data []byte, extra int) (version byte, h rowHash, between, rest []byte, err error) {
	if len(data) < 1+extra {
		return 0, h, nil, nil, errShort
	}
	version, between, rest = data[0]&^noHash, data[1:1+extra], data[1+extra:]
	if data[0]&noHash != 0 {
		return version, h, between, rest, nil
	}
	if len(rest) < 16 {
		return 0, h, nil, nil, errShort
	}
	h = rowHash{has: true, h1: binary.BigEndian.Uint64(rest), h2: binary.BigEndian.Uint64(rest[8:])}
	return version, h, between, rest[16:], nil
}

// Subscription is what a row of the left table of a foreign-key join sends to
// the right one (Java: SubscriptionWrapper).
type Subscription[K any] struct {
	hash        rowHash
	instruction instruction
	// key is the row's own key, partition the number of its task, -1 if unknown.
	key       K
	partition int32
	version   byte
}

// subscriptionVersion is the version that is written; 0 lacks the partition.
const subscriptionVersion = 1

// SubscriptionSerde writes and reads subscriptions with the serde of the left
// table's keys: `i8 version ‖ i8 instruction ‖ [hash] ‖ key ‖ i32 partition`.
// It serves one unit; the serde of the keys is told the topic's name with "-pk".
func SubscriptionSerde[K any](key serde.Serde[K]) serde.HeaderSerde[Subscription[K]] {
	return &subscriptionSerde[K]{key: key}
}

type subscriptionSerde[K any] struct {
	key serde.Serde[K]
	// topic and keyTopic are the last topic and the name made from it.
	topic, keyTopic string
}

// Missing tells package dsl about an inner serde that there is not.
func (s *subscriptionSerde[K]) Missing() error { return missingInside(s.key) }

// missingInside is the error of a serde that stands for a missing one.
func missingInside(inner any) error {
	if m, ok := inner.(interface{ Missing() error }); ok {
		return m.Missing()
	}
	return nil
}

func (s *subscriptionSerde[K]) keyTopicOf(topic string) string {
	if s.topic != topic {
		s.topic, s.keyTopic = topic, topic+keyTopicSuffix
	}
	return s.keyTopic
}

func (s *subscriptionSerde[K]) Append(dst []byte, topic string, v Subscription[K]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

func (s *subscriptionSerde[K]) Decode(topic string, data []byte) (Subscription[K], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s *subscriptionSerde[K]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v Subscription[K]) ([]byte, error) {
	return appendSubscription(dst, s.key, s.keyTopicOf(topic), h, &v)
}

func appendSubscription[K any](dst []byte, key serde.Serde[K], keyTopic string, h *record.Headers, v *Subscription[K]) ([]byte, error) {
	if v.version > subscriptionVersion {
		return dst, fmt.Errorf("subscription of unknown version %d", v.version)
	}
	out := append(dst, versionByte(v.version, v.hash), byte(v.instruction))
	out, err := serde.AppendWith(key, appendHash(out, v.hash), keyTopic, h, v.key)
	if err != nil {
		return dst, fmt.Errorf("key of a subscription: %w", notNull(err))
	}
	if v.version == 0 {
		return out, nil
	}
	return binary.BigEndian.AppendUint32(out, uint32(v.partition)), nil
}

func (s *subscriptionSerde[K]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (v Subscription[K], err error) {
	raw, err := splitSubscription(data, &v)
	if err != nil {
		return v, err
	}
	if v.key, err = serde.DecodeWith(s.key, s.keyTopicOf(topic), h, raw); err != nil {
		return v, fmt.Errorf("key of a subscription: %w", notNull(err))
	}
	return v, nil
}

// splitSubscription reads all of a subscription but the key, which it returns.
func splitSubscription[K any](data []byte, v *Subscription[K]) (key []byte, err error) {
	version, hash, between, rest, err := splitHash(data, 1)
	if err != nil {
		return nil, fmt.Errorf("subscription: %w", err)
	}
	v.version, v.hash, v.instruction, v.partition = version, hash, instruction(between[0]), -1
	if v.instruction > subscribe {
		return nil, fmt.Errorf("subscription: unknown instruction %d", v.instruction)
	}
	if version == 0 {
		return rest, nil
	}
	n := len(rest) - 4
	if n < 0 {
		return nil, fmt.Errorf("subscription: %w", errShort)
	}
	v.partition = int32(binary.BigEndian.Uint32(rest[n:]))
	return rest[:n:n], nil
}

func (s *subscriptionSerde[K]) String() string { return "subscription of " + serde.NameOf(s.key) }
