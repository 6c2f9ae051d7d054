package ops

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// Response is the answer to a [Subscription]: the right table's row, if there
// is one (Java: SubscriptionResponseWrapper).
type Response[V any] struct {
	hash    rowHash
	value   V
	has     bool
	version byte
	// partition is where the answer must go, -1 if unknown. It is not written.
	partition int32
}

// responseVersion is the version that is written.
const responseVersion = 0

// RespondingTo sends a response to the partition that asked.
func RespondingTo[K, V any](_ string, rec processor.Record[K, Response[V]], _ int32) (to []int32, usual bool) {
	if rec.Value.partition < 0 {
		return nil, true
	}
	return []int32{rec.Value.partition}, false
}

// ResponseSerde writes and reads responses with the serde of the right table's
// values: `i8 version ‖ [hash] ‖ value`. No bytes of a value are no value.
func ResponseSerde[V any](value serde.Serde[V]) serde.HeaderSerde[Response[V]] {
	return responseSerde[V]{value: value, null: record.NullsOf[V]()}
}

type responseSerde[V any] struct {
	value serde.Serde[V]
	null  record.Nulls[V]
}

// Missing tells package dsl about an inner serde that there is not.
func (s responseSerde[V]) Missing() error { return missingInside(s.value) }

func (s responseSerde[V]) Append(dst []byte, topic string, v Response[V]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

func (s responseSerde[V]) Decode(topic string, data []byte) (Response[V], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s responseSerde[V]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v Response[V]) ([]byte, error) {
	out := appendHash(append(dst, versionByte(v.version, v.hash)), v.hash)
	if !v.has {
		return out, nil
	}
	with, err := serde.AppendWith(s.value, out, topic, h, v.value)
	switch {
	case errors.Is(err, serde.ErrNull):
		return out, nil
	case err != nil:
		return dst, fmt.Errorf("value of a response: %w", err)
	}
	return with, nil
}

func (s responseSerde[V]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (v Response[V], err error) {
	version, hash, _, raw, err := splitHash(data, 0)
	if err != nil {
		return v, fmt.Errorf("response: %w", err)
	}
	v.version, v.hash, v.partition = version, hash, -1
	if len(raw) == 0 {
		return v, nil
	}
	v.value, err = serde.DecodeWith(s.value, topic, h, raw)
	switch {
	case errors.Is(err, serde.ErrNull):
		return v, nil
	case err != nil:
		return v, fmt.Errorf("value of a response: %w", err)
	}
	v.has = !s.null.Is(&v.value)
	return v, nil
}

func (s responseSerde[V]) String() string { return "response of " + serde.NameOf(s.value) }
