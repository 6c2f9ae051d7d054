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
	v := accessTo(s)
	if v == nil {
		return nil, &value.Exception{Class: value.ClassCast, Message: "store " + q.Store + " cannot be queried"}
	}
	a, err := scanArguments(&q.Scan, &expr.Env{})
	if err != nil {
		return nil, err
	}
	if q.Mode == "get" {
		return single(v.get(a["key"]))
	}
	found, err := v.scan(q.Mode, a)
	return rows(found), err
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

func scanArguments(s *scenario.Scan, env *expr.Env) (arguments, error) {
	return evaluate(env, map[string]*expr.Expr{
		"key": s.Key, "from": s.From, "to": s.To, "prefix": s.Prefix, "timeFrom": s.TimeFrom, "timeTo": s.TimeTo,
		"earliestEnd": s.EarliestEnd, "latestStart": s.LatestStart,
	})
}
