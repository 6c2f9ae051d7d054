package scenario

import "github.com/millrace/millrace/compat-tests/internal/expr"

// AddSource is the topology-level op addSource.
type AddSource struct {
	Name        string
	Topics      []string
	Pattern     *string
	Key, Value  string
	Extractor   *Extractor
	OffsetReset string
}

func (o *object) addSource() any {
	s := &AddSource{Name: o.need("name"), Pattern: o.optional("pattern"), Key: o.serde("key"), Value: o.serde("value"),
		Extractor: o.extractor(), OffsetReset: o.str("offsetReset")}
	if s.Pattern == nil {
		s.Topics = o.strings("topics")
		if s.Topics == nil && !o.has("topics") {
			o.missing("topics")
		}
	}
	return s
}

// AddProcessor is the topology-level op addProcessor.
type AddProcessor struct {
	Name    string
	Parents []string
	Program *Program
}

func (o *object) addProcessor() any {
	return &AddProcessor{Name: o.need("name"), Parents: o.strings("parents"), Program: o.program()}
}

// AddSink is the topology-level op addSink.
type AddSink struct {
	Name        string
	Topic       string
	TopicExpr   *expr.Expr
	Key, Value  string
	Partitioner *expr.Expr
	Parents     []string
}

func (o *object) addSink() any {
	s := &AddSink{Name: o.need("name"), TopicExpr: o.expr("topicExpr"), Key: o.serde("key"), Value: o.serde("value"),
		Partitioner: o.expr("partitioner"), Parents: o.strings("parents")}
	if s.TopicExpr == nil {
		s.Topic = o.need("topic")
	}
	return s
}

// AddStateStore is the topology-level op addStateStore.
type AddStateStore struct {
	Store      *Store
	Processors []string
}

func (o *object) addStateStore() any {
	return &AddStateStore{Store: o.store(), Processors: o.strings("processors")}
}

// AddGlobalStore is the topology-level op addGlobalStore or addReadOnlyStateStore.
type AddGlobalStore struct {
	Store         *Store
	Source, Topic string
	Key, Value    string
	Processor     string
	Program       *Program
	Extractor     *Extractor
}

func (o *object) addGlobalStore() any {
	return &AddGlobalStore{Store: o.store(), Source: o.need("source"), Topic: o.need("topic"), Key: o.serde("key"),
		Value: o.serde("value"), Processor: o.need("processor"), Program: o.program(), Extractor: o.extractor()}
}

// ConnectStores is the topology-level op connectStores.
type ConnectStores struct {
	Processor string
	Stores    []string
}

func (o *object) connectStores() any {
	return &ConnectStores{Processor: o.need("processor"), Stores: o.strings("stores")}
}
