package run

import (
	"errors"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/golden"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// access is a store as scenarios use it; each kind of store has one.
type access interface {
	// kind is the word of the golden for the store.
	kind() string
	// all scans the store in the order of its own full scan.
	all() ([]row, error)
	// read reads one entry by an operator: get, getAsOf, fetch or fetchSession.
	read(op string, args []any) (row, bool, error)
	// scan runs a range read of the given mode.
	scan(mode string, a arguments) ([]row, error)
	// put writes; some kinds of stores answer.
	put(w write) (answer any, answers bool, err error)
	// putIfAbsent and delete give what was there before, if the kind knows.
	putIfAbsent(w write) (row, bool, error)
	delete(w write) (row, bool, error)
}

// historian is a store that knows all versions of a key.
type historian interface {
	history(key any) ([]row, error)
}

// arguments are the evaluated arguments of a read; those absent are missing.
type arguments map[string]any

// accessTo finds out what kind of store it is; nil for kinds that scenarios
// cannot use. Keys are erased in all stores of scenarios, values in all but
// those of counts.
func accessTo(s statestore.Store) access {
	switch s := s.(type) {
	case statestore.Versioned[any, any]:
		return versioned[any]{s}
	case statestore.Versioned[any, int64]:
		return versioned[int64]{s}
	case statestore.HeadersKeyValue[any, any]:
		return keyValue[statestore.TimedHeaders[any]]{s, "timestampedKeyValueWithHeaders", headersFormat[any]()}
	case statestore.HeadersKeyValue[any, int64]:
		return keyValue[statestore.TimedHeaders[int64]]{s, "timestampedKeyValueWithHeaders", headersFormat[int64]()}
	case statestore.TimestampedKeyValue[any, any]:
		return keyValue[statestore.Timed[any]]{s, "timestampedKeyValue", timedFormat[any]()}
	case statestore.TimestampedKeyValue[any, int64]:
		return keyValue[statestore.Timed[int64]]{s, "timestampedKeyValue", timedFormat[int64]()}
	case statestore.KeyValue[any, any]:
		return keyValue[any]{s, "keyValue", plainFormat[any]()}
	case ops.UnmatchedStore[any]:
		return unmatched{s}
	case statestore.HeadersKeyValue[[]byte, ops.SubscriptionRow]:
		return subscriptions{s}
	}
	return windowedAccess(s)
}

func windowedAccess(s statestore.Store) access {
	switch s := s.(type) {
	case statestore.HeadersWindow[any, any]:
		return windowStore[statestore.TimedHeaders[any]]{s, "timestampedWindowWithHeaders", headersFormat[any]()}
	case statestore.HeadersWindow[any, int64]:
		return windowStore[statestore.TimedHeaders[int64]]{s, "timestampedWindowWithHeaders", headersFormat[int64]()}
	case statestore.TimestampedWindow[any, any]:
		return windowStore[statestore.Timed[any]]{s, "timestampedWindow", timedFormat[any]()}
	case statestore.TimestampedWindow[any, int64]:
		return windowStore[statestore.Timed[int64]]{s, "timestampedWindow", timedFormat[int64]()}
	case statestore.Window[any, any]:
		return windowStore[any]{s, "window", plainFormat[any]()}
	case statestore.HeadersSession[any, any]:
		return sessionStore[statestore.WithHeaders[any]]{s, "sessionWithHeaders", aggregateFormat[any]()}
	case statestore.HeadersSession[any, int64]:
		return sessionStore[statestore.WithHeaders[int64]]{s, "sessionWithHeaders", aggregateFormat[int64]()}
	case statestore.Session[any, any]:
		return sessionStore[any]{s, "session", plainFormat[any]()}
	case statestore.Session[any, int64]:
		return sessionStore[int64]{s, "session", plainFormat[int64]()}
	}
	return nil
}

// stores shows the content of all stores.
func (r *run) stores(t *processor.Topology) (map[string]*tree.Object, error) {
	out := map[string]*tree.Object{}
	for _, name := range storeNames(t) {
		s, ok := r.driver.Store(name)
		if !ok { // it is connected to no processor
			out[name] = tree.NewObject("type", "absent")
			continue
		}
		var err error
		if out[name], err = r.dump(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func storeNames(t *processor.Topology) []string {
	var names []string
	for _, b := range t.Stores() {
		names = append(names, b.Name())
	}
	for _, g := range t.GlobalStores() {
		names = append(names, g.Store.Name())
	}
	return names
}

func (r *run) dump(s statestore.Store) (*tree.Object, error) {
	a := accessTo(s)
	if a == nil {
		return tree.NewObject("type", "other", "persistent", s.Persistent()), nil
	}
	o := tree.NewObject("type", a.kind(), "persistent", s.Persistent())
	if v, ok := a.(historian); ok {
		history, err := r.history(v)
		o.Set("history", history)
		return o, err
	}
	all, err := a.all()
	if errors.Is(err, window.ErrBounds) {
		// A window store of size zero cannot name its windows.
		o.Set("unreadable", illegalArgument)
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	o.Set("entries", rows(all))
	return o, nil
}

// history shows the versions of the probe keys. A key of another type than the
// store's has none.
func (r *run) history(s historian) (*tree.Object, error) {
	byKey := map[string][]any{}
	for _, x := range r.scenario.VersionedKeys {
		key, err := x.Eval(&expr.Env{})
		if err != nil {
			return nil, err
		}
		if l, err := s.history(key); err == nil && len(l) > 0 {
			versions := []any{}
			for _, e := range l {
				o := tree.NewObject()
				e.describe(o)
				versions = append(versions, o)
			}
			byKey[value.Str(key)] = versions
		}
	}
	return golden.Sorted(byKey, func(l []any) any { return l }), nil
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

func scanArguments(s *scenario.Scan, env *expr.Env) (arguments, error) {
	return evaluate(env, map[string]*expr.Expr{
		"key": s.Key, "from": s.From, "to": s.To, "prefix": s.Prefix, "timeFrom": s.TimeFrom, "timeTo": s.TimeTo,
		"earliestEnd": s.EarliestEnd, "latestStart": s.LatestStart,
	})
}
