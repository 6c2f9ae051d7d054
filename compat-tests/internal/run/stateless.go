package run

import (
	"iter"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/with"
)

func init() {
	register(map[string]opFunc{
		"filter":        op(buildFilter),
		"filterNot":     op(buildFilter),
		"mapValues":     op(buildMapValues),
		"map":           op(buildMap),
		"selectKey":     op(buildSelectKey),
		"flatMap":       op(buildFlatMap),
		"flatMapValues": op(buildFlatMapValues),
		"peek":          op(buildPeek),
		"foreach":       op(buildPeek),
		"print":         op(buildPrint),
		"merge":         op(buildMerge),
		"repartition":   op(buildRepartition),
		"to":            op(buildTo),
	})
}

func buildFilter(p *program, s step, spec *scenario.Filter) (any, error) {
	if t, ok := p.handles[spec.In].(table); ok {
		return p.filterTable(s, t, spec)
	}
	f, opts := p.predicate(spec.Predicate), nodeOptions(spec.Name)
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	if s.Op == "filterNot" {
		return in.FilterNot(f, opts...), tablesOnly(s, spec.Materialized)
	}
	return in.Filter(f, opts...), tablesOnly(s, spec.Materialized)
}

func buildMapValues(p *program, s step, spec *scenario.MapValues) (any, error) {
	if t, ok := p.handles[spec.In].(table); ok {
		return p.mapTableValues(t, spec)
	}
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	opts := nodeOptions(spec.Name)
	if spec.WithKey {
		return kstream.MapValuesWithKey(in, p.ofBoth(spec.Value), opts...), tablesOnly(s, spec.Materialized)
	}
	return kstream.MapValues(in, p.ofValue(spec.Value), opts...), tablesOnly(s, spec.Materialized)
}

func buildMap(p *program, s step, spec *scenario.Map) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	return kstream.Map(in, p.pair(spec.Key, spec.Value), nodeOptions(spec.Name)...), nil
}

func buildSelectKey(p *program, s step, spec *scenario.SelectKey) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	return kstream.SelectKey(in, p.ofBoth(spec.Key), nodeOptions(spec.Name)...), nil
}

func buildFlatMap(p *program, s step, spec *scenario.FlatMap) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	// Java's list exists before its first element is sent on.
	f := func(k, v any) iter.Seq2[any, any] {
		items, null := p.list(p.eval(spec.List, "key", k, "value", v))
		if null {
			return nil
		}
		keys, values := make([]any, len(items)), make([]any, len(items))
		for i, item := range items {
			keys[i] = p.eval(spec.Key, "key", k, "value", v, "item", item)
			values[i] = p.eval(spec.Value, "key", k, "value", v, "item", item)
		}
		return func(yield func(any, any) bool) {
			for i := range keys {
				if !yield(keys[i], values[i]) {
					return
				}
			}
		}
	}
	return kstream.FlatMap(in, f, nodeOptions(spec.Name)...), nil
}

func buildFlatMapValues(p *program, s step, spec *scenario.FlatMapValues) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	opts := nodeOptions(spec.Name)
	if spec.WithKey {
		return kstream.FlatMapValuesWithKey(in, func(k, v any) []any {
			return p.flat(p.eval(spec.List, "key", k, "value", v))
		}, opts...), nil
	}
	return kstream.FlatMapValues(in, func(v any) []any { return p.flat(p.eval(spec.List, "value", v)) }, opts...), nil
}

// flat gives the elements of a list; Java cannot walk over null.
func (r *run) flat(v any) []any {
	l, null := r.list(v)
	if null {
		r.raise(&value.Exception{Class: value.ClassNullPointer, Message: "the list is null"})
	}
	return l
}

func buildPeek(p *program, s step, spec *scenario.Peek) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	f := func(k, v any) { p.effect("id", s.ID, "k", value.Text(k), "v", value.Text(v)) }
	if s.Op == "foreach" {
		in.ForEach(f, nodeOptions(spec.Name)...)
		return nil, nil
	}
	return in.Peek(f, nodeOptions(spec.Name)...), nil
}

// printedStep is what a print step has written.
type printedStep struct {
	id   string
	text *strings.Builder
}

func buildPrint(p *program, s step, spec *scenario.Print) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	var opts []with.Print
	if spec.Label != nil {
		opts = append(opts, with.Label(*spec.Label))
	}
	if spec.Mapper != nil {
		opts = append(opts, with.Format(func(k, v any) string { return value.Str(p.eval(spec.Mapper, "key", k, "value", v)) }))
	}
	if spec.Name != nil {
		opts = append(opts, with.Name(*spec.Name))
	}
	out := printedStep{id: s.ID, text: &strings.Builder{}}
	p.printed = append(p.printed, out)
	in.Print(out.text, opts...)
	return nil, nil
}

func buildMerge(p *program, s step, spec *scenario.Merge) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	other, err := handle[stream](p, s, spec.With)
	if err != nil {
		return nil, err
	}
	return in.Merge(other, nodeOptions(spec.Name)...), nil
}

func buildRepartition(p *program, s step, spec *scenario.Repartition) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	return in.Repartition(p.repartitionOptions(spec.Repartitioned)...), nil
}

func buildTo(p *program, s step, spec *scenario.To) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	if spec.TopicExpr != nil {
		in.ToFunc(p.topicFunc(spec.TopicExpr), append(p.sinkOptions(spec.Produced), with.TopicText("topicExpr"))...)
		return nil, nil
	}
	in.To(spec.Topic, p.sinkOptions(spec.Produced)...)
	return nil, nil
}
