package scenario

import "github.com/millrace/millrace/compat-tests/internal/expr"

// ops reads the members of every op of the language.
var ops map[string]func(*object) any

// It is filled here because the branches of split hold steps themselves.
func init() {
	ops = map[string]func(*object) any{
		"stream": (*object).stream, "table": (*object).table, "globalTable": (*object).table,
		"stateStore":  func(o *object) any { return &StateStore{Store: o.store()} },
		"globalStore": (*object).globalStore,

		"filter": (*object).filter, "filterNot": (*object).filter, "mapValues": (*object).mapValues, "map": (*object).mapOp,
		"selectKey": (*object).selectKey, "flatMap": (*object).flatMap, "flatMapValues": (*object).flatMapValues,
		"peek": (*object).peek, "foreach": (*object).peek, "print": (*object).print, "merge": (*object).merge,
		"split": (*object).split, "repartition": (*object).repartition, "toTable": (*object).toTable, "to": (*object).to,
		"groupByKey": (*object).groupByKey, "groupBy": (*object).groupBy,
		"process": (*object).process, "processValues": (*object).process,

		"windowedBy": (*object).windowedBy, "count": (*object).count, "reduce": (*object).reduce,
		"aggregate": (*object).aggregate, "cogroup": (*object).cogroup,

		"toStream": (*object).toStream, "suppress": (*object).suppress, "transformValues": (*object).transformValues,
		"tableJoin": (*object).tableJoin, "fkJoin": (*object).fkJoin,
		"joinStream": (*object).joinStream, "joinTable": (*object).joinTable, "joinGlobal": (*object).joinGlobal,

		"addSource": (*object).addSource, "addProcessor": (*object).addProcessor, "addSink": (*object).addSink,
		"addStateStore": (*object).addStateStore, "addGlobalStore": (*object).addGlobalStore,
		"addReadOnlyStateStore": (*object).addGlobalStore, "connectStores": (*object).connectStores,
	}
}

// Stream is the op stream; either topics or a pattern is given.
type Stream struct {
	Topics   []string
	Pattern  *string
	Consumed *Consumed
}

func (o *object) stream() any {
	s := &Stream{Pattern: o.optional("pattern"), Consumed: o.consumed()}
	if s.Pattern == nil {
		s.Topics = o.strings("topics")
		if s.Topics == nil && !o.has("topics") {
			o.missing("topics")
		}
	}
	return s
}

// Table is the op table or globalTable.
type Table struct {
	Topic        string
	Consumed     *Consumed
	Materialized *Materialized
}

func (o *object) table() any {
	return &Table{Topic: o.need("topic"), Consumed: o.consumed(), Materialized: o.materialized()}
}

// StateStore is the op stateStore.
type StateStore struct{ Store *Store }

// GlobalStore is the op globalStore.
type GlobalStore struct {
	Store    *Store
	Topic    string
	Consumed *Consumed
	Program  *Program
}

func (o *object) globalStore() any {
	return &GlobalStore{Store: o.store(), Topic: o.need("topic"), Consumed: o.consumed(), Program: o.program()}
}

// Filter is the op filter or filterNot.
type Filter struct {
	In           string
	Predicate    *expr.Expr
	Name         *string
	Materialized *Materialized
}

func (o *object) filter() any {
	return &Filter{In: o.need("in"), Predicate: o.needExpr("predicate"), Name: o.optional("name"), Materialized: o.materialized()}
}

// MapValues is the op mapValues.
type MapValues struct {
	In           string
	Value        *expr.Expr
	WithKey      bool
	Name         *string
	Materialized *Materialized
}

func (o *object) mapValues() any {
	return &MapValues{In: o.need("in"), Value: o.needExpr("value"), WithKey: o.flag("withKey"), Name: o.optional("name"),
		Materialized: o.materialized()}
}

// Map is the op map.
type Map struct {
	In         string
	Key, Value *expr.Expr
	Name       *string
}

func (o *object) mapOp() any {
	return &Map{In: o.need("in"), Key: o.needExpr("key"), Value: o.needExpr("value"), Name: o.optional("name")}
}

// SelectKey is the op selectKey.
type SelectKey struct {
	In   string
	Key  *expr.Expr
	Name *string
}

func (o *object) selectKey() any {
	return &SelectKey{In: o.need("in"), Key: o.needExpr("key"), Name: o.optional("name")}
}

// FlatMap is the op flatMap.
type FlatMap struct {
	In               string
	List, Key, Value *expr.Expr
	Name             *string
}

func (o *object) flatMap() any {
	return &FlatMap{In: o.need("in"), List: o.needExpr("list"), Key: o.needExpr("key"), Value: o.needExpr("value"), Name: o.optional("name")}
}

// FlatMapValues is the op flatMapValues.
type FlatMapValues struct {
	In      string
	List    *expr.Expr
	WithKey bool
	Name    *string
}

func (o *object) flatMapValues() any {
	return &FlatMapValues{In: o.need("in"), List: o.needExpr("list"), WithKey: o.flag("withKey"), Name: o.optional("name")}
}

// Peek is the op peek or foreach.
type Peek struct {
	In   string
	Name *string
}

func (o *object) peek() any {
	o.need("id")
	return &Peek{In: o.need("in"), Name: o.optional("name")}
}

// Print is the op print.
type Print struct {
	In     string
	Label  *string
	Mapper *expr.Expr
	Name   *string
}

func (o *object) print() any {
	o.need("id")
	return &Print{In: o.need("in"), Label: o.optional("label"), Mapper: o.expr("mapper"), Name: o.optional("name")}
}

// Merge is the op merge.
type Merge struct {
	In, With string
	Name     *string
}

func (o *object) merge() any {
	return &Merge{In: o.need("in"), With: o.need("with"), Name: o.optional("name")}
}

// Split is the op split; Default is nil for noDefaultBranch.
type Split struct {
	In       string
	Name     *string
	Branches []Branch
	Default  *Branch
}

// Branch is one branch of a split. Kind is empty, function or consumer; a
// function without a result returns null.
type Branch struct {
	ID        string
	As        *string
	Kind      string
	Predicate *expr.Expr
	Steps     []Step
	Result    *string
}

func (o *object) split() any {
	s := &Split{In: o.need("in"), Name: o.optional("name")}
	for _, b := range o.objects("branches") {
		branch := Branch{Predicate: b.needExpr("predicate")}
		b.branch(&branch)
		s.Branches = append(s.Branches, branch)
	}
	if d := o.object("default"); d != nil {
		s.Default = &Branch{}
		d.branch(s.Default)
	}
	return s
}

func (o *object) branch(b *Branch) {
	b.ID, b.As, b.Kind = o.str("id"), o.optional("as"), o.word("kind", "function", "consumer")
	if b.Kind != "" {
		for _, s := range o.objects("steps") {
			b.Steps = append(b.Steps, s.step())
		}
		b.Result = o.optional("result")
	}
	o.done()
}

// Repartition is the op repartition.
type Repartition struct {
	In            string
	Repartitioned *Repartitioned
}

func (o *object) repartition() any {
	return &Repartition{In: o.need("in"), Repartitioned: o.repartitioned()}
}

// ToTable is the op toTable.
type ToTable struct {
	In           string
	Name         *string
	Materialized *Materialized
}

func (o *object) toTable() any {
	return &ToTable{In: o.need("in"), Name: o.optional("name"), Materialized: o.materialized()}
}

// To is the op to, with a fixed or a computed topic.
type To struct {
	In        string
	Topic     string
	TopicExpr *expr.Expr
	Produced  *Produced
}

func (o *object) to() any {
	t := &To{In: o.need("in"), TopicExpr: o.expr("topicExpr"), Produced: o.produced()}
	if t.TopicExpr == nil {
		t.Topic = o.need("topic")
	}
	return t
}

// GroupByKey is the op groupByKey.
type GroupByKey struct {
	In      string
	Grouped *Grouped
}

func (o *object) groupByKey() any {
	return &GroupByKey{In: o.need("in"), Grouped: o.grouped()}
}

// GroupBy is the op groupBy; Value belongs to tables only.
type GroupBy struct {
	In         string
	Key, Value *expr.Expr
	Grouped    *Grouped
}

func (o *object) groupBy() any {
	return &GroupBy{In: o.need("in"), Key: o.needExpr("key"), Value: o.expr("value"), Grouped: o.grouped()}
}

// Process is the op process or processValues.
type Process struct {
	In      string
	Program *Program
	Stores  []string
	Name    *string
}

func (o *object) process() any {
	return &Process{In: o.need("in"), Program: o.program(), Stores: o.strings("stores"), Name: o.optional("name")}
}
