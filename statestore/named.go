package statestore

import (
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore/internal/scan"
	"github.com/millrace/millrace/statestore/internal/table"
)

// Named is the part of a Cache that belongs to one store of one task (Java:
// NamedCache). The rows lie in a hash table; the order of use and the order in
// which rows became dirty are lists threaded through slices beside it.
type Named struct {
	cache *Cache
	name  string
	table *table.Table
	meta  []rowMeta
	// use is ordered from the row used last to the one used longest ago; dirty
	// from the row updated longest ago to the last one.
	use, dirty list
	rows       int
	size       int64
	headers    map[int32]*record.Headers
	raw        map[int32]rawSource
	flushing   func(*cachedUpdate) error
	batch      []cachedUpdate

	hits, misses int64
}

// rowMeta is what a row of the table has besides its bytes: its neighbours in
// the two lists and the context of its last update.
type rowMeta struct {
	links     [2]links
	size      int64
	timestamp int64
	offset    int64
	partition int32
	topic     int32
	// step is one more than the place of the row's headers in Cache.step, 0 if
	// its last update is of an earlier step.
	step  int32
	flags uint8
}

const (
	// rowDirty: the update was not yet let out.
	rowDirty uint8 = 1 << iota
	// rowLeaving: the row was evicted, but readers still need it until the
	// backend has it.
	rowLeaving
	rowHeaders
	rowRaw
)

type rawSource struct{ key, value []byte }

// cachedUpdate is a row on its way out. Key and value stay as they are while
// the flush lasts, whatever the listeners do to the cache; a nil value deletes.
type cachedUpdate struct {
	key, value []byte
	named      *Named
	row        int32
	evicted    bool
	topic      int32
	partition  int32
	timestamp  int64
	offset     int64
	// headers is nil if there are none.
	headers *record.Headers
	raw     rawSource
	// first and before are the first update of the same flush and the one before
	// this; nil for the first.
	first, before *cachedUpdate
}

// context fills in the record context of the update; done ends its use.
func (u *cachedUpdate) context(c *record.Context) {
	h := u.headers
	if h == nil {
		h = u.named.cache.lists.Copy(nil)
	}
	*c = record.Context{
		Topic: u.named.cache.topics[u.topic], Partition: u.partition, Offset: u.offset,
		Timestamp: u.timestamp, Headers: h, RawKey: u.raw.key, RawValue: u.raw.value,
	}
}

func (u *cachedUpdate) done(c *record.Context) {
	if u.headers == nil {
		u.named.cache.lists.Done(c.Headers)
	}
}

// written says that the backend has the update, so that readers need an
// evicted row no longer. It must be called before anybody downstream is.
func (u *cachedUpdate) written() {
	if u.evicted {
		u.evicted = false
		n := u.named
		n.table.Mu.Lock()
		n.drop(u.row)
		n.table.Mu.Unlock()
	}
}

func newNamed(c *Cache, name string) *Named {
	return &Named{cache: c, name: name, table: table.New(), use: newList(inUse), dirty: newList(inDirty)}
}

// Name is the task and the store, as "0_1-counts".
func (n *Named) Name() string { return n.name }

// Len is the number of rows held.
func (n *Named) Len() int { return n.rows }

// Size is the number of bytes counted for the rows.
func (n *Named) Size() int64 { return n.size }

// Hits and Misses count reads since the part was made; they serve Java's metric
// hit-ratio and are to be read on the worker's goroutine.
func (n *Named) Hits() int64 { return n.hits }

// Misses counts the reads that found no row.
func (n *Named) Misses() int64 { return n.misses }

// find returns the row of a key that is in use.
func (n *Named) find(key []byte) int32 {
	i := n.table.Find(key)
	if i == table.None || n.meta[i].flags&rowLeaving != 0 {
		n.misses++
		return table.None
	}
	n.hits++
	return i
}

// get returns the value of a key and makes its row the last used one. A nil
// value with true is a cached delete. The value is valid until the next call.
func (n *Named) get(key []byte) (value []byte, ok bool) {
	i := n.find(key)
	if i == table.None {
		return nil, false
	}
	n.touch(i)
	return n.table.Value(i), true
}

// peek is get for other goroutines; it appends the value to dst. deleted says
// that the cache knows there is none.
func (n *Named) peek(dst, key []byte) (value []byte, ok, deleted bool) {
	n.table.Mu.RLock()
	defer n.table.Mu.RUnlock()
	i := n.table.Find(key)
	if i == table.None {
		return dst, false, false
	}
	v := n.table.Value(i)
	return append(dst, v...), v != nil, v == nil
}

func (n *Named) touch(i int32) {
	n.use.remove(n.meta, i)
	n.use.pushFront(n.meta, i)
}

// put holds an update made under the context; a nil value deletes.
func (n *Named) put(key, value []byte, c *record.Context) error {
	before := n.size
	n.table.Mu.Lock()
	i := n.set(key, value)
	m := &n.meta[i]
	m.timestamp, m.offset, m.partition = c.Timestamp, c.Offset, c.Partition
	if n.cache.topics[m.topic] != c.Topic {
		m.topic = n.cache.topic(c.Topic)
	}
	n.side(i, m, c)
	n.resize(m, accounted(key, value, c.Topic, c.Headers))
	if m.flags&rowDirty != 0 {
		n.dirty.remove(n.meta, i)
	}
	m.flags |= rowDirty
	n.dirty.pushBack(n.meta, i)
	n.table.Mu.Unlock()
	n.count(before)
	return n.fit()
}

// putClean holds what was read from the store below.
func (n *Named) putClean(key, value []byte) error {
	before := n.size
	n.table.Mu.Lock()
	i := n.set(key, value)
	m := &n.meta[i]
	m.timestamp, m.offset, m.partition, m.topic = -1, -1, -1, 0
	n.side(i, m, &record.Context{})
	n.resize(m, accounted(key, value, "", nil))
	n.table.Mu.Unlock()
	n.count(before)
	return n.fit()
}

// set stores the value and makes its row the last used one.
func (n *Named) set(key, value []byte) int32 {
	i, isNew := n.table.Put(key, value)
	for int(i) >= len(n.meta) {
		n.meta = append(n.meta, rowMeta{})
	}
	m := &n.meta[i]
	switch {
	case isNew:
		*m = rowMeta{}
		n.rows++
	case m.flags&rowLeaving != 0:
		m.flags &^= rowLeaving
		n.rows++
	default:
		n.use.remove(n.meta, i)
	}
	n.use.pushFront(n.meta, i)
	return i
}

// side keeps what few rows have: headers, and the source bytes if wanted.
func (n *Named) side(i int32, m *rowMeta, c *record.Context) {
	place := m.step
	n.dropSide(i, m)
	if c.Headers != nil {
		if place == 0 {
			n.cache.step = append(n.cache.step, stepHeaders{named: n, row: i})
			place = int32(len(n.cache.step))
		}
		n.cache.step[place-1].held = c.Headers.Hold()
		m.step = place
	}
	if n.cache.keepRaw && (c.RawKey != nil || c.RawValue != nil) {
		if n.raw == nil {
			n.raw = map[int32]rawSource{}
		}
		n.raw[i] = rawSource{append([]byte(nil), c.RawKey...), append([]byte(nil), c.RawValue...)}
		m.flags |= rowRaw
	}
}

// settle takes over the headers of a row's last update, if it has any, when
// the step of the update ends.
func (n *Named) settle(place int32, s *stepHeaders) {
	if int(s.row) >= len(n.meta) || n.meta[s.row].step != place+1 {
		return
	}
	m := &n.meta[s.row]
	m.step = 0
	h := s.held.Headers()
	if h == nil {
		return
	}
	if n.headers == nil {
		n.headers = map[int32]*record.Headers{}
	}
	n.headers[s.row] = h
	m.flags |= rowHeaders
}

func (n *Named) dropSide(i int32, m *rowMeta) {
	m.step = 0
	if m.flags&rowHeaders != 0 {
		delete(n.headers, i)
	}
	if m.flags&rowRaw != 0 {
		delete(n.raw, i)
	}
	m.flags &^= rowHeaders | rowRaw
}

func (n *Named) resize(m *rowMeta, size int64) {
	n.grow(size - m.size)
	m.size = size
}

func (n *Named) grow(by int64) {
	n.size += by
	n.cache.held += by
}

// count tells the whole cache how an operation has changed this part, once it
// is over.
func (n *Named) count(before int64) { n.cache.count(n.size - before) }

// fit evicts until the whole cache is within its budget or this part is empty.
func (n *Named) fit() error {
	for n.cache.full() && n.rows > 0 {
		if err := n.shrink(); err != nil {
			return err
		}
	}
	return nil
}

// shrink evicts one row.
func (n *Named) shrink() error {
	before := n.size
	err := n.evict()
	n.count(before)
	return err
}

// evict takes the row used longest ago out.
func (n *Named) evict() error {
	i := n.use.last
	m := &n.meta[i]
	n.table.Mu.Lock()
	n.unuse(i, m)
	if m.flags&rowDirty == 0 {
		n.drop(i)
		n.table.Mu.Unlock()
		return nil
	}
	m.flags |= rowLeaving
	n.table.Mu.Unlock()
	return n.flush(i)
}

// unuse takes a row out of the order of use and of the accounting.
func (n *Named) unuse(i int32, m *rowMeta) {
	n.use.remove(n.meta, i)
	n.rows--
	n.resize(m, 0)
}

// drop takes a row that is in no list out of the table.
func (n *Named) drop(i int32) {
	n.dropSide(i, &n.meta[i])
	n.table.Delete(i)
}

// flushAll lets every dirty row out.
func (n *Named) flushAll() error {
	before := n.size
	err := n.flush(none)
	n.count(before)
	return err
}

// flush lets every dirty row out, the evicted one first and then in the order
// of their last updates. Rows are clean and the list is empty before the first
// listener runs, since it may come back to this cache.
func (n *Named) flush(evicted int32) error {
	if n.dirty.first == none {
		return nil
	}
	batch := n.batch[:0]
	n.batch = nil
	unpin := n.table.Pin()
	defer unpin()
	n.table.Mu.Lock()
	if evicted != none {
		batch = append(batch, n.update(evicted))
		n.clean(evicted)
	}
	for i := n.dirty.first; i != none; i = n.dirty.first {
		batch = append(batch, n.update(i))
		n.clean(i)
		n.hits++ // Java's flush reads each row anew
	}
	n.table.Mu.Unlock()
	for i := range batch {
		if i > 0 {
			batch[i].first, batch[i].before = &batch[0], &batch[i-1]
		}
		if err := n.flushing(&batch[i]); err != nil {
			return err
		}
	}
	for i := range batch {
		if batch[i].value == nil {
			n.forget(batch[i].key)
		}
	}
	clear(batch)
	n.batch = batch
	return nil
}

// update is a row as it leaves.
func (n *Named) update(i int32) cachedUpdate {
	m := &n.meta[i]
	u := cachedUpdate{
		key: n.table.Key(i), value: n.table.Value(i), named: n, row: i, evicted: m.flags&rowLeaving != 0,
		topic: m.topic, partition: m.partition, timestamp: m.timestamp, offset: m.offset,
	}
	switch {
	case m.step != 0:
		u.headers = n.cache.step[m.step-1].held.Headers()
	case m.flags&rowHeaders != 0:
		u.headers = n.headers[i]
	}
	if m.flags&rowRaw != 0 {
		u.raw = n.raw[i]
	}
	return u
}

func (n *Named) clean(i int32) {
	n.dirty.remove(n.meta, i)
	n.meta[i].flags &^= rowDirty
}

// forget drops a cached delete that was let out, unless a listener has updated
// the key since.
func (n *Named) forget(key []byte) {
	i := n.table.Find(key)
	if i == table.None || n.table.Value(i) != nil || n.meta[i].flags&(rowDirty|rowLeaving) != 0 {
		return
	}
	n.table.Mu.Lock()
	n.unuse(i, &n.meta[i])
	n.drop(i)
	n.table.Mu.Unlock()
}

// close drops everything, what is dirty too.
func (n *Named) close() {
	n.table.Mu.Lock()
	n.table.Release()
	n.table.Mu.Unlock()
	before := n.size
	n.grow(-before)
	n.count(before)
	n.rows, n.meta, n.headers, n.raw, n.batch = 0, nil, nil, nil, nil
	n.use, n.dirty = newList(inUse), newList(inDirty)
	for i, other := range n.cache.named {
		if other == n {
			n.cache.named = append(n.cache.named[:i:i], n.cache.named[i+1:]...)
			break
		}
	}
}

// cursor walks over the rows; cached deletes have no value. With use set it
// makes each row it comes to the last used one, as reading does.
func (n *Named) cursor(r KeyRange, use bool) Cursor {
	c := n.table.NewCursor(r)
	if !use {
		return c
	}
	return usingCursor{c, n}
}

type usingCursor struct {
	scan.Cursor
	n *Named
}

func (c usingCursor) Next() bool {
	if !c.Cursor.Next() {
		return false
	}
	if i := c.n.find(c.Cursor.Key()); i != table.None {
		c.n.touch(i)
	}
	return true
}

const none = table.None

// list is a doubly linked list of row numbers whose links lie with the rows.
type list struct {
	first, last int32
	which       int
}

type links struct{ prev, next int32 }

// The lists a row can be in.
const (
	inUse = iota
	inDirty
)

func newList(which int) list { return list{none, none, which} }

func (l *list) pushFront(m []rowMeta, i int32) {
	m[i].links[l.which] = links{none, l.first}
	if l.first != none {
		m[l.first].links[l.which].prev = i
	} else {
		l.last = i
	}
	l.first = i
}

func (l *list) pushBack(m []rowMeta, i int32) {
	m[i].links[l.which] = links{l.last, none}
	if l.last != none {
		m[l.last].links[l.which].next = i
	} else {
		l.first = i
	}
	l.last = i
}

func (l *list) remove(m []rowMeta, i int32) {
	k := m[i].links[l.which]
	if k.prev != none {
		m[k.prev].links[l.which].next = k.next
	} else {
		l.first = k.next
	}
	if k.next != none {
		m[k.next].links[l.which].prev = k.prev
	} else {
		l.last = k.prev
	}
}
