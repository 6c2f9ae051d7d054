package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// JoinForeign joins each row of the left table with the row of the right table
// that it refers to (Java: KTable.join with a foreign-key extractor). key finds
// the foreign key of a left row; false is null, for which the row has no result
// and is counted as dropped. Updates of both tables give results: one for the
// left row, or one for each left row that refers to the right one. The result
// has the left table's keys.
//
// Left rows subscribe to right ones through a topic of their own and get answers
// through another, so the topics of the two tables need not have the same
// number of partitions. The serdes are those that the tables carry or the
// registered ones; those of the options are the result's. An answer is told to
// be the current left row's by a hash of the row's bytes: the value serde must
// write equal bytes for equal values.
func JoinForeign[K, L, F, R, O any](left Table[K, L], right Table[F, R], key func(K, L) (F, bool), f func(L, R) O, opts ...with.ForeignJoin) Table[K, O] {
	const op = "JoinForeign"
	need(left.use(op).Graph, op, key == nil || f == nil)
	return joinForeign(left, right, op, &foreignJoin[K, L, F, R, O]{extract: key,
		join: func(l L, r R, _ bool) O { return f(l, r) }}, opts)
}

// LeftJoinForeign is [JoinForeign] where every left row has a result: f gets the
// zero R and false where it has no foreign key or the right table no row (Java:
// KTable.leftJoin with a foreign-key extractor).
func LeftJoinForeign[K, L, F, R, O any](left Table[K, L], right Table[F, R], key func(K, L) (F, bool), f func(L, R, bool) O, opts ...with.ForeignJoin) Table[K, O] {
	const op = "LeftJoinForeign"
	need(left.use(op).Graph, op, key == nil || f == nil)
	return joinForeign(left, right, op, &foreignJoin[K, L, F, R, O]{extract: key, join: f, leftJoin: true}, opts)
}

// foreignJoin is a foreign-key join while it is declared.
type foreignJoin[K, L, F, R, O any] struct {
	left     *dsl.Table[K, L]
	right    *dsl.Table[F, R]
	extract  func(K, L) (F, bool)
	join     func(L, R, bool) O
	leftJoin bool
	options  *dsl.Options
	op       string
	keys     *ops.ForeignKeys[F, K]
	names    foreignNames
	// builder makes the store of subscriptions, once it has been asked for.
	builder statestore.Builder
}

// joinForeign declares the nodes in Java's order (KTableImpl.doJoinOnForeignKey):
// the registration of subscriptions on the left side, the store and the two
// sources of answers on the right side, and what resolves them on the left.
func joinForeign[K, L, F, R, O any](left Table[K, L], right Table[F, R], op string, j *foreignJoin[K, L, F, R, O], opts []with.ForeignJoin) Table[K, O] {
	j.left, j.right, j.op = left.use(op), right.use(op), op
	g := j.left.Graph
	sameGraph(g, j.right.Graph, op)
	j.options = dsl.Collect(g, op, opts, with.ForeignJoin.ForForeignJoin)
	j.right.EnableOldValues(true)
	j.left.EnableOldValues(true)
	j.names = newForeignNames(g, j.options.Name)
	j.keys = &ops.ForeignKeys[F, K]{Store: j.names.store, Topic: j.names.registration}
	lookup := j.subscribe(g)
	update := j.update()
	answers := j.answer(g, lookup, update)
	return j.resolve(g, answers)
}

// foreignNames are the names of a foreign-key join.
type foreignNames struct {
	registration, send, sendSink, sendSource string
	store, receive, lookup, update           string
	response, answerSink, answerSource       string
	resolve, result                          string
}

const (
	prefixRegistration = "KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-"
	prefixStore        = "KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-"
	prefixSubscription = "KTABLE-FK-JOIN-SUBSCRIPTION-PROCESSOR-"
	prefixResponse     = "KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-"
	prefixResolver     = "KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-RESOLVER-PROCESSOR-"
	prefixOutput       = "KTABLE-FK-JOIN-OUTPUT-"
	topicSuffix        = "-topic"
)

func newForeignNames(g *dsl.Graph, user string) foreignNames {
	name := func(prefix, suffix string) string { return g.NameWithSuffix(prefix, user, suffix) }
	return foreignNames{
		registration: name(prefixRegistration, "-subscription-registration") + topicSuffix,
		send:         name(prefixRegistration, "-subscription-registration-processor"),
		sendSink:     name(dsl.PrefixTableSink, "-subscription-registration-sink"),
		sendSource:   name(dsl.PrefixTableSource, "-subscription-registration-source"),
		store:        name(prefixStore, "-subscription-store"),
		receive:      name(prefixSubscription, "-subscription-receive"),
		lookup:       name(prefixSubscription, "-subscription-join-foreign"),
		update:       name(prefixSubscription, "-foreign-join-subscription"),
		response:     name(prefixResponse, "-subscription-response") + topicSuffix,
		answerSink:   name(dsl.PrefixTableSink, "-subscription-response-sink"),
		answerSource: name(dsl.PrefixTableSource, "-subscription-response-source"),
		resolve:      name(prefixResolver, "-subscription-response-resolver"),
		result:       name(prefixOutput, "-result"),
	}
}

// resolve makes the nodes behind the answers and the handle of the result.
func (j *foreignJoin[K, L, F, R, O]) resolve(g *dsl.Graph, answers *dsl.Node) Table[K, O] {
	sources := dsl.Union(j.left.Sources, []string{answers.Name})
	g.Copartition(sources)
	plan := &ops.ForeignKeyResolve[K, L, R, O]{Table: j.left.Supplier.View(), Topic: j.names.registration, Join: j.join, Left: j.leftJoin}
	var resolver *dsl.Node
	resolver = dsl.NewProcessor(j.names.resolve, dsl.Processor{New: plan.New, Connect: func() []string { return plan.Table.Stores }})
	write := resolver.Write
	resolver.Write = writeAfter(write, func() (err error) {
		plan.Value, err = dsl.Resolve(resolver, dsl.ValueSide, j.left.Value)
		return err
	})
	g.Add(resolver, answers)

	m := dsl.Materialize[K, O](g, j.op, j.options, prefixOutput)
	m.Key = given(m.Key, j.left.Key)
	result := ops.NewTableSource[K, O](m.Name, m.Queryable)
	n := ops.TableNode(j.names.result, result, m)
	n.Output = ops.Output(m)
	g.Add(n, resolver)
	return Table[K, O]{&dsl.Table[K, O]{Base: dsl.Base{Graph: g, Node: n, Name: n.Name, Sources: sources},
		Key: j.left.Key, Value: m.Value, Store: m.Name, Supplier: result}}
}
