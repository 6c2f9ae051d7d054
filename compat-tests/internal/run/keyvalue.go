package run

import (
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/statestore"
)

// wrongKind is what Java answers when a store is used as another kind.
func wrongKind(op string) error {
	return &value.Exception{Class: value.ClassCast, Message: "this kind of store has no " + op}
}

// timestamped is the store of a table, or another timestamped store.
type timestamped[V any] struct {
	statestore.TimestampedKeyValue[any, V]
}

func (timestamped[V]) kind() string { return "timestampedKeyValue" }

func (s timestamped[V]) all() ([]row, error) { return drain(s.All(), timedRow[V]) }

func (s timestamped[V]) get(key any) (row, bool, error) {
	v, ok, err := s.Get(key)
	return timedRow(key, v), ok, err
}

func (timestamped[V]) read(op string, _ []any) (row, bool, error) { return row{}, false, wrongKind(op) }

func (s timestamped[V]) scan(mode string, a arguments) ([]row, error) {
	return scanKeyValue(s, mode, a, timedRow[V])
}

// timed makes the value that is written. Null says that it is null and that the
// store's type cannot hold that.
func timed[V any](w write) (v statestore.Timed[V], null bool, err error) {
	if v.Timestamp, err = long(w.ts); err != nil {
		return v, false, err
	}
	if w.value == nil {
		return v, any(v.Value) != nil, nil
	}
	typed, ok := w.value.(V)
	if !ok {
		return v, false, &value.Exception{Class: value.ClassCast, Message: value.Str(w.value) + " is not of the store's type"}
	}
	v.Value = typed
	return v, false, nil
}

func (s timestamped[V]) put(w write) (any, bool, error) {
	v, null, err := timed[V](w)
	if err != nil {
		return nil, false, err
	}
	if null {
		return nil, false, remove(s.TimestampedKeyValue, w.key)
	}
	return nil, false, s.Put(w.key, v)
}

// remover is a store that deletes a key without reading it first.
type remover interface{ Remove(key any) error }

// remove writes a null.
func remove(s any, key any) error {
	if r, ok := s.(remover); ok {
		return r.Remove(key)
	}
	return wrongKind("remove")
}

func (s timestamped[V]) putIfAbsent(w write) (row, bool, error) {
	v, null, err := timed[V](w)
	if err != nil {
		return row{}, false, err
	}
	if null {
		return s.get(w.key)
	}
	old, ok, err := s.PutIfAbsent(w.key, v)
	return timedRow(w.key, old), ok, err
}

func (s timestamped[V]) delete(w write) (row, bool, error) {
	old, ok, err := s.Delete(w.key)
	return timedRow(w.key, old), ok, err
}

func timedRow[V any](key any, v statestore.Timed[V]) row {
	return row{key: key, value: v.Value, ts: &v.Timestamp}
}

// keyValue is a plain key-value store.
type keyValue struct{ statestore.KeyValue[any, any] }

func (keyValue) kind() string { return "keyValue" }

func (s keyValue) all() ([]row, error) { return drain(s.All(), plainRow) }

func (s keyValue) get(key any) (row, bool, error) {
	v, ok, err := s.Get(key)
	return plainRow(key, v), ok, err
}

func (keyValue) read(op string, _ []any) (row, bool, error) { return row{}, false, wrongKind(op) }

func (s keyValue) scan(mode string, a arguments) ([]row, error) {
	return scanKeyValue[any](s, mode, a, plainRow)
}

func (s keyValue) put(w write) (any, bool, error) { return nil, false, s.Put(w.key, w.value) }

func (s keyValue) putIfAbsent(w write) (row, bool, error) {
	old, ok, err := s.PutIfAbsent(w.key, w.value)
	return plainRow(w.key, old), ok, err
}

func (s keyValue) delete(w write) (row, bool, error) {
	old, ok, err := s.Delete(w.key)
	return plainRow(w.key, old), ok, err
}

func plainRow(key, v any) row { return row{key: key, value: v} }
