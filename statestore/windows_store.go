package statestore

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// windows is what window and session stores have in common: the typed face of
// their layers (Java: MeteredWindowStore, MeteredSessionStore). V is Timed[T] or
// the like for stores that keep more than a value.
type windows[K, V any] struct {
	name     string
	kind     Kind
	settings settings
	rows     rowConfig
	check    error
	openWith func(h Host, b Backend) (WindowBytes, error)
	key      coder[K]
	value    valueCoder[V]
	// byValue takes the headers that serdes see from a value; nil if values have
	// none.
	byValue headersCoder[V]

	host    Host
	topic   string
	backend WindowBytes
	top     windowLayer
	cache   *cachedWindows
	below   frame
	buffers buffers
}

func newWindows[K, V any](b *built, c rowConfig, check error, key serde.Serde[K], value valueCoder[V]) windows[K, V] {
	s := windows[K, V]{name: b.name, kind: b.kind, settings: b.settings, rows: c, check: check,
		key: newCoder(key), value: value}
	s.byValue, _ = value.(headersCoder[V])
	return s
}

func (s *windows[K, V]) take() buffers {
	b := s.buffers
	s.buffers = buffers{}
	if b.key == nil {
		b = buffers{make([]byte, 0, 64), make([]byte, 0, 128), make([]byte, 0, 128)}
	}
	return b
}

func (s *windows[K, V]) give(b buffers) {
	s.buffers = buffers{b.key[:0], b.value[:0], b.read[:0]}
}

// Name is the store's name.
func (s *windows[K, V]) Name() string { return s.name }

// Persistent tells whether the content outlives the process.
func (s *windows[K, V]) Persistent() bool { return s.settings.persistent() }

// Open opens the backend and stacks the layers.
func (s *windows[K, V]) Open(h Host) error {
	switch {
	case s.backend != nil:
		return s.failed("open", errors.New("it is open already"))
	case s.check != nil:
		return s.check
	}
	s.host, s.topic = h, changelogTopic(h, s.name)
	from := s.settings.from()
	if from == nil {
		return s.failed("open", errNoBackend)
	}
	b, err := s.openWith(h, from)
	if err != nil {
		return s.failed("open", err)
	}
	s.backend, s.below = b, frameOf(s.kind)
	s.top = backendWindows{b}
	if r := reframe(s.kind, &s.settings); r != nil {
		s.top, s.below = &reframedWindows{s.top, r}, r.below
	}
	if log := h.Log(s.name); s.settings.logged && log != nil {
		s.top = &loggedWindows{inner: s.top, schema: s.rows.schema, duplicates: s.rows.duplicates,
			log: changelog{host: h, log: log, frame: frameOf(s.kind)}}
	}
	if s.settings.cached && h.Cache() != nil {
		s.cache = newCachedWindows(s.top, h, s.name, s.rows, from.Persistent())
		s.top = s.cache
	}
	return nil
}

// openRows opens a window or session store of a backend that has none of its
// own.
func openRows(h Host, b Backend, name string, k Kind, s *settings, c rowConfig) (WindowBytes, error) {
	if s.supplied != "" && b.Persistent() {
		k = s.supplied
	}
	return openSegmented(h, b, name, k, c)
}

func (s *windows[K, V]) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if s.host == nil {
		return fmt.Errorf("%s store %s: %w", doing, s.name, err)
	}
	return fmt.Errorf("%s store %s of task %s: %w", doing, s.name, s.host.TaskID(), err)
}

func (s *windows[K, V]) headers() *record.Headers {
	if s.host == nil {
		return nil
	}
	return contextOf(s.host).Headers
}

func (s *windows[K, V]) appendKey(dst []byte, h *record.Headers, k K) ([]byte, error) {
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
func (s *windows[K, V]) decoded(h *record.Headers, data []byte) (v V, ok bool, err error) {
	v, err = s.value.decode(s.topic, h, data)
	if errors.Is(err, serde.ErrNull) {
		return v, false, nil
	}
	return v, err == nil, err
}

// encode serialises key and value; a nil value is null.
func (s *windows[K, V]) encode(b *buffers, k K, v V) (value []byte, err error) {
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

func (s *windows[K, V]) put(k K, v V, w window.Span) error {
	b := s.take()
	value, err := s.encode(&b, k, v)
	if err == nil {
		err = s.top.put(b.key, w, value)
	}
	s.give(b)
	return s.failed("write to", err)
}

func (s *windows[K, V]) remove(k K, w window.Span) (err error) {
	if s.rows.schema != sessionSchema {
		return s.putNull(k, w)
	}
	b := s.take()
	if b.key, err = s.appendKey(b.key, s.headers(), k); err == nil {
		err = s.top.remove(b.key, w)
	}
	s.give(b)
	return s.failed("delete from", err)
}

func (s *windows[K, V]) putNull(k K, w window.Span) (err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, s.headers(), k); err == nil {
		err = s.top.put(b.key, w, nil)
	}
	s.give(b)
	return s.failed("delete from", err)
}

func (s *windows[K, V]) fetch(k K, w window.Span) (v V, ok bool, err error) {
	b, h := s.take(), s.headers()
	if b.key, err = s.appendKey(b.key, h, k); err == nil {
		if b.read, ok, err = s.top.get(b.read, b.key, w); ok && err == nil {
			v, ok, err = s.decoded(h, b.read)
		}
	}
	s.give(b)
	return v, ok && err == nil, s.failed("read from", err)
}

// peek is fetch for other goroutines.
func (s *windows[K, V]) peek(k K, w window.Span) (v V, ok bool, err error) {
	b := readBuffers.Get().(*buffers)
	defer readBuffers.Put(b)
	if b.key, err = s.appendKey(b.key[:0], nil, k); err == nil {
		if b.read, ok, err = s.top.peek(b.read[:0], b.key, w); ok && err == nil {
			v, ok, err = s.decoded(nil, b.read)
		}
	}
	return v, ok && err == nil, s.failed("read from", err)
}

// query serialises the bounds of the keys and scans.
func (s *windows[K, V]) query(keys Bounds[K], q WindowQuery, own bool) WindowEntries[K, V] {
	return func(yield func(Entry[window.Windowed[K], V], error) bool) {
		q := q
		err := s.setKeys(&q, keys, own)
		if err == nil {
			s.scan(&q, own, yield)
			return
		}
		yield(Entry[window.Windowed[K], V]{}, s.scanFailed(err, own))
	}
}

func (s *windows[K, V]) setKeys(q *WindowQuery, keys Bounds[K], own bool) (err error) {
	q.Reverse = keys.reverse
	var h *record.Headers
	if own {
		h = s.headers()
	}
	if keys.hasFrom {
		if q.Lower, err = s.appendKey([]byte{}, h, keys.from); err != nil {
			return err
		}
	}
	if q.Mode == QueryKey {
		q.Upper = q.Lower
		return nil
	}
	if keys.hasTo {
		q.Upper, err = s.appendKey([]byte{}, h, keys.to)
	}
	return err
}

func (s *windows[K, V]) scanFailed(err error, own bool) error {
	err = s.failed("scan", err)
	if f, ok := s.host.(Failer); ok && own {
		f.Fail(err)
	}
	return err
}

// scan opens a cursor, walks over it and closes it, however the loop ends.
func (s *windows[K, V]) scan(q *WindowQuery, own bool, yield func(Entry[window.Windowed[K], V], error) bool) {
	var none Entry[window.Windowed[K], V]
	if s.top == nil {
		yield(none, s.scanFailed(ErrClosed, own))
		return
	}
	c, err := s.top.scan(q, own)
	if err != nil {
		yield(none, s.scanFailed(err, own))
		return
	}
	defer c.Close()
	for c.Next() {
		e, ok, err := s.entry(c, q.Mode == QueryKey, own)
		if err != nil {
			yield(none, s.scanFailed(err, own))
			return
		}
		if ok && !yield(e, nil) {
			return
		}
	}
	if err := c.Err(); err != nil {
		yield(none, s.scanFailed(err, own))
	}
}

// entry decodes a row. Windows that hold no time have no bounds to show, but
// those of one key can be read all the same, as in Java: joins of equal times
// keep such. A row without a value comes from Java's way to merge the
// cache backward; it is left out if there is no null to show it with.
func (s *windows[K, V]) entry(c Cursor, oneKey, own bool) (e Entry[window.Windowed[K], V], ok bool, err error) {
	var h *record.Headers
	if own {
		h = s.headers()
	}
	if e.Key, err = s.windowed(h, c.Key(), oneKey); err != nil {
		return e, false, err
	}
	if c.Value() == nil {
		return e, s.value.nullable(), nil
	}
	e.Value, ok, err = s.decoded(h, c.Value())
	return e, ok, err
}

// windowed decodes a store key.
func (s *windows[K, V]) windowed(h *record.Headers, storeKey []byte, oneKey bool) (out window.Windowed[K], err error) {
	key, w, _, err := s.rows.schema.parse(storeKey)
	if err != nil {
		return out, err
	}
	if oneKey && s.rows.schema == windowSchema && s.rows.size == 0 {
		out.Start, out.End = w.Start, w.Start
		out.Key, err = s.key.decode(s.topic, h, key)
		return out, err
	}
	return s.windowedOf(h, key, w)
}

func (s *windows[K, V]) windowedOf(h *record.Headers, key []byte, w window.Span) (out window.Windowed[K], err error) {
	if s.rows.schema == windowSchema {
		if w, err = window.TimeSpan(w.Start, s.rows.size); err != nil {
			return out, err
		}
	} else if w.Start < 0 || w.End < w.Start {
		return out, fmt.Errorf("%w: start %d, end %d", window.ErrBounds, w.Start, w.End)
	}
	out.Start, out.End = w.Start, w.End
	out.Key, err = s.key.decode(s.topic, h, key)
	return out, err
}

// OnFlush sets the listener of updates that leave the record cache.
func (s *windows[K, V]) OnFlush(f func(Flushed[window.Windowed[K], V]) error, sendOld bool) (cached bool) {
	if s.cache == nil {
		return false
	}
	s.cache.sendOld = sendOld
	s.cache.onFlush = func(key []byte, w window.Span, value, old []byte, hasOld bool, c *record.Context) (err error) {
		out := Flushed[window.Windowed[K], V]{Context: c}
		if out.Key, err = s.windowedOf(c.Headers, key, w); err != nil {
			return err
		}
		if value != nil {
			if out.New, out.HasNew, err = s.decoded(c.Headers, value); err != nil {
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
func (s *windows[K, V]) Flush() error {
	if s.cache == nil {
		return nil
	}
	return s.failed("flush", s.cache.named.flushAll())
}

// Commit makes what was written durable.
func (s *windows[K, V]) Commit(offset int64) error {
	if s.top == nil {
		return s.failed("commit", ErrClosed)
	}
	return s.failed("commit", s.backend.Commit(offset))
}

// CommittedOffset is the changelog offset that lies with the data.
func (s *windows[K, V]) CommittedOffset() (int64, error) {
	if s.top == nil {
		return -1, s.failed("read offset of", ErrClosed)
	}
	o, err := s.backend.CommittedOffset()
	return o, s.failed("read offset of", err)
}

// Uncommitted tells whether the store holds updates later than its committed
// offset.
func (s *windows[K, V]) Uncommitted() (bool, error) {
	if u, ok := s.backend.(Uncommitted); ok {
		more, err := u.Uncommitted()
		return more, s.failed("check", err)
	}
	return false, nil
}

// Restore applies changelog records. Those without a key are no rows.
func (s *windows[K, V]) Restore(batch []Change) error {
	if s.top == nil {
		return s.failed("restore", ErrClosed)
	}
	for i := range batch {
		if batch[i].Key == nil {
			continue
		}
		if err := s.backend.Observe(batch[i].Key); err != nil {
			return s.failed("restore", err)
		}
	}
	b := s.take()
	defer func() { s.give(b) }()
	for i := range batch {
		c := &batch[i]
		if c.Key == nil {
			continue
		}
		var value []byte
		if c.Value != nil {
			b.value = s.below.restored(b.value[:0], c)
			value = valueOf(b.value)
		}
		if err := s.backend.RestoreRow(c.Key, value); err != nil {
			return s.failed("restore", err)
		}
	}
	return nil
}

// Close releases the store.
func (s *windows[K, V]) Close() error {
	if s.top == nil {
		return nil
	}
	if s.cache != nil {
		s.cache.named.close()
	}
	s.top, s.cache = nil, nil
	return s.failed("close", s.backend.Close())
}

// snapshotOfLayers is the store with its layers as they are now, without what
// only the task may use.
func (s *windows[K, V]) snapshotOfLayers() *windows[K, V] {
	return &windows[K, V]{name: s.name, kind: s.kind, settings: s.settings, rows: s.rows, key: s.key, value: s.value,
		byValue: s.byValue, host: s.host, topic: s.topic, backend: s.backend, top: s.top}
}
