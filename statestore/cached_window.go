package statestore

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore/internal/scan"
	"github.com/millrace/millrace/window"
)

// cachedWindows keeps updates in the record cache until they are flushed (Java:
// CachingWindowStore, CachingSessionStore, TimeOrderedCachingWindowStore). Its
// rows have the segment in front, eight bytes, and then the key as the store
// below has it; for an indexed time-ordered window store there is an empty
// row under the index key besides. Unlike key-value stores it does not keep
// what is read from below.
//
// Cache and store are merged by Java's own algorithm, with what follows from
// it: expired rows show as long as they are in the cache, and a cached delete
// may fail to hide its row in a backward scan.
type cachedWindows struct {
	inner  windowLayer
	named  *Named
	host   Host
	layout rowLayout
	// interval divides times into segments. Java's in-memory stores have one of
	// a millisecond.
	interval   int64
	persistent bool
	// observed is the largest time put into the cache, -1 at first.
	observed atomic.Int64
	onFlush  func(key []byte, w window.Span, value, old []byte, hasOld bool, c *record.Context) error
	sendOld  bool
	// Scratch; a flush within a flush finds old and context taken and makes its
	// own.
	key, index []byte
	old        []byte
	context    *record.Context
	indexing   record.Context
}

func newCachedWindows(inner windowLayer, h Host, store string, c rowConfig, persistent bool) *cachedWindows {
	l := &cachedWindows{inner: inner, named: h.Cache().Named(h.TaskID(), store), host: h,
		layout: rowLayout{c.schema, c.order}, interval: c.interval, persistent: persistent}
	if !persistent {
		l.layout.order, l.interval = KeyFirst, 1
	}
	if c.schema == sessionSchema {
		l.layout.order = KeyFirst
	}
	l.observed.Store(noTimestamp)
	l.named.flushing = l.flushOne
	return l
}

func (l *cachedWindows) segment(t int64) int64 { return t / l.interval }

// appendID appends a segment as Java does: negative ones sort last.
func appendID(dst []byte, id int64) []byte { return appendSegment(dst, id^math.MinInt64) }

func (l *cachedWindows) appendKey(dst, key []byte, w window.Span) []byte {
	dst = appendID(dst, l.segment(l.layout.schema.time(w)))
	return l.layout.appendRow(dst, key, w, 0)
}

func (l *cachedWindows) appendIndex(dst, key []byte, w window.Span) []byte {
	dst = append(appendID(dst, l.segment(w.Start)), indexPrefix)
	return l.layout.schema.append(dst, key, w, 0)
}

func (l *cachedWindows) get(dst, key []byte, w window.Span) ([]byte, bool, error) {
	l.key = l.appendKey(l.key[:0], key, w)
	if v, ok := l.named.get(l.key); ok {
		return append(dst, v...), v != nil, nil
	}
	return l.inner.get(dst, key, w)
}

func (l *cachedWindows) peek(dst, key []byte, w window.Span) ([]byte, bool, error) {
	if v, ok, deleted := l.named.peek(dst, l.appendKey(nil, key, w)); ok || deleted {
		return v, ok, nil
	}
	return l.inner.peek(dst, key, w)
}

func (l *cachedWindows) put(key []byte, w window.Span, value []byte) error {
	c := contextOf(l.host)
	l.key = l.appendKey(l.key[:0], key, w)
	if err := l.named.put(l.key, value, c); err != nil {
		return err
	}
	if l.layout.order == TimeFirstIndexed {
		l.index = l.appendIndex(l.index[:0], key, w)
		l.indexing = record.Context{Partition: c.Partition, Offset: c.Offset, Timestamp: c.Timestamp,
			RawKey: c.RawKey, RawValue: c.RawValue}
		if err := l.named.put(l.index, []byte{}, &l.indexing); err != nil {
			return err
		}
	}
	if t := l.layout.schema.time(w); t > l.observed.Load() {
		l.observed.Store(t)
	}
	return nil
}

func (l *cachedWindows) remove(key []byte, w window.Span) error { return l.put(key, w, nil) }

// scan takes both cursors under the cache's lock: a row that is about to leave
// the cache is seen here or below.
func (l *cachedWindows) scan(q *WindowQuery, own bool) (Cursor, error) {
	if q.Mode == QueryEnds {
		return nil, ErrUnsupported
	}
	if q.Reversed() {
		return scan.Empty{}, nil
	}
	p, err := l.plan(q)
	if err != nil {
		return nil, err
	}
	l.named.table.Mu.RLock()
	below, err := l.inner.scan(q, own)
	if err != nil {
		l.named.table.Mu.RUnlock()
		return nil, err
	}
	p.open(l, own)
	l.named.table.Mu.RUnlock()
	return &mergedWindows{cached: p, below: below, l: l, byTime: q.Mode == QueryKey && l.layout.schema == windowSchema,
		indexed: p.indexed, reverse: q.Reverse}, nil
}

var errFlushKey = errors.New("flush a row that is no window")

// flushOne writes an update that leaves the cache and tells the listener. A
// row that came and went without the store below ever having it is neither
// written nor forwarded, if there is a listener.
func (l *cachedWindows) flushOne(u *cachedUpdate) error {
	if l.layout.order == TimeFirstIndexed {
		base, skip := l.paired(u)
		if skip {
			u.written()
			return nil
		}
		if base.key != nil {
			defer u.written()
			u = &base
		}
	}
	if len(u.key) < segmentSize {
		return errFlushKey
	}
	key, w, _, err := l.layout.parseRow(u.key[segmentSize:])
	if err != nil {
		return fmt.Errorf("%w: %w", errFlushKey, err)
	}
	old := l.old[:0]
	l.old = nil
	hasOld := false
	if l.onFlush != nil && (u.value == nil || l.sendOld) {
		if old, hasOld, err = l.inner.get(old, key, w); err != nil {
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
	if err := l.inner.put(key, w, u.value); err != nil {
		return err
	}
	u.written()
	if l.onFlush == nil {
		return nil
	}
	return l.onFlush(key, w, u.value, old, hasOld && l.sendOld, c)
}

// paired deals with the two rows of an indexed window in one flush: whichever
// comes first stands for both. An index row stands for its base row as the
// cache has it, if it has it.
func (l *cachedWindows) paired(u *cachedUpdate) (base cachedUpdate, skip bool) {
	key, w, _, err := l.layout.parseRow(u.key[segmentSize:])
	if err != nil {
		return base, true
	}
	isIndex := u.key[segmentSize] == indexPrefix
	partner := l.appendKey(nil, key, w)
	if !isIndex {
		partner = l.appendIndex(nil, key, w)
	}
	for _, earlier := range [2]*cachedUpdate{u.first, u.before} {
		if earlier != nil && string(earlier.key) == string(partner) {
			return base, true
		}
	}
	if !isIndex {
		return base, false
	}
	i := l.named.find(partner)
	if i == none {
		return base, true
	}
	l.named.touch(i)
	return l.named.update(i), false
}
