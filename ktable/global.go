package ktable

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Global is a table of which every instance of the application holds all rows
// (Java: GlobalKTable). Streams are joined with it by kstream.JoinGlobal.
type Global[K, V any] struct{ core *GlobalCore[K, V] }

// GlobalCore is what a [Global] stands for, for the other packages of the DSL.
type GlobalCore[K, V any] struct {
	Graph *dsl.Graph
	// Store is the queryable store's name, View reads its rows.
	Store string
	View  dsl.View[K, V]
}

// OfGlobal returns the core of a global table for an operator.
func OfGlobal[K, V any](t Global[K, V], op string, _ dsl.Erased) *GlobalCore[K, V] { return t.use(op) }

// StoreName is the name under which the table can be queried (Java:
// queryableStoreName). Global tables always have a store.
func (t Global[K, V]) StoreName() string { return t.use("StoreName").Store }

func (t Global[K, V]) use(op string) *GlobalCore[K, V] {
	if t.core == nil {
		panic(fmt.Sprintf("%s: ktable.%s on the zero Global[%T, %T]: global tables come from kstream.GlobalTable",
			dsl.Caller(), op, *new(K), *new(V)))
	}
	return t.core
}

// GlobalFromTopic reads all partitions of a topic as a table; it is what
// kstream.GlobalTable does with its builder's graph. The store is never logged:
// the topic is its changelog. As in Java, options about the store without a name
// for it are refused.
func GlobalFromTopic[K, V any](g *dsl.Graph, op, topic string, opts []with.TableSource) Global[K, V] {
	s := newSource[K, V](g, op, topic, opts)
	s.store.Logged = false
	if ops.Output(s.store) == dsl.Versioned {
		g.Fail(op, dsl.Topologyf("GlobalTables cannot be versioned."))
	}
	queryable := s.store.Queryable || !s.options.Materialized
	plan := ops.NewTableSource[K, V](s.store.Name, true)
	n := &dsl.Node{Name: s.node}
	n.Write = func(t *processor.Topology) error {
		spec := processor.GlobalSpec{RawRestore: true, Processor: processor.ProcessorSpec{Name: s.node, New: plan.New}}
		var err error
		if spec.Source, err = s.consume.Spec(n, s.source); err != nil {
			return err
		}
		if queryable {
			if spec.Store, err = ops.StoreBuilder(n, s.store); err != nil {
				return err
			}
		}
		return t.AddGlobalStore(spec)
	}
	g.Add(n)
	core := &GlobalCore[K, V]{Graph: g, View: ops.StoreView[K, V](s.store.Name)}
	if queryable {
		core.Store = s.store.Name
	}
	return Global[K, V]{core}
}
