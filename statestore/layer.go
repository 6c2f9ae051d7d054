package statestore

import (
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore/internal/scan"
)

// keyValueLayer is a byte store between the typed façade and the backend. The
// layers lie as in Java: façade, record cache, changelog, backend. peek and a
// scan with own false may be used from other goroutines than the task's.
type keyValueLayer interface {
	get(dst, key []byte) ([]byte, bool, error)
	peek(dst, key []byte) ([]byte, bool, error)
	// put with a nil value deletes.
	put(key, value []byte) error
	// putIfAbsent appends the value the key had to dst.
	putIfAbsent(dst, key, value []byte) ([]byte, bool, error)
	// remove deletes and appends the value the key had to dst.
	remove(dst, key []byte) ([]byte, bool, error)
	scan(r KeyRange, own bool) (Cursor, error)
}

// plainLayer is the backend itself.
type plainLayer struct{ b KeyValueBytes }

func (l plainLayer) get(dst, key []byte) ([]byte, bool, error)  { return l.b.Get(dst, key) }
func (l plainLayer) peek(dst, key []byte) ([]byte, bool, error) { return l.b.Peek(dst, key) }
func (l plainLayer) put(key, value []byte) error                { return l.b.Put(key, value) }
func (l plainLayer) scan(r KeyRange, _ bool) (Cursor, error)    { return l.b.Scan(r) }

func (l plainLayer) putIfAbsent(dst, key, value []byte) ([]byte, bool, error) {
	old, had, err := l.b.Get(dst, key)
	if err != nil || had {
		return old, had, err
	}
	return old, false, l.b.Put(key, value)
}

func (l plainLayer) remove(dst, key []byte) ([]byte, bool, error) {
	old, had, err := l.b.Get(dst, key)
	if err != nil {
		return old, false, err
	}
	return old, had, l.b.Put(key, nil)
}

// loggedLayer writes each update to the changelog once the backend has it
// (Java: ChangeLoggingKeyValueBytesStore and its kinds).
type loggedLayer struct {
	inner keyValueLayer
	log   changelog
}

func (l *loggedLayer) get(dst, key []byte) ([]byte, bool, error)  { return l.inner.get(dst, key) }
func (l *loggedLayer) peek(dst, key []byte) ([]byte, bool, error) { return l.inner.peek(dst, key) }
func (l *loggedLayer) scan(r KeyRange, own bool) (Cursor, error)  { return l.inner.scan(r, own) }

func (l *loggedLayer) put(key, value []byte) error {
	if err := l.inner.put(key, value); err != nil {
		return err
	}
	return l.write(key, value)
}

func (l *loggedLayer) putIfAbsent(dst, key, value []byte) ([]byte, bool, error) {
	old, had, err := l.inner.putIfAbsent(dst, key, value)
	if err != nil || had {
		return old, had, err
	}
	return old, false, l.write(key, value)
}

func (l *loggedLayer) remove(dst, key []byte) ([]byte, bool, error) {
	old, had, err := l.inner.remove(dst, key)
	if err != nil {
		return old, had, err
	}
	return old, had, l.write(key, nil)
}

func (l *loggedLayer) write(key, value []byte) error { return l.log.write(key, value) }

// noContext stands for the record context where there is none yet, as in a
// processor's Init.
var noContext = record.Context{Partition: -1, Offset: -1, Timestamp: -1}

func contextOf(h Host) *record.Context {
	if c := h.RecordContext(); c != nil {
		return c
	}
	return &noContext
}

// cachedLayer keeps updates in the record cache until they are flushed (Java:
// CachingKeyValueStore).
type cachedLayer struct {
	inner   keyValueLayer
	named   *Named
	host    Host
	onFlush func(u *cachedUpdate, old []byte, hasOld bool, c *record.Context) error
	sendOld bool
	// old and context are scratch; a flush that a listener starts within a
	// flush finds them taken and makes its own.
	old     []byte
	context *record.Context
}

func newCachedLayer(inner keyValueLayer, h Host, store string) *cachedLayer {
	l := &cachedLayer{inner: inner, named: h.Cache().Named(h.TaskID(), store), host: h}
	l.named.flushing = l.flushOne
	return l
}

func (l *cachedLayer) get(dst, key []byte) ([]byte, bool, error) {
	if v, ok := l.named.get(key); ok {
		return append(dst, v...), v != nil, nil
	}
	out, ok, err := l.inner.get(dst, key)
	if err != nil || !ok {
		return dst, false, err
	}
	return out, true, l.named.putClean(key, valueOf(out[len(dst):]))
}

// valueOf makes sure that an empty value is not taken for none.
func valueOf(v []byte) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}

func (l *cachedLayer) peek(dst, key []byte) ([]byte, bool, error) {
	if v, ok, deleted := l.named.peek(dst, key); ok || deleted {
		return v, ok, nil
	}
	return l.inner.peek(dst, key)
}

func (l *cachedLayer) put(key, value []byte) error {
	return l.named.put(key, value, contextOf(l.host))
}

func (l *cachedLayer) putIfAbsent(dst, key, value []byte) ([]byte, bool, error) {
	old, had, err := l.get(dst, key)
	if err != nil || had {
		return old, had, err
	}
	return old, false, l.put(key, value)
}

func (l *cachedLayer) remove(dst, key []byte) ([]byte, bool, error) {
	old, had, err := l.get(dst, key)
	if err != nil {
		return old, had, err
	}
	return old, had, l.put(key, nil)
}

// scan takes both cursors under the cache's lock: a row that is about to leave
// the cache is seen here or below.
func (l *cachedLayer) scan(r KeyRange, own bool) (Cursor, error) {
	if r.Empty() {
		return scan.Empty{}, nil
	}
	l.named.table.Mu.RLock()
	below, err := l.inner.scan(r, own)
	if err != nil {
		l.named.table.Mu.RUnlock()
		return nil, err
	}
	cached := l.named.cursor(r, own)
	l.named.table.Mu.RUnlock()
	return &mergedRows{cached: cached, below: below, reverse: r.Reverse}, nil
}

// flushOne writes an update that leaves the cache and tells the listener. A
// key that came and went without the store below ever having it is neither
// written nor forwarded, if there is a listener.
func (l *cachedLayer) flushOne(u *cachedUpdate) error {
	old := l.old[:0]
	l.old = nil
	hasOld := false
	if l.onFlush != nil && (u.value == nil || l.sendOld) {
		var err error
		if old, hasOld, err = l.inner.get(old, u.key); err != nil {
			return err
		}
		if u.value == nil && !hasOld {
			u.written()
			l.old = old
			return nil
		}
	}
	current, c := l.host.RecordContext(), l.context
	if c == nil {
		c = &record.Context{}
	}
	l.context = nil
	defer func() {
		l.host.SetRecordContext(current)
		u.done(c)
		l.old, l.context = old, c
	}()
	u.context(c)
	l.host.SetRecordContext(c)
	if err := l.inner.put(u.key, u.value); err != nil {
		return err
	}
	u.written()
	if l.onFlush == nil {
		return nil
	}
	return l.onFlush(u, old, hasOld && l.sendOld, c)
}
