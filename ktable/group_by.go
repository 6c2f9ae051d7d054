package ktable

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// Grouped is a table whose rows have got new keys to be aggregated by (Java:
// KGroupedTable). An aggregation sends them through a repartition topic.
type Grouped[K, V any] struct{ core *grouped[K, V] }

type grouped[K, V any] struct {
	dsl.Base
	// name is the user's name of the repartition topic.
	name  string
	key   serde.Serde[K]
	value serde.Serde[V]
	// repartition is the node a named grouping's first aggregation made; the
	// later ones share it.
	repartition *dsl.Node
}

// GroupBy gives each row a new key and a new value. When a row changes, it is
// taken out of the aggregate of its old key and put into that of its new one. A
// row whose new key or value is null takes no part.
//
// The serdes of the repartition topic are those given here or the registered
// ones; with.Name names the node and the topic.
func GroupBy[K2, V2, K, V any](t Table[K, V], f func(K, V) (K2, V2), opts ...with.Group) Grouped[K2, V2] {
	const op = "GroupBy"
	c := t.use(op)
	g := c.Graph
	need(g, op, f == nil)
	o := dsl.Collect(g, op, opts, with.Group.ForGroup)
	plan := ops.NewTableSelect(f)
	n := dsl.NewProcessor(g.Name(dsl.PrefixTableSelect, o.Name), dsl.Processor{New: plan.New})
	n.EnableVersioned = func(string) { plan.UseVersioned(true) }
	c.Below(n)
	c.EnableOldValues(true)
	return Grouped[K2, V2]{&grouped[K2, V2]{
		Base: dsl.Base{Graph: g, Node: n, Name: n.Name, Sources: c.Sources}, name: o.Name,
		key: dsl.SerdeOf[K2](g, op, dsl.KeySide, o.Key), value: dsl.SerdeOf[V2](g, op, dsl.ValueSide, o.Value)}}
}

func (g Grouped[K, V]) use(op string) *grouped[K, V] {
	if g.core == nil {
		panic(fmt.Sprintf("%s: ktable.%s on the zero Grouped[%T, %T]: groupings come from ktable.GroupBy",
			dsl.Caller(), op, *new(K), *new(V)))
	}
	return g.core
}

// newRepartition makes the node around the repartition topic of a grouped
// table (Java: GroupedTableOperationRepartitionNode). It has no filter, since
// null keys do not come here.
func (g *grouped[K, V]) newRepartition(topic, sink, source string) *dsl.Node {
	n := &dsl.Node{Name: source, Repartition: &dsl.Repartition{Topic: topic, Sink: sink, Source: source}}
	n.Write = func(t *processor.Topology) error {
		key, err := dsl.Resolve(n, dsl.KeySide, g.key)
		if err != nil {
			return err
		}
		inner, err := dsl.Resolve(n, dsl.ValueSide, g.value)
		if err != nil {
			return err
		}
		var value serde.Serde[processor.Change[V]] = ops.ChangeSerde(inner)
		if err := t.AddInternalTopic(processor.InternalTopic{Name: topic}); err != nil {
			return err
		}
		if err := t.AddSink(processor.SinkSpec{Name: sink, Parents: n.ParentNames(), Topic: topic,
			New: dsl.NewSink(processor.SinkConfig[K, processor.Change[V]]{Key: key, Value: value, Topic: topic})}); err != nil {
			return err
		}
		return t.AddSource(processor.SourceSpec{Name: source, Topics: []string{topic}, Extractor: processor.FailOnInvalidTimestamp,
			New: dsl.NewSourceUnit(key, value)})
	}
	return n
}
