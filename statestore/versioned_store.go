package statestore

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// versionedStore is the typed face of a versioned store (Java:
// MeteredVersionedKeyValueStore). There is never a record cache between it and
// its bytes.
type versionedStore[K, V any] struct {
	name     string
	settings settings
	config   VersionedConfig
	key      coder[K]
	value    coder[V]

	host  Host
	topic string
	bytes *versionedBytes
	log   Log
	open  bool
	// foreign is true for the view of other goroutines.
	foreign bool
	buffers buffers
}

// Name is the store's name.
func (s *versionedStore[K, V]) Name() string { return s.name }

// Persistent tells whether the content outlives the process.
func (s *versionedStore[K, V]) Persistent() bool { return s.settings.persistent() }

// Open opens the backend.
func (s *versionedStore[K, V]) Open(h Host) error {
	if s.bytes != nil {
		return s.failed("open", errors.New("it is open already"))
	}
	if err := s.config.Check(s.name); err != nil {
		return err
	}
	s.host, s.topic = h, changelogTopic(h, s.name)
	from := s.settings.from()
	if from == nil {
		return s.failed("open", errNoBackend)
	}
	b, err := openVersioned(h, from, s.name, s.config)
	if err != nil {
		return s.failed("open", err)
	}
	s.bytes, s.open = b, true
	if s.settings.logged {
		s.log = h.Log(s.name)
	}
	return nil
}

func (s *versionedStore[K, V]) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if s.host == nil {
		return fmt.Errorf("%s store %s: %w", doing, s.name, err)
	}
	return fmt.Errorf("%s store %s of task %s: %w", doing, s.name, s.host.TaskID(), err)
}

func (s *versionedStore[K, V]) take() buffers {
	if s.foreign {
		return buffers{}
	}
	b := s.buffers
	s.buffers = buffers{}
	return b
}

func (s *versionedStore[K, V]) give(b buffers) {
	if !s.foreign {
		s.buffers = buffers{b.key[:0], b.value[:0], b.read[:0]}
	}
}

func (s *versionedStore[K, V]) headers() *record.Headers {
	if s.host == nil || s.foreign {
		return nil
	}
	return contextOf(s.host).Headers
}

// reads is how this view looks at the bytes.
func (s *versionedStore[K, V]) reads() read {
	if s.foreign {
		return s.bytes.segs.kv.Peek
	}
	return s.bytes.segs.kv.Get
}

func (s *versionedStore[K, V]) appendKey(dst []byte, k K) ([]byte, error) {
	if !s.open {
		return dst, ErrClosed
	}
	out, err := s.key.append(dst, s.topic, s.headers(), k)
	if errors.Is(err, serde.ErrNull) {
		return dst, ErrNullKey
	}
	return out, err
}

func (s *versionedStore[K, V]) decoded(data []byte, from, to int64) (v Version[V], ok bool, err error) {
	v.Value, err = s.value.decode(s.topic, s.headers(), data)
	if errors.Is(err, serde.ErrNull) {
		return Version[V]{}, false, nil
	}
	v.Timestamp, v.ValidTo = from, to
	return v, err == nil, err
}

// Get returns the latest version of a key.
func (s *versionedStore[K, V]) Get(k K) (v Version[V], ok bool, err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, k); err == nil {
		var from int64
		b.read, from, ok, err = readLatest(b.read, b.value[:0:0], b.key, s.reads())
		if ok && err == nil {
			v, ok, err = s.decoded(b.read, from, ValidNow)
		}
	}
	s.give(b)
	return v, ok && err == nil, s.failed("read from", err)
}

// GetAsOf returns the version that held at a time.
func (s *versionedStore[K, V]) GetAsOf(k K, t int64) (v Version[V], ok bool, err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, k); err == nil {
		v, ok, err = s.getAsOf(&b, t)
	}
	s.give(b)
	return v, ok && err == nil, s.failed("read from", err)
}

func (s *versionedStore[K, V]) getAsOf(b *buffers, t int64) (v Version[V], ok bool, err error) {
	var from, to int64
	b.read, from, to, ok, err = s.bytes.getAsOf(b.read, b.key, t, s.reads())
	if err != nil || !ok {
		return v, false, err
	}
	return s.decoded(b.read, from, to)
}

// History scans the versions of a key that held between two times.
func (s *versionedStore[K, V]) History(k K, from, to int64, descending bool) iter.Seq2[Version[V], error] {
	return func(yield func(Version[V], error) bool) {
		list, err := s.history(k, from, to)
		if err != nil {
			yield(Version[V]{}, s.scanFailed(err))
			return
		}
		if descending {
			slices.Reverse(list)
		}
		for _, h := range list {
			v, ok, err := s.decoded(h.value, h.from, h.to)
			if err != nil {
				yield(v, s.scanFailed(err))
				return
			}
			if ok && !yield(v, nil) {
				return
			}
		}
	}
}

func (s *versionedStore[K, V]) scanFailed(err error) error {
	err = s.failed("scan", err)
	if f, ok := s.host.(Failer); ok && !s.foreign {
		f.Fail(err)
	}
	return err
}

func (s *versionedStore[K, V]) history(k K, from, to int64) ([]held, error) {
	if from > to {
		return nil, fmt.Errorf("the history from %d ends at %d", from, to)
	}
	key, err := s.appendKey(nil, k)
	if err != nil {
		return nil, err
	}
	return s.bytes.listHistory(key, from, to, s.reads())
}

// Put makes a value hold from a time on.
func (s *versionedStore[K, V]) Put(k K, v V, t int64) (validTo int64, err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, k); err == nil {
		var value []byte
		b.value, err = s.value.append(b.value, s.topic, s.headers(), v)
		switch {
		case errors.Is(err, serde.ErrNull):
			err = nil
		case err == nil:
			value = valueOf(b.value)
		}
		if err == nil {
			validTo, err = s.put(b.key, value, t)
		}
	}
	s.give(b)
	return validTo, s.failed("write to", err)
}

// put logs a record even if it was too old to be kept, as Java does.
func (s *versionedStore[K, V]) put(key, value []byte, t int64) (validTo int64, err error) {
	if validTo, err = s.bytes.put(key, value, t); err != nil {
		return 0, err
	}
	if s.log != nil {
		err = s.log.Log(key, value, t, nil)
	}
	return validTo, err
}

// Remove is Put with a null value.
func (s *versionedStore[K, V]) Remove(k K, t int64) (validTo int64, err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, k); err == nil {
		validTo, err = s.put(b.key, nil, t)
	}
	s.give(b)
	return validTo, s.failed("delete from", err)
}

// Delete is GetAsOf, then Remove.
func (s *versionedStore[K, V]) Delete(k K, t int64) (old Version[V], had bool, err error) {
	b := s.take()
	if b.key, err = s.appendKey(b.key, k); err == nil {
		if !s.bytes.expired(t) {
			old, had, err = s.getAsOf(&b, t)
		}
		if err == nil {
			_, err = s.put(b.key, nil, t)
		}
	}
	s.give(b)
	return old, had && err == nil, s.failed("delete from", err)
}

// Flush has nothing to do: there is no record cache.
func (s *versionedStore[K, V]) Flush() error { return nil }

// Commit makes what was written durable.
func (s *versionedStore[K, V]) Commit(offset int64) error {
	if !s.open {
		return s.failed("commit", ErrClosed)
	}
	return s.failed("commit", s.bytes.segs.kv.Commit(offset))
}

// CommittedOffset is the changelog offset that lies with the data.
func (s *versionedStore[K, V]) CommittedOffset() (int64, error) {
	if !s.open {
		return -1, s.failed("read offset of", ErrClosed)
	}
	o, err := s.bytes.segs.kv.CommittedOffset()
	return o, s.failed("read offset of", err)
}

// Uncommitted tells whether the store holds updates later than its committed
// offset.
func (s *versionedStore[K, V]) Uncommitted() (bool, error) {
	if s.bytes == nil {
		return false, nil
	}
	if u, ok := s.bytes.segs.kv.(Uncommitted); ok {
		more, err := u.Uncommitted()
		return more, s.failed("check", err)
	}
	return false, nil
}

// Restore applies changelog records.
func (s *versionedStore[K, V]) Restore(batch []Change) error {
	if !s.open {
		return s.failed("restore", ErrClosed)
	}
	return s.failed("restore", s.bytes.restore(batch))
}

// Close releases the store.
func (s *versionedStore[K, V]) Close() error {
	if !s.open {
		return nil
	}
	s.open = false
	return s.failed("close", s.bytes.segs.kv.Close())
}

// Reader is the view for other goroutines.
func (s *versionedStore[K, V]) Reader() ReadOnlyVersioned[K, V] {
	return &versionedStore[K, V]{name: s.name, settings: s.settings, config: s.config, key: s.key, value: s.value,
		host: s.host, topic: s.topic, bytes: s.bytes, open: s.open, foreign: true}
}
