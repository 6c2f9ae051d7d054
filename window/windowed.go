package window

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// Windowed is a key together with the window it was aggregated in. Start and
// End are milliseconds since the epoch; for the meaning of End see [Span].
type Windowed[K any] struct {
	Key        K
	Start, End int64
}

// String returns the text that Java's Windowed has: [key@start/end].
func (w Windowed[K]) String() string {
	return fmt.Sprintf("[%v@%d/%d]", w.Key, w.Start, w.End)
}

// WindowEnd is End; suppression finds the window of a key by it.
func (w Windowed[K]) WindowEnd() int64 { return w.End }

// BaseKeySerde is what the serdes of windowed keys are besides: they write the
// key without its window. A sink that was given no partitioner chooses the
// partition by these bytes, so that all windows of a key stay together (Java's
// WindowedSerializer and WindowedStreamPartitioner). T is a [Windowed].
type BaseKeySerde[T any] interface {
	serde.Serde[T]
	AppendBaseKey(dst []byte, topic string, h *record.Headers, v T) ([]byte, error)
}

// Serde is the serde of time-windowed keys (Java's TimeWindowedSerde): the
// bytes of the key, then the start in eight bytes. The end is not written; a
// reader adds the size, and stops at the largest int64. No bytes at all read as
// null ([serde.ErrNull]).
func Serde[K any](inner serde.Serde[K], size time.Duration) serde.Serde[Windowed[K]] {
	return SerdeMillis(inner, size.Milliseconds())
}

// SerdeMillis is [Serde] with the size in milliseconds, for sizes beyond a
// Duration such as that of [Unlimited].
func SerdeMillis[K any](inner serde.Serde[K], size int64) serde.Serde[Windowed[K]] {
	return timeSerde[K]{base[K]{inner}, size, timeSize}
}

// ChangelogSerde is [SerdeMillis] for reading the changelog topic of a window
// store, whose keys end with a sequence number of four bytes
// ([AppendStoreKey]). It writes the same bytes as Serde does, as Java's
// TimeWindowedSerde.forChangelog.
func ChangelogSerde[K any](inner serde.Serde[K], size int64) serde.Serde[Windowed[K]] {
	return timeSerde[K]{base[K]{inner}, size, timeSize + seqSize}
}

// SessionSerde is the serde of session-windowed keys (Java's
// SessionWindowedSerde): the bytes of the key, then end and start in eight bytes
// each. No bytes at all read as null ([serde.ErrNull]).
func SessionSerde[K any](inner serde.Serde[K]) serde.Serde[Windowed[K]] {
	return sessionSerde[K]{base[K]{inner}}
}

var errNullKey = errors.New("the serde of the key gives null for a key that is not")

// base writes and reads the key of a windowed key.
type base[K any] struct{ inner serde.Serde[K] }

// AppendBaseKey appends the key without its window.
func (s base[K]) AppendBaseKey(dst []byte, topic string, h *record.Headers, v Windowed[K]) ([]byte, error) {
	dst, err := serde.AppendWith(s.inner, dst, topic, h, v.Key)
	if errors.Is(err, serde.ErrNull) {
		return dst, errNullKey // not wrapped: it would make the windowed key null
	}
	return dst, err
}

func (s base[K]) decode(topic string, h *record.Headers, data []byte, w Span) (Windowed[K], error) {
	key, err := serde.DecodeWith(s.inner, topic, h, data)
	if errors.Is(err, serde.ErrNull) {
		err = errNullKey
	}
	if err != nil {
		return Windowed[K]{}, err
	}
	return Windowed[K]{Key: key, Start: w.Start, End: w.End}, nil
}

type timeSerde[K any] struct {
	base[K]
	size int64
	// suffix is the number of bytes behind the key when reading; they begin with
	// the start.
	suffix int
}

func (s timeSerde[K]) Append(dst []byte, topic string, v Windowed[K]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

func (s timeSerde[K]) Decode(topic string, data []byte) (Windowed[K], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s timeSerde[K]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v Windowed[K]) ([]byte, error) {
	dst, err := s.AppendBaseKey(dst, topic, h, v)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", s, err)
	}
	return binary.BigEndian.AppendUint64(dst, uint64(v.Start)), nil
}

func (s timeSerde[K]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (Windowed[K], error) {
	if len(data) == 0 {
		return Windowed[K]{}, serde.ErrNull
	}
	at := len(data) - s.suffix
	if at < 0 {
		return Windowed[K]{}, fmt.Errorf("decode %s: wanted at least %d bytes, got %d", s, s.suffix, len(data))
	}
	span, err := TimeSpan(int64(binary.BigEndian.Uint64(data[at:])), s.size)
	if err != nil {
		return Windowed[K]{}, fmt.Errorf("decode %s: %w", s, err)
	}
	w, err := s.decode(topic, h, data[:at], span)
	if err != nil {
		return Windowed[K]{}, fmt.Errorf("decode %s: %w", s, err)
	}
	return w, nil
}

func (s timeSerde[K]) String() string {
	return fmt.Sprintf("windowed(%s, %d ms)", serde.NameOf(s.inner), s.size)
}

// TimeSpan returns the time window that begins at start, both in milliseconds.
// Its end stops at the largest int64. A negative start or a window that does
// not end after its start is an [ErrBounds].
func TimeSpan(start, size int64) (Span, error) {
	end := start + size
	if end < 0 {
		end = math.MaxInt64
	}
	if start < 0 || end <= start {
		return Span{}, fmt.Errorf("%w: start %d, size %d ms", ErrBounds, start, size)
	}
	return Span{start, end}, nil
}

type sessionSerde[K any] struct{ base[K] }

func (s sessionSerde[K]) Append(dst []byte, topic string, v Windowed[K]) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

func (s sessionSerde[K]) Decode(topic string, data []byte) (Windowed[K], error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s sessionSerde[K]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v Windowed[K]) ([]byte, error) {
	dst, err := s.AppendBaseKey(dst, topic, h, v)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", s, err)
	}
	return appendSession(dst, v.Start, v.End), nil
}

func (s sessionSerde[K]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (Windowed[K], error) {
	if len(data) == 0 {
		return Windowed[K]{}, serde.ErrNull
	}
	key, span, err := ParseSessionKey(data)
	if err == nil && (span.Start < 0 || span.End < span.Start) {
		err = fmt.Errorf("%w: start %d, end %d", ErrBounds, span.Start, span.End)
	}
	if err != nil {
		return Windowed[K]{}, fmt.Errorf("decode %s: %w", s, err)
	}
	w, err := s.decode(topic, h, key, span)
	if err != nil {
		return Windowed[K]{}, fmt.Errorf("decode %s: %w", s, err)
	}
	return w, nil
}

func (s sessionSerde[K]) String() string {
	return fmt.Sprintf("session(%s)", serde.NameOf(s.inner))
}
