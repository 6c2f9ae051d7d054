package assign

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// reader reads big-endian fields and remembers the first failure, after which
// all reads give zero values.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.b)) {
		r.err = fmt.Errorf("%d bytes wanted where %d are left", n, len(r.b))
	}
	if r.err != nil {
		return make([]byte, min(max(n, 0), 16))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) i8() int8   { return int8(r.take(1)[0]) }
func (r *reader) u16() int   { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) i32() int32 { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *reader) i64() int64 { return int64(binary.BigEndian.Uint64(r.take(8))) }

// count reads a number of entries of at least size bytes each, so that a
// hostile one cannot make us allocate.
func (r *reader) count(size int) int {
	n := int(r.i32())
	if r.err == nil && (n < 0 || n > len(r.b)/size) {
		r.err = fmt.Errorf("%d entries announced where %d bytes are left", n, len(r.b))
	}
	if r.err != nil {
		return 0
	}
	return n
}

// text reads a string with its length in four bytes.
func (r *reader) text() string { return string(r.take(r.count(1))) }

// utf reads Java's DataOutput.writeUTF. Topic and host names are ASCII, where
// it equals UTF-8.
func (r *reader) utf() string { return string(r.take(r.u16())) }

// task reads a task id; from version 10 on with the name of a named topology,
// which is not supported and must be empty.
func (r *reader) task(version int32) task.ID {
	id := task.ID{Subtopology: r.i32(), Partition: r.i32()}
	if version >= 10 {
		n := r.count(2)
		name := make([]uint16, n)
		for i := range name {
			name[i] = uint16(r.u16())
		}
		if n > 0 && r.err == nil {
			r.err = fmt.Errorf("task %s belongs to the named topology %q, which is not supported", id, string(utf16.Decode(name)))
		}
	}
	return id
}

// writer is the inverse of reader.
type writer struct{ b []byte }

func (w *writer) i8(v int8)   { w.b = append(w.b, byte(v)) }
func (w *writer) i32(v int32) { w.b = binary.BigEndian.AppendUint32(w.b, uint32(v)) }
func (w *writer) i64(v int64) { w.b = binary.BigEndian.AppendUint64(w.b, uint64(v)) }
func (w *writer) text(s string) {
	w.i32(int32(len(s)))
	w.b = append(w.b, s...)
}
func (w *writer) utf(s string) {
	w.b = binary.BigEndian.AppendUint16(w.b, uint16(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) task(id task.ID, version int32) {
	w.i32(id.Subtopology)
	w.i32(id.Partition)
	if version >= 10 {
		w.i32(0)
	}
}

func (w *writer) partitions(tps []kafka.TopicPartition) {
	w.i32(int32(len(tps)))
	for _, tp := range tps {
		w.utf(tp.Topic)
		w.i32(tp.Partition)
	}
}

func (r *reader) partitions() []kafka.TopicPartition {
	var tps []kafka.TopicPartition
	for range r.count(6) {
		tps = append(tps, kafka.TopicPartition{Topic: r.utf(), Partition: r.i32()})
	}
	return tps
}
