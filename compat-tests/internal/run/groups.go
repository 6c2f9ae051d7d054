package run

import (
	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/with"
)

// groupedStream is the handle of a grouped stream in scenarios.
type groupedStream = kstream.Grouped[any, any]

func init() {
	register(map[string]opFunc{
		"groupByKey": op(buildGroupByKey),
		"groupBy":    op(buildGroupBy),
		"count":      op(buildCount),
		"reduce":     op(buildReduce),
		"aggregate":  op(buildAggregate),
	})
}

func groupOptions(g *scenario.Grouped) []with.Group {
	if g == nil {
		return nil
	}
	opts := []with.Group{serdes(g.Key, g.Value)}
	if g.Name != nil {
		opts = append(opts, with.Name(*g.Name))
	}
	return opts
}

func buildGroupByKey(p *program, s step, spec *scenario.GroupByKey) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	return in.GroupByKey(groupOptions(spec.Grouped)...), nil
}

func buildGroupBy(p *program, s step, spec *scenario.GroupBy) (any, error) {
	if in, ok := p.handles[spec.In].(table); ok {
		if spec.Value == nil {
			return nil, fault(s, `missing "value"`)
		}
		return ktable.GroupBy(in, p.pair(spec.Key, spec.Value), groupOptions(spec.Grouped)...), nil
	}
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	if spec.Value != nil {
		return nil, fault(s, `unknown member "value"`)
	}
	return kstream.GroupBy(in, p.ofBoth(spec.Key), groupOptions(spec.Grouped)...), nil
}

func buildCount(p *program, s step, spec *scenario.Count) (any, error) {
	opts, err := countOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, err
	}
	switch in := p.handles[spec.In].(type) {
	case groupedStream:
		return erasedTable(kstream.Count(in, opts...)), nil
	case groupedTable:
		return erasedTable(ktable.Count(in, opts...)), nil
	}
	return p.countWindowed(s, spec.In, opts)
}

func notAGrouping(p *program, s step, id string) error {
	if p.handles[id] == nil {
		return fault(s, "no step %q", id)
	}
	return fault(s, "step %q is a %T, not a grouping", id, p.handles[id])
}

// named makes Java's overload out of one with a name and no Materialized where
// Kafka has none: it gets one that says nothing.
func named(name *string, m *scenario.Materialized) *scenario.Materialized {
	if name != nil && m == nil {
		return &scenario.Materialized{}
	}
	return m
}

func buildReduce(p *program, s step, spec *scenario.Reduce) (any, error) {
	switch in := p.handles[spec.In].(type) {
	case groupedStream:
		opts, err := aggregationOptions(spec.Name, named(spec.Name, spec.Materialized))
		if err != nil {
			return nil, err
		}
		return erasedTable(kstream.Reduce(in, p.reducer(spec.Add), opts...)), nil
	case groupedTable:
		opts, err := aggregationOptions(spec.Name, named(spec.Name, spec.Materialized))
		if err != nil {
			return nil, err
		}
		if spec.Subtract == nil {
			return nil, fault(s, `missing "subtract"`)
		}
		return erasedTable(ktable.Reduce(in, p.reducer(spec.Add), p.reducer(spec.Subtract), opts...)), nil
	}
	return p.reduceWindowed(s, spec)
}

func (r *run) reducer(x *expr.Expr) func(agg, v any) any {
	return func(agg, v any) any { return r.eval(x, "agg", agg, "value", v) }
}

func (r *run) aggregator(x *expr.Expr) func(k, v, agg any) any {
	return func(k, v, agg any) any { return r.eval(x, "key", k, "value", v, "agg", agg) }
}

func buildAggregate(p *program, s step, spec *scenario.Aggregate) (any, error) {
	if t, is, err := p.aggregateMore(s, spec); is || err != nil {
		return t, err
	}
	if spec.Add == nil {
		return nil, fault(s, `missing "add"`)
	}
	init := func() any { return p.eval(spec.Init) }
	switch in := p.handles[spec.In].(type) {
	case groupedStream:
		opts, err := aggregationOptions(spec.Name, named(spec.Name, spec.Materialized))
		if err != nil {
			return nil, err
		}
		return erasedTable(kstream.Aggregate(in, init, p.aggregator(spec.Add), opts...)), nil
	case groupedTable:
		opts, err := aggregationOptions(spec.Name, spec.Materialized)
		if err != nil {
			return nil, err
		}
		if spec.Subtract == nil {
			return nil, fault(s, `missing "subtract"`)
		}
		return erasedTable(ktable.Aggregate(in, init, p.aggregator(spec.Add), p.aggregator(spec.Subtract), opts...)), nil
	}
	return nil, notAGrouping(p, s, spec.In)
}
