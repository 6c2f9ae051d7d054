package statestore

import (
	"math"

	"github.com/millrace/millrace/window"
)

// windowLayer is a window or session store of bytes between the typed façade
// and the backend. As in Java the layers are: façade, record cache, changelog,
// backend. peek and a scan with own false may be used from other goroutines.
type windowLayer interface {
	get(dst, key []byte, w window.Span) ([]byte, bool, error)
	peek(dst, key []byte, w window.Span) ([]byte, bool, error)
	// put with a nil value deletes.
	put(key []byte, w window.Span, value []byte) error
	remove(key []byte, w window.Span) error
	scan(q *WindowQuery, own bool) (Cursor, error)
}

// backendWindows is the backend itself.
type backendWindows struct{ b WindowBytes }

func (l backendWindows) get(dst, key []byte, w window.Span) ([]byte, bool, error) {
	return l.b.Get(dst, key, w)
}

func (l backendWindows) peek(dst, key []byte, w window.Span) ([]byte, bool, error) {
	return l.b.Peek(dst, key, w)
}

func (l backendWindows) put(key []byte, w window.Span, value []byte) error {
	return l.b.Put(key, w, value)
}

func (l backendWindows) remove(key []byte, w window.Span) error      { return l.b.Remove(key, w) }
func (l backendWindows) scan(q *WindowQuery, _ bool) (Cursor, error) { return l.b.Scan(q) }

// reframedWindows keeps simpler values than it is given, see [Supplied] (Java:
// the …StoreAdapter classes).
type reframedWindows struct {
	inner windowLayer
	r     *reframing
}

func (l *reframedWindows) get(dst, key []byte, w window.Span) ([]byte, bool, error) {
	out, ok, err := l.inner.get(append(dst, l.r.prefix...), key, w)
	if !ok || err != nil {
		return dst, false, err
	}
	return out, true, nil
}

func (l *reframedWindows) peek(dst, key []byte, w window.Span) ([]byte, bool, error) {
	out, ok, err := l.inner.peek(append(dst, l.r.prefix...), key, w)
	if !ok || err != nil {
		return dst, false, err
	}
	return out, true, nil
}

func (l *reframedWindows) put(key []byte, w window.Span, value []byte) error {
	value, err := l.r.down(value)
	if err != nil {
		return err
	}
	return l.inner.put(key, w, value)
}

func (l *reframedWindows) remove(key []byte, w window.Span) error { return l.inner.remove(key, w) }

func (l *reframedWindows) scan(q *WindowQuery, own bool) (Cursor, error) {
	c, err := l.inner.scan(q, own)
	if err != nil {
		return nil, err
	}
	return &reframedCursor{Cursor: c, r: l.r}, nil
}

// reframedCursor puts back what the values below lack.
type reframedCursor struct {
	Cursor
	r     *reframing
	value []byte
}

func (c *reframedCursor) Value() []byte {
	c.value = append(append(c.value[:0], c.r.prefix...), c.Cursor.Value()...)
	return c.value
}

// loggedWindows writes each update to the changelog once the backend has it
// (Java: ChangeLoggingWindowBytesStore, ChangeLoggingSessionBytesStore and
// their kinds). It numbers duplicates on its own: unlike the backend it counts
// null values, which it logs though the backend ignores them.
type loggedWindows struct {
	inner      windowLayer
	schema     rowSchema
	log        changelog
	duplicates bool
	seq        int32
	key        []byte
}

func (l *loggedWindows) get(dst, key []byte, w window.Span) ([]byte, bool, error) {
	return l.inner.get(dst, key, w)
}

func (l *loggedWindows) peek(dst, key []byte, w window.Span) ([]byte, bool, error) {
	return l.inner.peek(dst, key, w)
}

func (l *loggedWindows) scan(q *WindowQuery, own bool) (Cursor, error) { return l.inner.scan(q, own) }

func (l *loggedWindows) put(key []byte, w window.Span, value []byte) error {
	if err := l.inner.put(key, w, value); err != nil {
		return err
	}
	return l.write(key, w, value)
}

func (l *loggedWindows) remove(key []byte, w window.Span) error {
	if err := l.inner.remove(key, w); err != nil {
		return err
	}
	return l.write(key, w, nil)
}

func (l *loggedWindows) write(key []byte, w window.Span, value []byte) error {
	if l.duplicates {
		l.seq = (l.seq + 1) & math.MaxInt32
	}
	l.key = l.schema.append(l.key[:0], key, w, l.seq)
	return l.log.write(l.key, value)
}
