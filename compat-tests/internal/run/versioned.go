package run

import (
	"math"

	"github.com/millrace/millrace/statestore"
)

// versioned is a versioned store.
type versioned[V any] struct{ statestore.Versioned[any, V] }

func (versioned[V]) kind() string { return "versioned" }

// all does not exist: the golden shows the history of probe keys instead.
func (versioned[V]) all() ([]row, error) { return nil, wrongKind("all") }

func (s versioned[V]) read(op string, args []any) (row, bool, error) {
	switch op {
	case "get":
		v, ok, err := s.Get(args[0])
		return versionRow(args[0], v), ok, err
	case "getAsOf":
		at, err := long(args[1])
		if err != nil {
			return row{}, false, err
		}
		v, ok, err := s.GetAsOf(args[0], at)
		return versionRow(args[0], v), ok, err
	}
	return row{}, false, wrongKind(op)
}

func versionRow[V any](key any, v statestore.Version[V]) row {
	e := row{key: key, value: v.Value, ts: &v.Timestamp}
	if v.ValidTo != statestore.ValidNow {
		e.validTo = &v.ValidTo
	}
	return e
}

func (versioned[V]) scan(mode string, _ arguments) ([]row, error) { return nil, wrongKind(mode) }

func (s versioned[V]) put(w write) (any, bool, error) {
	ts, err := long(w.ts)
	if err != nil {
		return nil, false, err
	}
	v, null, err := typed[V](w.value)
	if err != nil {
		return nil, false, err
	}
	var validTo int64
	if null {
		validTo, err = s.Remove(w.key, ts)
	} else {
		validTo, err = s.Put(w.key, v, ts)
	}
	return validTo, true, err
}

func (versioned[V]) putIfAbsent(write) (row, bool, error) {
	return row{}, false, wrongKind("putIfAbsent")
}

func (s versioned[V]) delete(w write) (row, bool, error) {
	ts, err := long(w.ts)
	if err != nil {
		return row{}, false, err
	}
	old, ok, err := s.Delete(w.key, ts)
	return versionRow(w.key, old), ok, err
}

// history is all versions of a key, newest first.
func (s versioned[V]) history(key any) ([]row, error) {
	var out []row
	for v, err := range s.History(key, 0, math.MaxInt64, true) {
		if err != nil {
			return nil, err
		}
		out = append(out, versionRow(key, v))
	}
	return out, nil
}
