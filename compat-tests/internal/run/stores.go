package run

import (
	"iter"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// access is a store as scenarios use it; each kind of store has one.
type access interface {
	// kind is the word of the golden for the store.
	kind() string
	// all scans the store in the order of its own full scan.
	all() ([]row, error)
	// get reads one key.
	get(key any) (row, bool, error)
	// read runs another read of one entry, by the operator's name.
	read(op string, args []any) (row, bool, error)
	// scan runs a range read of the given mode.
	scan(mode string, a arguments) ([]row, error)
	// put writes; some kinds of stores answer.
	put(w write) (answer any, answers bool, err error)
	// putIfAbsent and delete give what was there before.
	putIfAbsent(w write) (row, bool, error)
	delete(w write) (row, bool, error)
}

// row is one entry of a store. The timestamp is nil where the store has none.
type row struct {
	key, value any
	ts         *int64
}

// tree gives an entry; a windowed key shows its bounds.
func (e row) tree() *tree.Object {
	o := tree.NewObject()
	if w, ok := e.key.(value.Windowed); ok {
		o.Set("k", value.Text(w.Key))
		o.Set("start", w.Start)
		o.Set("end", w.End)
	} else {
		o.Set("k", value.Text(e.key))
	}
	e.describe(o)
	return o
}

// describe adds what an entry shows of its value.
func (e row) describe(o *tree.Object) {
	o.Set("v", value.Text(e.value))
	if e.ts != nil {
		o.Set("ts", *e.ts)
	}
}

func rows(l []row) []any {
	out := []any{}
	for _, e := range l {
		out = append(out, e.tree())
	}
	return out
}

// arguments are the evaluated arguments of a read; absent expressions are nil.
type arguments map[string]any

// accessTo finds out what kind of store it is; nil for kinds whose content is
// not shown. Keys are erased in all stores of scenarios, values in all but those
// of counts.
func accessTo(s statestore.Store) access {
	switch s := s.(type) {
	case statestore.TimestampedKeyValue[any, any]:
		return timestamped[any]{s}
	case statestore.TimestampedKeyValue[any, int64]:
		return timestamped[int64]{s}
	case statestore.KeyValue[any, any]:
		return keyValue{s}
	}
	return nil
}

// stores shows the content of all stores.
func (r *run) stores(t *processor.Topology) (map[string]*tree.Object, error) {
	out := map[string]*tree.Object{}
	for _, sub := range t.Subtopologies() {
		for _, name := range sub.Stores {
			s, ok := r.driver.Store(name)
			if !ok {
				out[name] = tree.NewObject("type", "absent")
				continue
			}
			o, err := dump(s)
			if err != nil {
				return nil, err
			}
			out[name] = o
		}
	}
	return out, nil
}

func dump(s statestore.Store) (*tree.Object, error) {
	v := accessTo(s)
	if v == nil {
		return tree.NewObject("type", "other", "persistent", s.Persistent()), nil
	}
	o := tree.NewObject("type", v.kind(), "persistent", s.Persistent())
	all, err := v.all()
	if err != nil {
		return nil, err
	}
	o.Set("entries", rows(all))
	return o, nil
}

func drain[V any](scan iter.Seq2[statestore.Entry[any, V], error], f func(any, V) row) ([]row, error) {
	var out []row
	for e, err := range scan {
		if err != nil {
			return nil, err
		}
		out = append(out, f(e.Key, e.Value))
	}
	return out, nil
}

func scanKeyValue[V any](s statestore.ReadOnlyKeyValue[any, V], mode string, a arguments, f func(any, V) row) ([]row, error) {
	switch mode {
	case "all":
		return drain(s.All(), f)
	case "reverseAll":
		return drain(s.Backward(), f)
	case "range":
		return drain(s.Range(bounds(a["from"], a["to"])), f)
	case "reverseRange":
		return drain(s.Range(bounds(a["from"], a["to"]).Reverse()), f)
	case "prefix":
		prefix, ok := a["prefix"].(string)
		if !ok {
			return nil, &value.Exception{Class: value.ClassCast, Message: "the prefix is no string"}
		}
		return drain(s.Prefix([]byte(prefix)), f)
	}
	return nil, &value.Exception{Class: value.ClassCast, Message: "a key-value store has no " + mode}
}

// bounds are open where they are null.
func bounds(from, to any) statestore.Bounds[any] {
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

// evaluate computes the arguments that are there.
func evaluate(env *expr.Env, expressions map[string]*expr.Expr) (arguments, error) {
	a := arguments{}
	for name, x := range expressions {
		if x == nil {
			continue
		}
		v, err := x.Eval(env)
		if err != nil {
			return nil, err
		}
		a[name] = v
	}
	return a, nil
}
