package ktable

import (
	"errors"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// FromTopic reads a topic as a table; it is what kstream.Table does with its
// builder's graph. The store has the name of with.Store or one generated from
// the topic's; it exists only if it was named or an operator needs it.
func FromTopic[K, V any](g *dsl.Graph, op, topic string, opts []with.TableSource) Table[K, V] {
	s := newSource[K, V](g, op, topic, opts)
	plan := ops.NewTableSource[K, V](s.store.Name, s.store.Queryable)
	n := &dsl.Node{Name: s.node, Table: &dsl.TableSource{Topic: topic}, Output: ops.Output(s.store)}
	n.Write = func(t *processor.Topology) error {
		spec, err := s.consume.Spec(n, s.source)
		if err != nil {
			return err
		}
		if err := t.AddSource(spec); err != nil {
			return err
		}
		p := ops.TableProcessor(func() *dsl.Node { return n }, plan, s.store)
		if err := n.WriteProcessor(t, s.node, []string{s.source}, p); err != nil {
			return err
		}
		if plan.Materialized() && n.Table.Reuse {
			return t.UseTopicAsChangelog(s.store.Name, topic)
		}
		return nil
	}
	g.Add(n)
	return Table[K, V]{&dsl.Table[K, V]{
		Base: dsl.Base{Graph: g, Node: n, Name: s.node, Sources: []string{s.source}},
		Key:  s.consume.Key, Value: s.consume.Value, Store: s.store.QueryableName(), Supplier: plan}}
}

// source is what table sources and global tables have in common.
type source[K, V any] struct {
	consume dsl.Consume[K, V]
	store   *dsl.Materialized[K, V]
	// source and node are the names of the two physical nodes.
	source, node string
	options      *dsl.Options
}

// newSource burns the names in Java's order: store, source, table.
func newSource[K, V any](g *dsl.Graph, op, topic string, opts []with.TableSource) source[K, V] {
	o := dsl.Collect(g, op, opts, with.TableSource.ForTableSource)
	if topic == "" {
		g.Fail(op, errors.New("the topic has no name"))
	}
	s := source[K, V]{consume: dsl.Consumed[K, V](g, op, o), options: o}
	s.consume.Topics = []string{topic}
	s.store = dsl.Materialize[K, V](g, op, o, topic+"-")
	s.source = g.NameWithSuffix(dsl.PrefixSource, o.Name, "-source")
	s.node = g.Name(dsl.PrefixTableSource, o.Name)
	return s
}
