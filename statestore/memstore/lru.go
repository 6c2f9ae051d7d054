package memstore

import (
	"container/list"

	"github.com/millrace/millrace/statestore"
)

// lru is a map with a bound on its entries, on top of the sorted one so that
// it can be scanned in order.
type lru struct {
	*keyValue
	max     int
	used    *list.List // of key strings, the one used last in front
	at      map[string]*list.Element
	onEvict func(key []byte) error
}

func newLRU(entries int) *lru {
	return &lru{keyValue: newKeyValue(), max: max(entries, 0), used: list.New(), at: map[string]*list.Element{}}
}

// OnEvict is told each key before it goes.
func (s *lru) OnEvict(f func(key []byte) error) { s.onEvict = f }

func (s *lru) Get(dst, key []byte) ([]byte, bool, error) {
	out, ok, err := s.keyValue.Get(dst, key)
	if ok {
		s.used.MoveToFront(s.at[string(key)])
	}
	return out, ok, err
}

func (s *lru) Put(key, value []byte) error {
	if err := s.keyValue.Put(key, value); err != nil {
		return err
	}
	e := s.at[string(key)]
	switch {
	case value == nil && e != nil:
		s.used.Remove(e)
		delete(s.at, string(key))
		return nil
	case value == nil:
		return nil
	case e != nil:
		s.used.MoveToFront(e)
		return nil
	}
	s.at[string(key)] = s.used.PushFront(string(key))
	if s.used.Len() > s.max {
		return s.evict()
	}
	return nil
}

func (s *lru) evict() error {
	oldest := s.used.Back()
	key := oldest.Value.(string)
	if s.onEvict != nil {
		if err := s.onEvict([]byte(key)); err != nil {
			return err
		}
	}
	s.used.Remove(oldest)
	delete(s.at, key)
	return s.keyValue.Put([]byte(key), nil)
}

func (s *lru) Close() error {
	s.used, s.at = list.New(), map[string]*list.Element{}
	return s.keyValue.Close()
}

var _ statestore.Evicting = (*lru)(nil)
