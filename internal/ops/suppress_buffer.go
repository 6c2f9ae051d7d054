package ops

import (
	"container/heap"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/internal/storebytes"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// KindSuppression is the kind of the stores of suppressions. Nothing but the
// suppression and what reads its table can use them.
const KindSuppression statestore.Kind = "suppression"

// suppressBuffer holds back the updates of a table, one for each key, in memory
// (Java: InMemoryTimeOrderedKeyValueChangeBuffer). They leave it in the order
// of time and key bytes. A later update of a key takes the place of the one
// before: it keeps its time and what was last seen downstream.
//
// The changelog is written when the store is flushed, one record for each key
// that changed since. The order of these is that of Java's hash set.
type suppressBuffer[K, V any] struct {
	builder *suppressBuilder[K, V]
	host    statestore.Host
	log     statestore.Log
	topic   string
	null    record.Nulls[V]

	index   map[string]*heldUpdate
	rows    heldUpdates
	dirty   *javaorder.HashMap[string, struct{}]
	version *record.Headers
	bytes   int64
	keyBuf  []byte
	oldBuf  []byte
	newBuf  []byte
	logBuf  []byte
}

// Name implements statestore.Store.
func (b *suppressBuffer[K, V]) Name() string { return b.builder.name }

// Persistent implements statestore.Store.
func (b *suppressBuffer[K, V]) Persistent() bool { return false }

// Open implements statestore.Store.
func (b *suppressBuffer[K, V]) Open(h statestore.Host) error {
	b.host, b.topic = h, h.ApplicationID()+"-"+b.Name()+"-changelog"
	if b.builder.logged {
		b.log = h.Log(b.Name())
	}
	b.index = map[string]*heldUpdate{}
	b.dirty = javaorder.NewHashMap[string, struct{}](javaorder.BytesHash)
	b.version = record.NewHeaders(record.Header{Key: "v", Value: []byte{storebytes.BufferedVersion}})
	b.null = record.NullsOf[V]()
	return nil
}

// put holds an update back until time, unless the key's place is taken.
func (b *suppressBuffer[K, V]) put(time int64, rec *processor.Record[K, processor.Change[V]], rc *record.Context) error {
	var err error
	if b.keyBuf, err = serde.AppendWith(b.builder.key, b.keyBuf[:0], b.topic, rc.Headers, rec.Key); err != nil {
		return b.failed("key", notNull(err))
	}
	c := &rec.Value
	prior, err := b.side(&b.oldBuf, c.Old, c.HasOld, rc.Headers)
	if err != nil {
		return err
	}
	next, err := b.side(&b.newBuf, c.New, c.HasNew, rc.Headers)
	if err != nil {
		return err
	}
	u, held := b.index[string(b.keyBuf)]
	if !held {
		u = &heldUpdate{key: string(b.keyBuf)}
		u.Time, u.Prior = time, kept(nil, prior)
	} else {
		b.bytes -= u.size()
	}
	u.Old, u.New = kept(u.Old, prior), kept(u.New, next)
	b.keepContext(&u.Context, rc)
	b.bytes += u.size()
	if !held {
		b.index[u.key] = u
		heap.Push(&b.rows, u)
	}
	b.touch(u.key)
	return nil
}

// keepContext copies a context. The headers are the same list, as in Java: what
// later nodes of the step add to it shows.
func (b *suppressBuffer[K, V]) keepContext(to, rc *record.Context) {
	rawKey, rawValue := to.RawKey, to.RawValue
	*to = *rc
	to.RawKey, to.RawValue = kept(rawKey, rc.RawKey), kept(rawValue, rc.RawValue)
	rc.Headers.Keep()
}

// side serialises one side of a change into the buffer; nil is null.
func (b *suppressBuffer[K, V]) side(buf *[]byte, v V, has bool, h *record.Headers) ([]byte, error) {
	if !has {
		return nil, nil
	}
	out, err := serde.AppendWith(b.builder.value, (*buf)[:0], b.topic, h, v)
	if errors.Is(err, serde.ErrNull) {
		return nil, nil
	}
	if err != nil {
		return nil, b.failed("value", err)
	}
	if out == nil {
		out = []byte{}
	}
	*buf = out
	return out, nil
}

// kept copies data into the memory of old; nil stays nil.
func kept(old, data []byte) []byte {
	if data == nil {
		return nil
	}
	if old == nil {
		old = make([]byte, 0, len(data))
	}
	return append(old[:0], data...)
}

func (b *suppressBuffer[K, V]) touch(key string) {
	if b.log != nil {
		b.dirty.Put(key, struct{}{})
	}
}

// min is the update that leaves next, nil if the buffer is empty.
func (b *suppressBuffer[K, V]) min() *heldUpdate {
	if len(b.rows) == 0 {
		return nil
	}
	return b.rows[0]
}

// records is the number of updates held.
func (b *suppressBuffer[K, V]) records() int64 { return int64(len(b.rows)) }

// decode reads an update under the headers of the current record.
func (b *suppressBuffer[K, V]) decode(u *heldUpdate) (key K, c processor.Change[V], err error) {
	h := b.host.RecordContext().Headers
	if key, err = serde.DecodeWith(b.builder.key, b.topic, h, []byte(u.key)); err != nil {
		return key, c, b.failed("key", notNull(err))
	}
	if c.Old, c.HasOld, err = b.value(u.Old, h); err == nil {
		c.New, c.HasNew, err = b.value(u.New, h)
	}
	return key, c, err
}

func (b *suppressBuffer[K, V]) value(data []byte, h *record.Headers) (v V, has bool, err error) {
	if data == nil {
		return v, false, nil
	}
	v, err = serde.DecodeWith(b.builder.value, b.topic, h, data)
	if errors.Is(err, serde.ErrNull) {
		return v, false, nil
	}
	if err != nil {
		return v, false, b.failed("value", err)
	}
	return v, !b.null.Is(&v), nil
}

// evicted forgets the update that leaves next.
func (b *suppressBuffer[K, V]) evicted(u *heldUpdate) {
	b.remove(u)
	b.touch(u.key)
}

func (b *suppressBuffer[K, V]) remove(u *heldUpdate) {
	heap.Remove(&b.rows, u.at)
	delete(b.index, u.key)
	b.bytes -= u.size()
}

// prior is what was last seen downstream of a key that has an update in the
// buffer; held is false for other keys. Its timestamp is not known.
func (b *suppressBuffer[K, V]) prior(key K) (row statestore.Timed[V], has, held bool, err error) {
	h := b.host.RecordContext().Headers
	if b.keyBuf, err = serde.AppendWith(b.builder.key, b.keyBuf[:0], b.topic, h, key); err != nil {
		return row, false, false, b.failed("key", notNull(err))
	}
	u, held := b.index[string(b.keyBuf)]
	if !held {
		return row, false, false, nil
	}
	row.Timestamp = -1
	row.Value, has, err = b.value(u.Prior, h)
	return row, has, true, err
}

// Flush implements statestore.Store: the changelog is told of the keys that
// changed.
func (b *suppressBuffer[K, V]) Flush() error {
	for key := range b.dirty.All() {
		var err error
		if u := b.index[key]; u == nil {
			err = b.log.Log([]byte(key), nil, processor.NoTimestamp, nil)
		} else {
			b.logBuf = storebytes.AppendBuffered(b.logBuf[:0], &u.Buffered)
			err = b.log.Log([]byte(key), b.logBuf, processor.NoTimestamp, b.version)
		}
		if err != nil {
			return b.failed("changelog", err)
		}
	}
	b.dirty.Clear()
	return nil
}

// Commit implements statestore.Store: nothing outlives the process.
func (b *suppressBuffer[K, V]) Commit(int64) error { return nil }

// CommittedOffset implements statestore.Store.
func (b *suppressBuffer[K, V]) CommittedOffset() (int64, error) { return -1, nil }

// Restore implements statestore.Store. It reads every version of the format
// that there was.
func (b *suppressBuffer[K, V]) Restore(batch []statestore.Change) error {
	for i := range batch {
		if err := b.restore(&batch[i]); err != nil {
			return b.failed(fmt.Sprintf("changelog record at offset %d", batch[i].Offset), err)
		}
	}
	return nil
}

func (b *suppressBuffer[K, V]) restore(c *statestore.Change) error {
	u := b.index[string(c.Key)]
	if c.Value == nil {
		if u != nil {
			b.remove(u)
		}
		return nil
	}
	headers := record.NewHeaders(c.Headers...)
	version, _ := headers.Last("v")
	own := record.Context{Topic: b.topic, Partition: b.partition(), Offset: c.Offset, Timestamp: c.Timestamp, Headers: headers.Clone()}
	var prior []byte
	if u != nil {
		prior = u.Prior
	}
	read, err := storebytes.ParseBuffered(version, c.Value, own, prior)
	if err != nil {
		return err
	}
	read.Prior, read.Old, read.New = kept(nil, read.Prior), kept(nil, read.Old), kept(nil, read.New)
	if u != nil {
		b.bytes -= u.size()
		read.Time = u.Time
		u.Buffered = read
	} else {
		u = &heldUpdate{key: string(c.Key), Buffered: read}
		b.index[u.key] = u
		heap.Push(&b.rows, u)
	}
	b.bytes += u.size()
	return nil
}

// partition is the task's, which is the changelog's too.
func (b *suppressBuffer[K, V]) partition() int32 {
	_, text, _ := strings.Cut(b.host.TaskID(), "_")
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return -1
	}
	return int32(n)
}

// Close implements statestore.Store.
func (b *suppressBuffer[K, V]) Close() error {
	clear(b.index)
	b.rows, b.bytes = nil, 0
	return nil
}

func (b *suppressBuffer[K, V]) failed(what string, err error) error {
	return fmt.Errorf("store %s: %s: %w", b.Name(), what, err)
}
