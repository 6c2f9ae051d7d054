package serde

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/millrace/millrace/record"
)

// List is Java's ListSerde. It writes one of two layouts, told apart by the
// first byte and both read:
//
//	00 | i32 nulls | i32 index of each null | i32 size | entries that are not null
//	01 | i32 size  | per entry: i32 length, -1 for null | bytes
//
// The first one only for the inner serdes [Int16], [Int32], [Int64], [Int],
// [Float32], [Float64] and [UUID], plain or under [Nullable].
//
// An entry whose Go type can be nil (a pointer, an interface, []byte) is null
// when it is nil. A null entry that T cannot hold is an error to read: use
// List(Nullable(inner)) for such data. A nil slice is written as an empty list,
// and an empty list is read as an empty slice that is not nil.
//
// Java fails to read a list whose last entry is empty, and pads a list that was
// cut off in its last entry with zeros. This serde reads the first and refuses
// the second. Bytes behind the last entry are ignored, as in Java.
func List[T any](inner Serde[T]) Serde[[]T] {
	var core any = inner
	if n, ok := core.(interface{ unwrap() any }); ok {
		core = n.unwrap()
	}
	l := list[T]{inner: inner, nils: nilKindOf[T]()}
	if f, ok := core.(fixedSize); ok {
		l.entrySize = f.fixedSize()
	}
	return l
}

const (
	constantSize = 0
	variableSize = 1
)

type list[T any] struct {
	inner     Serde[T]
	nils      nilKind
	entrySize int // bytes of an entry in the constant-size layout, 0 if it does not apply
}

func (l list[T]) Append(dst []byte, topic string, v []T) ([]byte, error) {
	return l.AppendWithHeaders(dst, topic, nil, v)
}

func (l list[T]) Decode(topic string, data []byte) ([]T, error) {
	return l.DecodeWithHeaders(topic, nil, data)
}

func (l list[T]) String() string { return "list(" + NameOf(l.inner) + ")" }

func (l list[T]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v []T) ([]byte, error) {
	if l.entrySize > 0 {
		dst = l.appendNulls(append(dst, constantSize), v)
	} else {
		dst = append(dst, variableSize)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(v)))
	for i, entry := range v {
		var err error
		if isNil(l.nils, entry) {
			if l.entrySize == 0 {
				dst = appendInt32(dst, -1)
			}
			continue
		}
		if dst, err = l.appendEntry(dst, topic, h, entry); err != nil {
			return dst, fmt.Errorf("encode %s: entry %d: %w", l, i, err)
		}
	}
	return dst, nil
}

// appendNulls appends the number of null entries and their indexes.
func (l list[T]) appendNulls(dst []byte, v []T) []byte {
	at := len(dst)
	dst = appendInt32(dst, 0)
	count := int32(0)
	for i, entry := range v {
		if isNil(l.nils, entry) {
			dst = appendInt32(dst, int32(i))
			count++
		}
	}
	binary.BigEndian.PutUint32(dst[at:], uint32(count))
	return dst
}

var errNullEntry = errors.New("the inner serde writes null for a value that is not")

func (l list[T]) appendEntry(dst []byte, topic string, h *record.Headers, entry T) ([]byte, error) {
	at := len(dst)
	if l.entrySize == 0 {
		dst = appendInt32(dst, 0)
	}
	body := len(dst)
	dst, err := AppendWith(l.inner, dst, topic, h, entry)
	if errors.Is(err, ErrNull) {
		// Not wrapped: it would make the whole list null.
		return dst, errNullEntry
	}
	if err != nil {
		return dst, err
	}
	if l.entrySize == 0 {
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-body))
	}
	return dst, nil
}

func appendInt32(dst []byte, n int32) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

func (l list[T]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) ([]T, error) {
	r := listReader{rest: data, total: len(data)}
	nulls, constant, err := r.layout(l.entrySize)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", l, err)
	}
	size, err := r.count("entries", r.total)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", l, err)
	}
	isNull := nullSet(nulls, size)
	out := make([]T, 0, size)
	for i := range size {
		n := l.entrySize
		if !constant {
			n, err = r.entryLen()
		}
		var entry T
		if err == nil {
			entry, err = l.decodeEntry(topic, h, &r, n, isNull != nil && isNull[i])
		}
		if err != nil {
			return nil, fmt.Errorf("decode %s: entry %d: %w", l, i, err)
		}
		out = append(out, entry)
	}
	return out, nil
}

var errNoNullEntry = errors.New("is null, which the entry type cannot hold; make the entries Nullable")

func (l list[T]) decodeEntry(topic string, h *record.Headers, r *listReader, n int, null bool) (T, error) {
	var zero T
	if null || n == -1 {
		if l.nils == neverNil {
			return zero, errNoNullEntry
		}
		return zero, nil
	}
	body, err := r.take(n)
	if err != nil {
		return zero, err
	}
	entry, err := DecodeWith(l.inner, topic, h, body)
	if errors.Is(err, ErrNull) {
		if l.nils == neverNil {
			return zero, errNoNullEntry
		}
		return zero, nil
	}
	return entry, err
}

// nullSet turns the indexes of null entries, in any order and possibly foolish,
// into a table by index; nil if there are none.
func nullSet(indexes []byte, size int) []bool {
	if len(indexes) == 0 {
		return nil
	}
	set := make([]bool, size)
	for ; len(indexes) > 0; indexes = indexes[4:] {
		if i := int32(binary.BigEndian.Uint32(indexes)); i >= 0 && int(i) < size {
			set[i] = true
		}
	}
	return set
}

// listReader reads the framing of a list. Counts are checked against the whole
// length before anything is allocated for them.
type listReader struct {
	rest  []byte
	total int
}

var errListEnd = errors.New("the bytes end too early")

func (r *listReader) take(n int) ([]byte, error) {
	if n > len(r.rest) {
		return nil, errListEnd
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b, nil
}

// layout reads the first byte and, in the constant-size layout, the indexes of
// the null entries, four bytes each.
func (r *listReader) layout(entrySize int) (nulls []byte, constant bool, err error) {
	first, err := r.take(1)
	if err != nil {
		return nil, false, err
	}
	switch first[0] {
	case variableSize:
		return nil, false, nil
	case constantSize:
		if entrySize == 0 {
			return nil, false, errors.New("the entries have a constant size, those of the inner serde do not")
		}
		n, err := r.count("null entries", r.total/4)
		if err != nil {
			return nil, false, err
		}
		nulls, err := r.take(4 * n)
		return nulls, true, err
	default:
		return nil, false, fmt.Errorf("unknown layout %d", first[0])
	}
}

func (r *listReader) int32() (int32, error) {
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	return int32(binary.BigEndian.Uint32(b)), nil
}

func (r *listReader) count(what string, most int) (int, error) {
	n, err := r.int32()
	if err != nil {
		return 0, err
	}
	if n < 0 || int(n) > most {
		return 0, fmt.Errorf("%d %s in %d bytes", n, what, r.total)
	}
	return int(n), nil
}

// entryLen reads the length of an entry of the variable-size layout, -1 for null.
func (r *listReader) entryLen() (int, error) {
	n, err := r.int32()
	if err != nil {
		return 0, err
	}
	if n < -1 || int(n) > r.total {
		return 0, fmt.Errorf("length %d in %d bytes", n, r.total)
	}
	return int(n), nil
}
