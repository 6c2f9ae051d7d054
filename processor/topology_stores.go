package processor

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/statestore"
)

// storeSpec is a store of the topology.
type storeSpec struct {
	// given is the builder as it was added, builder the one that is used.
	given, builder statestore.Builder
	// global is set for a global store.
	global *GlobalSpec
	// user is the first processor that was connected; the others join its
	// group.
	user *nodeSpec
	// topics and patterns are those of the sources above the first processor
	// that has any.
	topics, patterns []string
}

// AddStore adds a store and connects processors to it (Java:
// Topology.addStateStore). Adding the same builder again only connects; another
// builder of the same name is an error.
func (t *Topology) AddStore(b statestore.Builder, processors ...string) error {
	have := t.storeByName[b.Name()]
	switch {
	case have == nil:
		t.addStore(&storeSpec{given: b, builder: b})
	case have.global != nil:
		return invalid("A different GlobalStateStore has already been added with the name %s", b.Name())
	case !sameBuilder(have.given, b):
		return invalid("A different StateStore has already been added with the name %s", b.Name())
	}
	for _, p := range processors {
		if err := t.connect(p, b.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (t *Topology) addStore(s *storeSpec) {
	name := s.given.Name()
	if _, ok := t.reused[name]; ok {
		s.builder = s.builder.WithoutLog()
	}
	t.stores = append(t.stores, s)
	t.storeByName[name] = s
}

func sameBuilder(a, b statestore.Builder) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// Connect gives a processor access to stores that were added before (Java:
// Topology.connectProcessorAndStateStores). Processors that share a store are
// in one sub-topology.
func (t *Topology) Connect(processor string, stores ...string) error {
	if len(stores) == 0 {
		return invalid("stateStoreNames cannot be empty")
	}
	if n, ok := t.byName[processor]; ok && n.kind != ProcessorNode {
		return invalid("State stores cannot be connect to sources or sinks.")
	}
	for _, store := range stores {
		if err := t.connect(processor, store); err != nil {
			return err
		}
	}
	return nil
}

func (t *Topology) connect(processor, store string) error {
	s := t.storeByName[store]
	n := t.byName[processor]
	switch {
	case s != nil && s.global != nil:
		return invalid("Global StateStore %s can be used by a Processor without being specified; it should not be explicitly passed.", store)
	case s == nil:
		return invalid("StateStore %s is not added yet.", store)
	case n == nil:
		return invalid("Processor %s is not added yet.", processor)
	case n.kind != ProcessorNode:
		return invalid("cannot connect a state store %s to a source node or a sink node.", store)
	}
	if s.user == nil {
		s.user = n
	}
	t.unite(n, s.user)
	n.stores.Add(store)
	if len(s.topics)+len(s.patterns) == 0 {
		t.findSources(s, n, map[string]bool{})
	}
	return nil
}

// findSources collects the topics and patterns of all sources above a node.
func (t *Topology) findSources(s *storeSpec, n *nodeSpec, seen map[string]bool) {
	for _, parent := range n.parents {
		p := t.byName[parent]
		if seen[parent] {
			continue
		}
		seen[parent] = true
		switch {
		case p.pattern != nil:
			s.patterns = append(s.patterns, p.source.Pattern)
		case p.kind == SourceNode:
			s.topics = append(s.topics, p.source.Topics...)
		default:
			t.findSources(s, p, seen)
		}
	}
}

// noGlobalStore is Java's text.
const noGlobalStore = "Global stores must pass in suppliers with exactly one store but got 0"

// AddGlobalStore adds a store that every instance fills from all partitions of
// one topic (Java: Topology.addGlobalStore). Its two nodes are a group of
// their own that takes a number but makes no tasks.
func (t *Topology) AddGlobalStore(spec GlobalSpec) error {
	if err := t.checkName(spec.Source.Name); err != nil {
		return err
	}
	source := &nodeSpec{name: spec.Source.Name, kind: SourceNode, global: true}
	if len(spec.Source.Topics) != 1 {
		return fmt.Errorf("global store: source %s has %d topics, want one", spec.Source.Name, len(spec.Source.Topics))
	}
	if err := t.claimTopics(source, spec.Source.Topics); err != nil {
		return err
	}
	if err := t.checkName(spec.Processor.Name); err != nil {
		return err
	}
	if spec.Source.Name == spec.Processor.Name {
		return invalid("sourceName and processorName must be different.")
	}
	if spec.Store == nil {
		return errors.New(noGlobalStore)
	}
	store := spec.Store.Name()
	if have := t.storeByName[store]; have != nil {
		if have.global != nil {
			return invalid("A different GlobalStateStore has already been added with the name %s", store)
		}
		return invalid("A different StateStore has already been added with the name %s", store)
	}
	spec.Processor.Parents = []string{source.name}
	spec.Processor.Stores = []string{store}
	source.source = &spec.Source
	t.add(source)
	t.add(&nodeSpec{name: spec.Processor.Name, kind: ProcessorNode, global: true, parents: spec.Processor.Parents,
		processor: &spec.Processor, stores: javaorder.HashSetOf(spec.Processor.Stores)})
	given := spec.Store
	spec.Store = given.WithoutLog()
	t.addStore(&storeSpec{given: given, builder: spec.Store, global: &spec})
	return t.UseTopicAsChangelog(store, spec.Source.Topics[0])
}

// AddReadOnlyStore adds a store whose only writer is a processor below a
// source of its own, and whose changelog is that source's topic (KIP-813, Java:
// Topology.addReadOnlyStateStore). The topic is read from its start.
func (t *Topology) AddReadOnlyStore(spec GlobalSpec) error {
	spec.Source.Reset = OffsetReset{Policy: "earliest"}
	if err := t.AddSource(spec.Source); err != nil {
		return err
	}
	spec.Processor.Parents = []string{spec.Source.Name}
	spec.Processor.Stores = nil
	if err := t.AddProcessor(spec.Processor); err != nil {
		return err
	}
	if err := t.AddStore(spec.Store, spec.Processor.Name); err != nil {
		return err
	}
	if len(spec.Source.Topics) != 1 {
		return fmt.Errorf("store %s: source %s has %d topics, want one", spec.Store.Name(), spec.Source.Name, len(spec.Source.Topics))
	}
	return t.UseTopicAsChangelog(spec.Store.Name(), spec.Source.Topics[0])
}

// UseTopicAsChangelog makes a source topic the changelog of a store, which may
// be added later: updates are not logged, and restoring reads the topic.
func (t *Topology) UseTopicAsChangelog(store, topic string) error {
	if _, ok := t.reused[store]; ok {
		return invalid("Source store %s is already added.", store)
	}
	t.reused[store] = topic
	if s := t.storeByName[store]; s != nil {
		s.builder = s.builder.WithoutLog()
	}
	return nil
}

// Store returns the builder of a store, local or global, as the topology uses
// it.
func (t *Topology) Store(name string) (statestore.Builder, bool) {
	s, ok := t.storeByName[name]
	if !ok {
		return nil, false
	}
	return s.builder, true
}

// Stores returns the builders of all stores that are not global, in the order
// in which they were added, whether a processor is connected or not.
func (t *Topology) Stores() []statestore.Builder {
	var builders []statestore.Builder
	for _, s := range t.stores {
		if s.global == nil {
			builders = append(builders, s.builder)
		}
	}
	return builders
}

// GlobalStores returns the global stores in the order in which they were
// added. Their builders have the changelog switched off.
func (t *Topology) GlobalStores() []GlobalSpec {
	var globals []GlobalSpec
	for _, s := range t.stores {
		if s.global != nil {
			globals = append(globals, *s.global)
		}
	}
	return globals
}

// StoreSources returns what the sources above a store's first processor read:
// topics and patterns whose partitioning decides where a key of the store
// lives. For a global store both are empty.
func (t *Topology) StoreSources(store string) (topics, patterns []string) {
	s, ok := t.storeByName[store]
	if !ok {
		return nil, nil
	}
	return s.topics, s.patterns
}
