package with

import "github.com/millrace/millrace/internal/dsl"

// Serdes sets the serdes of key and value: a serde.Serde of the operator's key
// and value type. nil leaves a side to what the operator inherits or finds in
// the registry. What the serdes are for depends on the operator: the topic of a
// source, sink or repartition, the store of an aggregation or table.
func Serdes(key, value any) SerdeOption {
	return SerdeOption{func(to *dsl.Options) { to.Key, to.Value = key, value }}
}

// KeySerde sets the serde of the key only.
func KeySerde(key any) SerdeOption { return SerdeOption{func(to *dsl.Options) { to.Key = key }} }

// ValueSerde sets the serde of the value only; for joins that of the left side.
func ValueSerde(value any) SerdeOption {
	return SerdeOption{func(to *dsl.Options) { to.Value = value }}
}

// SerdeOption is an option made by [Serdes], [KeySerde] or [ValueSerde].
type SerdeOption struct{ set func(*dsl.Options) }

func (o SerdeOption) materialize(to *dsl.Options) {
	o.set(to)
	to.Materialized = true
}

// ForSource implements [Source].
func (o SerdeOption) ForSource(to *dsl.Options) { o.set(to) }

// ForTableSource implements [TableSource]. For tables the serdes belong to the
// topic and to the store.
func (o SerdeOption) ForTableSource(to *dsl.Options) { o.set(to) }

// ForSink implements [Sink].
func (o SerdeOption) ForSink(to *dsl.Options) { o.set(to) }

// ForGroup implements [Group].
func (o SerdeOption) ForGroup(to *dsl.Options) { o.set(to) }

// ForAggregation implements [Aggregation].
func (o SerdeOption) ForAggregation(to *dsl.Options) { o.materialize(to) }

// ForTable implements [Table].
func (o SerdeOption) ForTable(to *dsl.Options) { o.materialize(to) }

// ForRepartition implements [Repartition].
func (o SerdeOption) ForRepartition(to *dsl.Options) { o.set(to) }

// ForJoin implements [Join].
func (o SerdeOption) ForJoin(to *dsl.Options) { o.set(to) }

// ForTableJoin implements [TableJoin].
func (o SerdeOption) ForTableJoin(to *dsl.Options) { o.set(to) }

// ForForeignJoin implements [ForeignJoin].
func (o SerdeOption) ForForeignJoin(to *dsl.Options) { o.materialize(to) }

// OtherValueSerde sets the serde of the right side's values in a join (Java:
// withOtherValueSerde).
func OtherValueSerde(value any) OtherOption {
	return OtherOption{func(to *dsl.Options) { to.Other = value }}
}

// OtherOption is an option about the right side of a join.
type OtherOption struct{ set func(*dsl.Options) }

// ForJoin implements [Join].
func (o OtherOption) ForJoin(to *dsl.Options) { o.set(to) }

// ForTableJoin implements [TableJoin].
func (o OtherOption) ForTableJoin(to *dsl.Options) { o.set(to) }
