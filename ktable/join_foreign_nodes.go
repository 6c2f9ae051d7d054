package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// subscribe makes the nodes from the left table's updates to the lookup in the
// right table.
func (j *foreignJoin[K, L, F, R, O]) subscribe(g *dsl.Graph) (lookup *dsl.Node) {
	names := &j.names
	send := &ops.ForeignKeySend[K, L, F]{Extract: j.extract, Left: j.leftJoin, Topic: names.registration}
	sender := dsl.NewProcessor(names.send, dsl.Processor{New: send.New})
	sender.EnableVersioned = send.UseVersioned
	sender.Write = writeAfter(sender.Write, func() (err error) {
		if send.ForeignKey, err = dsl.Resolve(sender, dsl.KeySide, j.right.Key); err != nil {
			return err
		}
		send.Value, err = dsl.Resolve(sender, dsl.ValueSide, j.left.Value)
		return err
	})
	j.left.Below(sender)

	topic := &internalTopic[F, ops.Subscription[K]]{name: names.registration, key: j.right.Key,
		value: func(n *dsl.Node) (func() serde.Serde[ops.Subscription[K]], error) {
			key, err := dsl.Resolve(n, dsl.KeySide, j.left.Key)
			return func() serde.Serde[ops.Subscription[K]] { return ops.SubscriptionSerde(key) }, err
		},
		partitioner: onePartition[ops.Subscription[K]](dsl.PartitionerOf[F, struct{}](g, j.op, j.options.OtherPartitioner))}
	source := topic.nodes(g, names.sendSink, names.sendSource, sender)
	g.Copartition(dsl.Union(j.right.Sources, []string{source.Name}))

	receive := &ops.ForeignKeyReceive[F, K]{Keys: j.keys}
	receiver := dsl.NewProcessor(names.receive, dsl.Processor{New: receive.New, Stores: j.stores(func() *dsl.Node { return source })})
	g.Add(receiver, source)

	find := &ops.ForeignKeyLookup[F, K, R]{Right: j.right.Supplier.View()}
	lookup = dsl.NewProcessor(names.lookup, dsl.Processor{New: find.New, Connect: func() []string { return find.Right.Stores }})
	g.Add(lookup, receiver)
	return lookup
}

// update makes the node that takes the right table's updates.
func (j *foreignJoin[K, L, F, R, O]) update() *dsl.Node {
	plan := &ops.ForeignKeyUpdate[F, K, R]{Keys: j.keys}
	var n *dsl.Node
	n = dsl.NewProcessor(j.names.update, dsl.Processor{New: plan.New, Stores: j.stores(func() *dsl.Node { return n })})
	n.EnableVersioned = plan.UseVersioned
	j.right.Below(n)
	return n
}

// stores brings the store of subscriptions, one builder for both nodes that use
// it.
func (j *foreignJoin[K, L, F, R, O]) stores(node func() *dsl.Node) func() ([]statestore.Builder, error) {
	return func() (_ []statestore.Builder, err error) {
		n := node()
		if j.keys.Foreign, err = dsl.Resolve(n, dsl.KeySide, j.right.Key); err != nil {
			return nil, err
		}
		if j.keys.Primary, err = dsl.Resolve(n, dsl.KeySide, j.left.Key); err != nil {
			return nil, err
		}
		if j.builder == nil {
			j.builder = ops.SubscriptionStore(n, j.names.store)
		}
		return []statestore.Builder{j.builder}, nil
	}
}

// answer makes the nodes around the topic of answers.
func (j *foreignJoin[K, L, F, R, O]) answer(g *dsl.Graph, lookup, update *dsl.Node) (source *dsl.Node) {
	partitioner := onePartition[ops.Response[R]](dsl.PartitionerOf[K, struct{}](g, j.op, j.options.Partitioner))
	if partitioner == nil {
		partitioner = ops.RespondingTo[K, R]
	}
	topic := &internalTopic[K, ops.Response[R]]{name: j.names.response, key: j.left.Key, partitioner: partitioner,
		value: func(n *dsl.Node) (func() serde.Serde[ops.Response[R]], error) {
			value, err := dsl.Resolve(n, dsl.ValueSide, j.right.Value)
			return func() serde.Serde[ops.Response[R]] { return ops.ResponseSerde(value) }, err
		}}
	return topic.nodes(g, j.names.answerSink, j.names.answerSource, lookup, update)
}

// internalTopic is a topic between the two sides of a foreign-key join. Each
// unit gets a value serde of its own.
type internalTopic[K, V any] struct {
	name        string
	key         serde.Serde[K]
	value       func(*dsl.Node) (func() serde.Serde[V], error)
	partitioner processor.Partitioner[K, V]
}

// nodes makes the sink below the parents and the source below the sink.
func (t *internalTopic[K, V]) nodes(g *dsl.Graph, sink, source string, parents ...*dsl.Node) *dsl.Node {
	from := &dsl.Node{Name: sink}
	from.Write = func(topology *processor.Topology) error {
		key, value, err := t.serdes(from)
		if err != nil {
			return err
		}
		if err := topology.AddInternalTopic(processor.InternalTopic{Name: t.name}); err != nil {
			return err
		}
		return topology.AddSink(processor.SinkSpec{Name: sink, Parents: from.ParentNames(), Topic: t.name, New: func() processor.Unit {
			return dsl.NewSink(processor.SinkConfig[K, V]{Key: key, Value: value(), Topic: t.name, Partitioner: t.partitioner})()
		}})
	}
	g.Add(from, parents...)
	to := &dsl.Node{Name: source}
	to.Write = func(topology *processor.Topology) error {
		key, value, err := t.serdes(to)
		if err != nil {
			return err
		}
		return topology.AddSource(processor.SourceSpec{Name: source, Topics: []string{t.name}, New: func() processor.SourceUnit {
			return dsl.NewSourceUnit(key, value())()
		}})
	}
	g.Add(to, from)
	return to
}

func (t *internalTopic[K, V]) serdes(n *dsl.Node) (serde.Serde[K], func() serde.Serde[V], error) {
	key, err := dsl.Resolve(n, dsl.KeySide, t.key)
	if err != nil {
		return nil, nil, err
	}
	value, err := t.value(n)
	return key, value, err
}

// writeAfter resolves serdes before a node is written.
func writeAfter(write func(*processor.Topology) error, resolve func() error) func(*processor.Topology) error {
	return func(t *processor.Topology) error {
		if err := resolve(); err != nil {
			return err
		}
		return write(t)
	}
}

// onePartition is a user's partitioner of keys, which must choose one
// partition, for records with values; nil stays nil.
func onePartition[V, K any](p processor.Partitioner[K, struct{}]) processor.Partitioner[K, V] {
	if p == nil {
		return nil
	}
	return func(topic string, rec processor.Record[K, V], n int32) ([]int32, bool) {
		to, usual := p(topic, processor.Record[K, struct{}]{Key: rec.Key, KeyNull: rec.KeyNull, ValueNull: true,
			Timestamp: rec.Timestamp, Headers: rec.Headers}, n)
		if !usual && len(to) != 1 {
			panic(dsl.Errorf(dsl.KindArgument, "the partitioner of a foreign-key join chose %d partitions for topic %s, want one", len(to), topic))
		}
		return to, usual
	}
}
