package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/with"
)

// The handles of tables in scenarios: all types are erased.
type (
	table        = ktable.Table[any, any]
	globalTable  = ktable.Global[any, any]
	groupedTable = ktable.Grouped[any, any]
)

func init() {
	register(map[string]opFunc{
		"table":       op(buildTable),
		"globalTable": op(buildTable),
		"toTable":     op(buildToTable),
		"toStream":    op(buildToStream),
	})
}

func buildTable(p *program, s step, spec *scenario.Table) (any, error) {
	var opts []with.TableSource
	if c := spec.Consumed; c != nil {
		opts = append(opts, serdes(c.Key, c.Value))
		if c.Name != nil {
			opts = append(opts, with.Name(*c.Name))
		}
		reading, err := p.readOptions(c)
		if err != nil {
			return nil, err
		}
		for _, o := range reading {
			opts = append(opts, o)
		}
	}
	store, err := storeOptions(spec.Materialized)
	if err != nil {
		return nil, err
	}
	opts = append(opts, optionsFor[with.TableSource](store)...)
	if s.Op == "globalTable" {
		return kstream.GlobalTable[any, any](p.builder, spec.Topic, opts...), nil
	}
	return kstream.Table[any, any](p.builder, spec.Topic, opts...), nil
}

func buildToTable(p *program, s step, spec *scenario.ToTable) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	opts, err := tableOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, err
	}
	return kstream.ToTable(in, opts...), nil
}

func buildToStream(p *program, s step, spec *scenario.ToStream) (any, error) {
	in, err := handle[table](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	out := kstream.FromTable(in, nodeOptions(spec.Name)...)
	if spec.Key == nil {
		return out, nil
	}
	return kstream.SelectKey(out, p.ofBoth(spec.Key)), nil
}

func tableOptions(name *string, m *scenario.Materialized) ([]with.Table, error) {
	store, err := storeOptions(m)
	if err != nil {
		return nil, err
	}
	opts := optionsFor[with.Table](store)
	if name != nil {
		opts = append(opts, with.Name(*name))
	}
	return opts, nil
}

func (p *program) filterTable(s step, in table, spec *scenario.Filter) (any, error) {
	opts, err := tableOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, err
	}
	if s.Op == "filterNot" {
		return in.FilterNot(p.predicate(spec.Predicate), opts...), nil
	}
	return in.Filter(p.predicate(spec.Predicate), opts...), nil
}

func (p *program) mapTableValues(in table, spec *scenario.MapValues) (any, error) {
	opts, err := tableOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, err
	}
	if spec.WithKey {
		return ktable.MapValuesWithKey(in, p.ofBoth(spec.Value), opts...), nil
	}
	return ktable.MapValues(in, p.ofValue(spec.Value), opts...), nil
}

// erasedTable gives a table whose types an operator has fixed the types of all
// scenario tables.
func erasedTable[K, V any](t ktable.Table[K, V]) table {
	return ktable.Retype[any, any](t, dsl.Erased{})
}
