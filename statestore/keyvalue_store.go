package statestore

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore/internal/scan"
)

// keyValue is the typed face of a key-value store (Java: MeteredKeyValueStore).
// V is Timed[T] for timestamped stores; the value coder knows the difference.
type keyValue[K, V any] struct {
	name     string
	kind     Kind
	settings settings
	key      coder[K]
	value    valueCoder[V]
	// byValue takes the headers that the serde of the key sees from a value; nil
	// if values have none.
	byValue headersCoder[V]

	host    Host
	topic   string
	backend KeyValueBytes
	top     keyValueLayer
	cache   *cachedLayer
	// below is what lies in front of the values of the backend.
	below frame
	// restoring silences a backend that tells of rows it drops.
	restoring bool
	// buffers hold serialised keys and values. A call takes them and puts them
	// back: a call from within a flush that this one has caused makes its own.
	buffers buffers
}

type buffers struct{ key, value, read []byte }

func (s *keyValue[K, V]) take() buffers {
	b := s.buffers
	s.buffers = buffers{}
	if b.key == nil {
		b = buffers{make([]byte, 0, 64), make([]byte, 0, 128), make([]byte, 0, 128)}
	}
	return b
}

func (s *keyValue[K, V]) give(b buffers) {
	s.buffers = buffers{b.key[:0], b.value[:0], b.read[:0]}
}

// Name is the store's name.
func (s *keyValue[K, V]) Name() string { return s.name }

// Persistent tells whether the content outlives the process.
func (s *keyValue[K, V]) Persistent() bool { return s.settings.persistent() }

// ChangelogTopic is a host that reads some stores from other topics than their
// own changelogs, as source tables do with optimisation; the serdes of the
// store get that name. An empty answer means the changelog's name.
type ChangelogTopic interface {
	ChangelogTopic(store string) string
}

// Failer is a host that keeps the first error of a scan that the task itself
// ran: a loop over keys alone compiles and would lose it.
type Failer interface {
	Fail(error)
}

func changelogTopic(h Host, store string) string {
	if n, ok := h.(ChangelogTopic); ok {
		if t := n.ChangelogTopic(store); t != "" {
			return t
		}
	}
	return h.ApplicationID() + "-" + store + "-changelog"
}

// Open opens the backend and stacks the layers.
func (s *keyValue[K, V]) Open(h Host) error {
	if s.backend != nil {
		return s.failed("open", errors.New("it is open already"))
	}
	s.host, s.topic = h, changelogTopic(h, s.name)
	from := s.settings.from()
	if from == nil {
		return s.failed("open", errNoBackend)
	}
	kind, r := s.kind, reframe(s.kind, &s.settings)
	if r != nil {
		kind = s.settings.supplied
	}
	b, err := from.OpenKeyValue(h, s.name, kind)
	if err != nil {
		return s.failed("open", err)
	}
	s.backend, s.below = b, frameOf(kind)
	s.top = plainLayer{b}
	if r != nil {
		s.top = &reframedLayer{s.top, r}
	}
	if log := h.Log(s.name); s.settings.logged && log != nil {
		l := &loggedLayer{inner: s.top, log: changelog{host: h, log: log, frame: frameOf(s.kind)}}
		s.top = l
		if e, ok := b.(Evicting); ok && s.kind == KindKeyValue {
			e.OnEvict(func(key []byte) error {
				if s.restoring {
					return nil
				}
				return l.write(key, nil)
			})
		}
	}
	if s.settings.cached && h.Cache() != nil {
		s.cache = newCachedLayer(s.top, h, s.name)
		s.top = s.cache
	}
	return nil
}

func (s *keyValue[K, V]) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if s.host == nil {
		return fmt.Errorf("%s store %s: %w", doing, s.name, err)
	}
	return fmt.Errorf("%s store %s of task %s: %w", doing, s.name, s.host.TaskID(), err)
}

func (s *keyValue[K, V]) appendKey(dst []byte, h *record.Headers, k K) ([]byte, error) {
	if s.top == nil {
		return dst, ErrClosed
	}
	out, err := s.key.append(dst, s.topic, h, k)
	if errors.Is(err, serde.ErrNull) {
		return dst, ErrNullKey
	}
	return out, err
}

// decoded reads a value; bytes that the serde takes for null are no value.
func (s *keyValue[K, V]) decoded(h *record.Headers, data []byte) (v V, ok bool, err error) {
	v, err = s.value.decode(s.topic, h, data)
	if errors.Is(err, serde.ErrNull) {
		return v, false, nil
	}
	return v, err == nil, err
}

func (s *keyValue[K, V]) headers() *record.Headers {
	if s.host == nil {
		return nil
	}
	return contextOf(s.host).Headers
}

// Get returns the value of a key.
func (s *keyValue[K, V]) Get(k K) (v V, ok bool, err error) {
	b := s.take()
	h := s.headers()
	if b.key, err = s.appendKey(b.key, h, k); err == nil {
		if b.read, ok, err = s.top.get(b.read, b.key); ok && err == nil {
			v, ok, err = s.decoded(h, b.read)
		}
	}
	s.give(b)
	if err != nil {
		var none V
		return none, false, s.failed("read from", err)
	}
	return v, ok, nil
}

// encode serialises a row; a nil value is null.
func (s *keyValue[K, V]) encode(b *buffers, k K, v V) (value []byte, err error) {
	h := s.headers()
	if s.byValue != nil {
		if own := s.byValue.headers(v); own != nil {
			h = own
		}
	}
	if b.key, err = s.appendKey(b.key, h, k); err != nil {
		return nil, err
	}
	out, err := s.value.append(b.value, s.topic, h, v)
	if errors.Is(err, serde.ErrNull) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b.value = out
	return out, nil
}

// Put sets the value of a key.
func (s *keyValue[K, V]) Put(k K, v V) error {
	b := s.take()
	value, err := s.encode(&b, k, v)
	if err == nil {
		err = s.top.put(b.key, value)
	}
	s.give(b)
	if err != nil {
		return s.failed("write to", err)
	}
	return nil
}

// Remove deletes a key without reading it.
func (s *keyValue[K, V]) Remove(k K) (err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, s.headers(), k); err == nil {
		err = s.top.put(b.key, nil)
	}
	s.give(b)
	if err != nil {
		return s.failed("delete from", err)
	}
	return nil
}

// PutIfAbsent puts unless the key has a value.
func (s *keyValue[K, V]) PutIfAbsent(k K, v V) (old V, had bool, err error) {
	b := s.take()
	value, err := s.encode(&b, k, v)
	if err == nil {
		if b.read, had, err = s.top.putIfAbsent(b.read, b.key, value); had && err == nil {
			old, had, err = s.decoded(s.headers(), b.read)
		}
	}
	s.give(b)
	if err != nil {
		return old, false, s.failed("write to", err)
	}
	return old, had, nil
}

// Delete removes a key and returns what it had.
func (s *keyValue[K, V]) Delete(k K) (old V, had bool, err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, s.headers(), k); err == nil {
		if b.read, had, err = s.top.remove(b.read, b.key); had && err == nil {
			old, had, err = s.decoded(s.headers(), b.read)
		}
	}
	s.give(b)
	if err != nil {
		return old, false, s.failed("delete from", err)
	}
	return old, had, nil
}

// Range scans the keys between the bounds.
func (s *keyValue[K, V]) Range(b Bounds[K]) iter.Seq2[Entry[K, V], error] {
	return s.rangeScan(b, true)
}

// All scans every key, ascending.
func (s *keyValue[K, V]) All() iter.Seq2[Entry[K, V], error] { return s.scan(KeyRange{}, true) }

// Backward scans every key, descending.
func (s *keyValue[K, V]) Backward() iter.Seq2[Entry[K, V], error] {
	return s.scan(KeyRange{Reverse: true}, true)
}

// Prefix scans the keys whose bytes begin with prefix.
func (s *keyValue[K, V]) Prefix(prefix []byte) iter.Seq2[Entry[K, V], error] {
	return s.scan(scan.Prefix(prefix), true)
}

func (s *keyValue[K, V]) rangeScan(b Bounds[K], own bool) iter.Seq2[Entry[K, V], error] {
	r, err := s.bytesOf(b, own)
	if err != nil {
		return func(yield func(Entry[K, V], error) bool) { yield(Entry[K, V]{}, s.scanFailed(err, own)) }
	}
	return s.scan(r, own)
}

// bytesOf turns bounds, inclusive above, into a range of bytes, exclusive
// above: the first key after k is k with a zero byte behind it.
func (s *keyValue[K, V]) bytesOf(b Bounds[K], own bool) (r KeyRange, err error) {
	r.Reverse = b.reverse
	var h *record.Headers
	if own {
		h = s.headers()
	}
	if b.hasFrom {
		if r.Lower, err = s.appendKey([]byte{}, h, b.from); err != nil {
			return r, err
		}
	}
	if b.hasTo {
		if r.Upper, err = s.appendKey([]byte{}, h, b.to); err != nil {
			return r, err
		}
		r.Upper = append(r.Upper, 0)
	}
	return r, nil
}

func (s *keyValue[K, V]) scanFailed(err error, own bool) error {
	err = s.failed("scan", err)
	if f, ok := s.host.(Failer); ok && own {
		f.Fail(err)
	}
	return err
}

// scan walks over a range. The cursor is opened when the loop starts and closed
// when it ends, however it ends.
func (s *keyValue[K, V]) scan(r KeyRange, own bool) iter.Seq2[Entry[K, V], error] {
	return func(yield func(Entry[K, V], error) bool) {
		c, err := s.cursor(r, own)
		if err != nil {
			yield(Entry[K, V]{}, s.scanFailed(err, own))
			return
		}
		defer c.Close()
		for c.Next() {
			e, ok, err := s.entry(c, own)
			if err != nil {
				yield(e, s.scanFailed(err, own))
				return
			}
			if ok && !yield(e, nil) {
				return
			}
		}
		if err := c.Err(); err != nil {
			yield(Entry[K, V]{}, s.scanFailed(err, own))
		}
	}
}

func (s *keyValue[K, V]) cursor(r KeyRange, own bool) (Cursor, error) {
	if s.top == nil {
		return nil, ErrClosed
	}
	if r.Empty() {
		return scan.Empty{}, nil
	}
	return s.top.scan(r, own)
}

func (s *keyValue[K, V]) entry(c Cursor, own bool) (e Entry[K, V], ok bool, err error) {
	var h *record.Headers
	if own {
		h = s.headers()
	}
	if e.Key, err = s.key.decode(s.topic, h, c.Key()); err != nil {
		return e, false, err
	}
	if c.Value() == nil {
		return s.nullRow(e)
	}
	e.Value, ok, err = s.decoded(h, c.Value())
	return e, ok, err
}

// errNullRow stands for Java's NullPointerException.
var errNullRow = errors.New("a scan over the cache met a delete that hides no row")

// nullRow is a row without a value, see mergedRows. It is left out if there is
// no null to show it with.
func (s *keyValue[K, V]) nullRow(e Entry[K, V]) (Entry[K, V], bool, error) {
	if s.kind == KindHeadersKeyValue {
		return e, false, errNullRow
	}
	return e, s.value.nullable(), nil
}

// ApproximateLen estimates the number of entries; the record cache is not
// counted, as in Java.
func (s *keyValue[K, V]) ApproximateLen() (int64, error) {
	if s.top == nil {
		return 0, s.failed("count", ErrClosed)
	}
	n, err := s.backend.ApproximateLen()
	return n, s.failed("count", err)
}

// OnFlush sets the listener of updates that leave the record cache.
func (s *keyValue[K, V]) OnFlush(f func(Flushed[K, V]) error, sendOld bool) (cached bool) {
	if s.cache == nil {
		return false
	}
	s.cache.sendOld = sendOld
	s.cache.onFlush = func(u *cachedUpdate, old []byte, hasOld bool, c *record.Context) (err error) {
		out := Flushed[K, V]{Context: c}
		if out.Key, err = s.key.decode(s.topic, c.Headers, u.key); err != nil {
			return err
		}
		if u.value != nil {
			if out.New, out.HasNew, err = s.decoded(c.Headers, u.value); err != nil {
				return err
			}
		}
		if hasOld {
			if out.Old, out.HasOld, err = s.decoded(c.Headers, old); err != nil {
				return err
			}
		}
		return f(out)
	}
	return true
}

// Flush empties the record cache of updates.
func (s *keyValue[K, V]) Flush() error {
	if s.cache == nil {
		return nil
	}
	return s.failed("flush", s.cache.named.flushAll())
}

// Commit makes what was written durable.
func (s *keyValue[K, V]) Commit(offset int64) error {
	if s.top == nil {
		return s.failed("commit", ErrClosed)
	}
	return s.failed("commit", s.backend.Commit(offset))
}

// CommittedOffset is the changelog offset that lies with the data.
func (s *keyValue[K, V]) CommittedOffset() (int64, error) {
	if s.top == nil {
		return -1, s.failed("read offset of", ErrClosed)
	}
	o, err := s.backend.CommittedOffset()
	return o, s.failed("read offset of", err)
}

// Uncommitted tells whether the store holds updates later than its committed
// offset.
func (s *keyValue[K, V]) Uncommitted() (bool, error) {
	if u, ok := s.backend.(Uncommitted); ok {
		more, err := u.Uncommitted()
		return more, s.failed("check", err)
	}
	return false, nil
}

// Restore applies changelog records. Those without a key are no rows.
func (s *keyValue[K, V]) Restore(batch []Change) error {
	if s.top == nil {
		return s.failed("restore", ErrClosed)
	}
	s.restoring = true
	b := s.take()
	var err error
	for i := range batch {
		c := &batch[i]
		if c.Key == nil {
			continue
		}
		if c.Value == nil {
			err = s.backend.Put(c.Key, nil)
		} else {
			b.value = s.below.restored(b.value[:0], c)
			err = s.backend.Put(c.Key, b.value)
		}
		if err != nil {
			break
		}
	}
	s.give(b)
	s.restoring = false
	return s.failed("restore", err)
}

// Close releases the store.
func (s *keyValue[K, V]) Close() error {
	if s.top == nil {
		return nil
	}
	if s.cache != nil {
		s.cache.named.close()
	}
	s.top, s.cache = nil, nil
	return s.failed("close", s.backend.Close())
}

// Reader is the view for other goroutines.
func (s *keyValue[K, V]) Reader() ReadOnlyKeyValue[K, V] {
	return &reader[K, V]{s: s.snapshotOfLayers()}
}

// snapshotOfLayers is the store with its layers as they are now, without what
// only the task may use.
func (s *keyValue[K, V]) snapshotOfLayers() *keyValue[K, V] {
	return &keyValue[K, V]{name: s.name, kind: s.kind, settings: s.settings, key: s.key, value: s.value,
		host: s.host, topic: s.topic, backend: s.backend, top: s.top}
}

// reader reads a store from any goroutine.
type reader[K, V any] struct{ s *keyValue[K, V] }

var readBuffers = sync.Pool{New: func() any { return &buffers{} }}

func (r *reader[K, V]) Get(k K) (v V, ok bool, err error) {
	b := readBuffers.Get().(*buffers)
	defer readBuffers.Put(b)
	if b.key, err = r.s.appendKey(b.key[:0], nil, k); err == nil {
		if b.read, ok, err = r.s.top.peek(b.read[:0], b.key); ok && err == nil {
			v, ok, err = r.s.decoded(nil, b.read)
		}
	}
	return v, ok && err == nil, r.s.failed("read from", err)
}

func (r *reader[K, V]) Range(b Bounds[K]) iter.Seq2[Entry[K, V], error] {
	return r.s.rangeScan(b, false)
}

func (r *reader[K, V]) All() iter.Seq2[Entry[K, V], error] { return r.s.scan(KeyRange{}, false) }

func (r *reader[K, V]) Backward() iter.Seq2[Entry[K, V], error] {
	return r.s.scan(KeyRange{Reverse: true}, false)
}

func (r *reader[K, V]) Prefix(prefix []byte) iter.Seq2[Entry[K, V], error] {
	return r.s.scan(scan.Prefix(slices.Clone(prefix)), false)
}

func (r *reader[K, V]) ApproximateLen() (int64, error) { return r.s.ApproximateLen() }
