package run

import (
	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
)

// query answers a query input step.
func (r *run) query(q *scenario.Query) (any, error) {
	s, ok := r.driver.Store(q.Store)
	if !ok {
		return nil, &value.Fault{Message: "query: no such store: " + q.Store}
	}
	a := accessTo(s)
	if a == nil {
		return nil, wrongKind(q.Mode)
	}
	args, err := scanArguments(&q.Scan, &expr.Env{})
	if err != nil {
		return nil, err
	}
	key := args["key"]
	switch q.Mode {
	case "get":
		return single(a.read("get", []any{key}))
	case "getAsOf":
		return single(a.read("getAsOf", []any{key, optionalLong(q.AsOf)}))
	case "fetchAt":
		return single(a.read("fetch", []any{key, optionalLong(q.Time)}))
	case "fetchSession":
		return single(a.read("fetchSession", []any{key, optionalLong(q.Start), optionalLong(q.End)}))
	}
	found, err := a.scan(q.Mode, args)
	return rows(found), err
}

// optionalLong is a member of a query as a value, null when absent.
func optionalLong(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}

// single is the answer of a read of one key: zero or one entry, without it.
func single(e row, ok bool, err error) (any, error) {
	if err != nil || !ok {
		return []any{}, err
	}
	o := tree.NewObject()
	e.describe(o)
	return []any{o}, nil
}
