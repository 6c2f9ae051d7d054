package javaorder

import "iter"

const (
	minCapacity = 16
	maxCapacity = 1 << 30
	// A bucket that would get its ninth entry asks for a tree; below a table of
	// minTreeCapacity Java doubles the table instead.
	treeifyAt       = 8
	minTreeCapacity = 64
)

// HashMap iterates in the order of a java.util.HashMap that saw the same
// calls. The order is by bucket, and inside a bucket by insertion; doubling
// the table keeps the relative order of entries that stay together. As in
// Java the table never shrinks, not even by Clear. A HashMap is for one
// goroutine.
type HashMap[K comparable, V any] struct {
	hash    func(K) int32
	entries map[K]*entry[K, V]
	buckets []bucket[K, V]
	// initial is the capacity of the first table, 0 for the default.
	initial int
}

type entry[K comparable, V any] struct {
	key    K
	value  V
	spread uint32
	next   *entry[K, V]
}

// bucket is a singly linked list that is appended to at the tail.
type bucket[K comparable, V any] struct {
	head, tail *entry[K, V]
	size       int
}

// NewHashMap returns an empty map, as Java's `new HashMap<>()`, whose keys
// have the hashCode that hash computes.
func NewHashMap[K comparable, V any](hash func(K) int32) *HashMap[K, V] {
	return &HashMap[K, V]{hash: hash, entries: map[K]*entry[K, V]{}}
}

// NewStringMap returns an empty map with Java's String hash.
func NewStringMap[V any]() *HashMap[string, V] { return NewHashMap[string, V](StringHash) }

// Grow makes the first table large enough for n entries, as the Java
// constructors that copy a collection do: they size for n/0.75+1, so that
// twelve entries get a table of 32 although sixteen would hold them. It has no
// effect on a map that holds a table already.
func (m *HashMap[K, V]) Grow(n int) {
	if m.buckets != nil {
		return
	}
	c := minCapacity
	for c < n*4/3+1 && c < maxCapacity {
		c *= 2
	}
	m.initial = c
}

// Len returns the number of entries.
func (m *HashMap[K, V]) Len() int { return len(m.entries) }

// Get returns the value of key and whether it is present.
func (m *HashMap[K, V]) Get(key K) (V, bool) {
	if e, ok := m.entries[key]; ok {
		return e.value, true
	}
	var zero V
	return zero, false
}

// Put sets the value of key. A present key keeps its place, a new one goes to
// the end of its bucket.
func (m *HashMap[K, V]) Put(key K, value V) {
	if e, ok := m.entries[key]; ok {
		e.value = value
		return
	}
	if m.buckets == nil {
		m.buckets = make([]bucket[K, V], max(m.initial, minCapacity))
	}
	e := &entry[K, V]{key: key, value: value, spread: spread(m.hash(key))}
	b := m.bucketOf(e)
	full := b.size >= treeifyAt
	b.append(e)
	m.entries[key] = e
	if full && len(m.buckets) < minTreeCapacity {
		m.double()
	}
	if len(m.entries) > len(m.buckets)/4*3 {
		m.double()
	}
}

// Delete removes key and reports whether it was present.
func (m *HashMap[K, V]) Delete(key K) bool {
	e, ok := m.entries[key]
	if !ok {
		return false
	}
	delete(m.entries, key)
	m.bucketOf(e).remove(e)
	return true
}

// Clear removes every entry; the table keeps its size.
func (m *HashMap[K, V]) Clear() {
	clear(m.entries)
	clear(m.buckets)
}

// All yields the entries in Java's order. The map must not be changed
// meanwhile.
func (m *HashMap[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i := range m.buckets {
			for e := m.buckets[i].head; e != nil; e = e.next {
				if !yield(e.key, e.value) {
					return
				}
			}
		}
	}
}

// Keys returns the keys in Java's order.
func (m *HashMap[K, V]) Keys() []K {
	keys := make([]K, 0, m.Len())
	for k := range m.All() {
		keys = append(keys, k)
	}
	return keys
}

func (m *HashMap[K, V]) bucketOf(e *entry[K, V]) *bucket[K, V] {
	return &m.buckets[e.spread&uint32(len(m.buckets)-1)]
}

func (m *HashMap[K, V]) double() {
	if len(m.buckets) >= maxCapacity {
		return
	}
	old := m.buckets
	m.buckets = make([]bucket[K, V], 2*len(old))
	for i := range old {
		for e := old[i].head; e != nil; {
			next := e.next
			e.next = nil
			m.bucketOf(e).append(e)
			e = next
		}
	}
}

func (b *bucket[K, V]) append(e *entry[K, V]) {
	if b.tail == nil {
		b.head = e
	} else {
		b.tail.next = e
	}
	b.tail = e
	b.size++
}

func (b *bucket[K, V]) remove(e *entry[K, V]) {
	var prev *entry[K, V]
	for cur := b.head; cur != e; cur = cur.next {
		prev = cur
	}
	if prev == nil {
		b.head = e.next
	} else {
		prev.next = e.next
	}
	if b.tail == e {
		b.tail = prev
	}
	e.next = nil
	b.size--
}
