package run

import (
	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

func init() {
	register(map[string]opFunc{
		"joinTable":  op(buildJoinTable),
		"joinGlobal": op(buildJoinGlobal),
		"tableJoin":  op(buildTableJoin),
		"fkJoin":     op(buildFKJoin),
	})
}

// joiner is a function of both sides; a missing one is nil, which the language
// shows as null.
func (r *run) joiner(x *expr.Expr) func(left, right any) any {
	return func(left, right any) any { return r.eval(x, "left", left, "right", right) }
}

func (r *run) keyedJoiner(x *expr.Expr) func(key, left, right any) any {
	return func(key, left, right any) any { return r.eval(x, "key", key, "left", left, "right", right) }
}

func buildJoinTable(p *program, s step, spec *scenario.JoinTable) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	other, err := handle[table](p, s, spec.With)
	if err != nil {
		return nil, err
	}
	f, keyed, opts := p.joiner(spec.Joiner), p.keyedJoiner(spec.Joiner), joined(spec.Joined)
	switch {
	case spec.WithKey && spec.Type == "left":
		return kstream.LeftJoinTableWithKey(in, other, func(k, l, r any, _ bool) any { return keyed(k, l, r) }, opts...), nil
	case spec.WithKey:
		return kstream.JoinTableWithKey(in, other, keyed, opts...), nil
	case spec.Type == "left":
		return kstream.LeftJoinTable(in, other, func(l, r any, _ bool) any { return f(l, r) }, opts...), nil
	}
	return kstream.JoinTable(in, other, f, opts...), nil
}

func joined(j *scenario.Joined) []with.TableJoin {
	if j == nil {
		return nil
	}
	opts := []with.TableJoin{serdes(j.Key, j.Value), with.OtherValueSerde(serdeOrNil(j.OtherValue))}
	if j.Name != nil {
		opts = append(opts, with.Name(*j.Name))
	}
	if j.GraceMs != nil {
		opts = append(opts, with.TableGrace(milliseconds(*j.GraceMs)))
	}
	return opts
}

func buildJoinGlobal(p *program, s step, spec *scenario.JoinGlobal) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	other, err := handle[globalTable](p, s, spec.With)
	if err != nil {
		return nil, err
	}
	key := p.nullable(spec.Selector)
	f, keyed, opts := p.joiner(spec.Joiner), p.keyedJoiner(spec.Joiner), nodeOptions(spec.Name)
	switch {
	case spec.WithKey && spec.Type == "left":
		return kstream.LeftJoinGlobalWithKey(in, other, key, func(k, l, r any, _ bool) any { return keyed(k, l, r) }, opts...), nil
	case spec.WithKey:
		return kstream.JoinGlobalWithKey(in, other, key, keyed, opts...), nil
	case spec.Type == "left":
		return kstream.LeftJoinGlobal(in, other, key, func(l, r any, _ bool) any { return f(l, r) }, opts...), nil
	}
	return kstream.JoinGlobal(in, other, key, f, opts...), nil
}

// nullable is a function of key and value whose null is told by false.
func (r *run) nullable(x *expr.Expr) func(k, v any) (any, bool) {
	f := r.ofBoth(x)
	return func(k, v any) (any, bool) {
		out := f(k, v)
		return out, out != nil
	}
}

func buildTableJoin(p *program, s step, spec *scenario.TableJoin) (any, error) {
	in, err := handle[table](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	other, err := handle[table](p, s, spec.With)
	if err != nil {
		return nil, err
	}
	opts, err := tableOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, err
	}
	f := p.joiner(spec.Joiner)
	switch spec.Type {
	case "left":
		return ktable.LeftJoin(in, other, func(l, r any, _ bool) any { return f(l, r) }, opts...), nil
	case "outer":
		return ktable.OuterJoin(in, other, func(l any, _ bool, r any, _ bool) any { return f(l, r) }, opts...), nil
	}
	return ktable.Join(in, other, f, opts...), nil
}

func buildFKJoin(p *program, s step, spec *scenario.FKJoin) (any, error) {
	in, err := handle[table](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	other, err := handle[table](p, s, spec.With)
	if err != nil {
		return nil, err
	}
	store, err := storeOptions(spec.Materialized)
	if err != nil {
		return nil, err
	}
	opts := append(optionsFor[with.ForeignJoin](store), p.tableJoined(spec.TableJoined)...)
	key := p.nullable(spec.ForeignKey)
	if !spec.WithKey {
		ofValue := p.ofValue(spec.ForeignKey)
		key = func(_, v any) (any, bool) {
			out := ofValue(v)
			return out, out != nil
		}
	}
	f := p.joiner(spec.Joiner)
	if spec.Type == "left" {
		return ktable.LeftJoinForeign(in, other, key, func(l, r any, _ bool) any { return f(l, r) }, opts...), nil
	}
	return ktable.JoinForeign(in, other, key, f, opts...), nil
}

func (r *run) tableJoined(t *scenario.TableJoined) []with.ForeignJoin {
	if t == nil {
		return nil
	}
	var opts []with.ForeignJoin
	if t.Name != nil {
		opts = append(opts, with.Name(*t.Name))
	}
	if f := r.keyPartitioner(t.Partitioner); f != nil {
		opts = append(opts, with.Partitioner(f))
	}
	if f := r.keyPartitioner(t.OtherPartitioner); f != nil {
		opts = append(opts, with.OtherPartitioner(f))
	}
	return opts
}

// keyPartitioner is a partitioner to which no value is shown.
func (r *run) keyPartitioner(x *expr.Expr) processor.Partitioner[any, struct{}] {
	f := r.partitioner(x)
	if f == nil {
		return nil
	}
	return func(topic string, rec processor.Record[any, struct{}], n int32) ([]int32, bool) {
		return f(topic, processor.Record[any, any]{Key: rec.Key, KeyNull: rec.KeyNull, ValueNull: true,
			Timestamp: rec.Timestamp, Headers: rec.Headers}, n)
	}
}
