package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// GokaTable reads the table of a goka group (github.com/lovoo/goka) as a table:
// the topic <group>-table, whose keys are strings, whose values are what the
// group's codec wrote, and whose null values delete. with.ValueSerde must read
// what the codec wrote. Unless with.StartAt says otherwise it begins at the
// first record, whatever the application's default. goka may go on writing the
// topic.
//
// goka spreads keys by FNV-1a, Kafka's own clients by murmur2, and a join meets
// only what lies in partitions of the same number. So the records go through a
// repartition topic, <group>-table-repartition or what with.Name gives, after
// which the table can be joined with everything but sources that goka wrote.
// Those are brought over by Repartition. Where all inputs of a join are goka's
// and have the same number of partitions, [Table] over the topic saves the
// repartition topic.
func GokaTable[V any](b *Builder, group string, opts ...with.TableSource) ktable.Table[string, V] {
	const op = "GokaTable"
	topic := group + "-table"
	o := dsl.Collect(b.graph, op, opts, with.TableSource.ForTableSource)
	if group == "" {
		b.graph.Fail(op, dsl.Errorf(dsl.KindArgument, "the group has no name"))
	}
	source := dsl.Consumed[string, V](b.graph, op, o)
	source.Topics = []string{topic}
	if source.Reset.Policy == "" {
		source.Reset = processor.OffsetReset{Policy: "earliest"}
	}
	base := topic
	if o.Name != "" {
		source.Name, base = o.Name+"-source", o.Name
	}
	read := Stream[string, V]{dsl.NewSource(b.graph, source)}
	spread := read.Repartition(with.Name(base), with.Serdes(o.Key, o.Value))
	var store []with.Table
	for _, opt := range opts {
		if s, ok := opt.(with.Table); ok {
			store = append(store, s)
		}
	}
	return ToTable(spread, store...)
}
