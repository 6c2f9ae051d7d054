package run

import (
	"iter"

	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/statestore"
)

// wrongKind is what Java answers when a store is used as another kind.
func wrongKind(op string) error {
	return &value.Exception{Class: value.ClassCast, Message: "this kind of store has no " + op}
}

// keyValue is a key-value store of any format.
type keyValue[S any] struct {
	statestore.KeyValue[any, S]
	word   string
	format format[S]
}

func (s keyValue[S]) kind() string { return s.word }

func (s keyValue[S]) all() ([]row, error) { return drain(s.All(), s.format.row) }

func (s keyValue[S]) read(op string, args []any) (row, bool, error) {
	if op != "get" {
		return row{}, false, wrongKind(op)
	}
	v, ok, err := s.Get(args[0])
	return s.format.row(args[0], v), ok, err
}

func (s keyValue[S]) scan(mode string, a arguments) ([]row, error) {
	switch mode {
	case "all":
		return s.all()
	case "reverseAll":
		return drain(s.Backward(), s.format.row)
	case "range":
		return drain(s.Range(bounds(a)), s.format.row)
	case "reverseRange":
		return drain(s.Range(bounds(a).Reverse()), s.format.row)
	case "prefix":
		prefix, ok := a["prefix"].(string)
		if !ok {
			return nil, &value.Exception{Class: value.ClassCast, Message: "the prefix is no string"}
		}
		return drain(s.Prefix([]byte(prefix)), s.format.row)
	}
	return nil, wrongKind(mode)
}

// remover is a store that deletes a key without reading it first.
type remover interface{ Remove(key any) error }

func (s keyValue[S]) put(w write) (any, bool, error) {
	v, null, err := s.format.make(w)
	if err != nil || !null {
		if err == nil {
			err = s.Put(w.key, v)
		}
		return nil, false, err
	}
	r, ok := s.KeyValue.(remover)
	if !ok {
		return nil, false, wrongKind("remove")
	}
	return nil, false, r.Remove(w.key)
}

func (s keyValue[S]) putIfAbsent(w write) (row, bool, error) {
	v, null, err := s.format.make(w)
	if err != nil {
		return row{}, false, err
	}
	if null {
		return s.read("get", []any{w.key})
	}
	old, ok, err := s.PutIfAbsent(w.key, v)
	return s.format.row(w.key, old), ok, err
}

func (s keyValue[S]) delete(w write) (row, bool, error) {
	old, ok, err := s.Delete(w.key)
	return s.format.row(w.key, old), ok, err
}

func drain[K, S any](scan iter.Seq2[statestore.Entry[K, S], error], f func(any, S) row) ([]row, error) {
	var out []row
	for e, err := range scan {
		if err != nil {
			return nil, err
		}
		out = append(out, f(e.Key, e.Value))
	}
	return out, nil
}

// bounds are open where from or to are null.
func bounds(a arguments) statestore.Bounds[any] {
	from, to := a["from"], a["to"]
	switch {
	case from != nil && to != nil:
		return statestore.Between(from, to)
	case from != nil:
		return statestore.From(from)
	case to != nil:
		return statestore.To(to)
	}
	return statestore.Bounds[any]{}
}
