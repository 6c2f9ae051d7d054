package kstream

import (
	"errors"
	"regexp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// Builder collects the operators of one program (Java: StreamsBuilder). It is
// not safe for concurrent use.
type Builder struct{ graph *dsl.Graph }

// NewBuilder returns an empty builder. The configuration is optional; what
// matters here are the kind and format of stores, explicit naming and the
// registry of serdes (Java: new StreamsBuilder(TopologyConfig)). More than one
// is an error of Build.
func NewBuilder(config ...processor.Config) *Builder {
	var c processor.Config
	if len(config) > 0 {
		c = config[0]
	}
	b := &Builder{graph: dsl.New(c)}
	if len(config) > 1 {
		b.graph.Fail("NewBuilder", dsl.Errorf(dsl.KindArgument, "%d configurations given, want at most one", len(config)))
	}
	return b
}

// Graph is the logical graph, for the packages of this module that add to it.
func (b *Builder) Graph() *dsl.Graph { return b.graph }

// Build turns the program into a topology. The configuration says which
// optimisations to use and which serdes are registered. All errors of the
// operators so far are returned at once, each with the line that called the
// operator. Later calls return the same result.
func (b *Builder) Build(config processor.Config) (*processor.Topology, error) {
	return b.graph.Build(config)
}

// AddStore adds a store for processors, which name it in with.StoreNames (Java:
// addStateStore). It returns the builder.
func (b *Builder) AddStore(store statestore.Builder) *Builder {
	n := &dsl.Node{Name: store.Name()}
	n.Write = func(t *processor.Topology) error { return t.AddStore(store) }
	b.graph.Add(n)
	return b
}

// From reads a topic as a stream (Java: StreamsBuilder.stream). Reading one
// topic twice makes one source.
func From[K, V any](b *Builder, topic string, opts ...with.Source) Stream[K, V] {
	return fromTopics[K, V](b, "From", []string{topic}, opts)
}

// FromWith is [From] with serdes, from which the types are inferred.
func FromWith[K, V any](b *Builder, topic string, key serde.Serde[K], value serde.Serde[V], opts ...with.Source) Stream[K, V] {
	return fromTopics[K, V](b, "FromWith", []string{topic}, append([]with.Source{with.Serdes(key, value)}, opts...))
}

// FromTopics reads several topics as one stream.
func FromTopics[K, V any](b *Builder, topics []string, opts ...with.Source) Stream[K, V] {
	return fromTopics[K, V](b, "FromTopics", topics, opts)
}

func fromTopics[K, V any](b *Builder, op string, topics []string, opts []with.Source) Stream[K, V] {
	c := dsl.Consumed[K, V](b.graph, op, dsl.Collect(b.graph, op, opts, with.Source.ForSource))
	c.Topics = topics
	if len(topics) == 0 {
		b.graph.Fail(op, dsl.Topologyf("You must provide at least one topic"))
	}
	for _, topic := range topics {
		if topic == "" {
			b.graph.Fail(op, errors.New("the topic has no name"))
		}
	}
	return Stream[K, V]{dsl.NewSource(b.graph, c)}
}

// FromPattern reads every topic whose whole name matches a regular expression
// as one stream, also topics that are made later.
func FromPattern[K, V any](b *Builder, pattern string, opts ...with.Source) Stream[K, V] {
	const op = "FromPattern"
	c := dsl.Consumed[K, V](b.graph, op, dsl.Collect(b.graph, op, opts, with.Source.ForSource))
	c.Pattern = pattern
	if _, err := regexp.Compile(pattern); err != nil || pattern == "" {
		b.graph.Fail(op, dsl.Errorf(dsl.KindArgument, "the pattern %q is not usable: %w", pattern, err))
	}
	return Stream[K, V]{dsl.NewSource(b.graph, c)}
}
