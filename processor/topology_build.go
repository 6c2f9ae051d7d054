package processor

import (
	"fmt"
	"reflect"
	"runtime"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// SourceOption is an option of [AddSource] and [AddPatternSource].
type SourceOption func(*SourceSpec)

// StartAt says where the source starts without a committed offset (Java:
// AutoOffsetReset).
func StartAt(reset OffsetReset) SourceOption {
	return func(s *SourceSpec) { s.Reset = reset }
}

// ExtractTime gives the source its own timestamp extractor.
func ExtractTime(x TimestampExtractor) SourceOption {
	return func(s *SourceSpec) { s.Extractor = x }
}

// AddSource adds a source that reads topics to a topology that is built by
// hand (Java: Topology.addSource).
func AddSource[K, V any](t *Topology, name string, key serde.Serde[K], value serde.Serde[V], topics []string, opts ...SourceOption) error {
	return addSource(t, SourceSpec{Name: name, Topics: topics}, key, value, opts)
}

// AddPatternSource adds a source that reads all topics whose whole names match
// a regular expression.
func AddPatternSource[K, V any](t *Topology, name string, key serde.Serde[K], value serde.Serde[V], pattern string, opts ...SourceOption) error {
	if pattern == "" {
		return fmt.Errorf("source %s: the pattern of topics is empty", name)
	}
	return addSource(t, SourceSpec{Name: name, Pattern: pattern}, key, value, opts)
}

func addSource[K, V any](t *Topology, spec SourceSpec, key serde.Serde[K], value serde.Serde[V], opts []SourceOption) error {
	if key == nil || value == nil {
		return fmt.Errorf("source %s: a serde is missing", spec.Name)
	}
	for _, o := range opts {
		o(&spec)
	}
	spec.New = func() SourceUnit { return NewSource(key, value) }
	if err := t.AddSource(spec); err != nil {
		return err
	}
	return t.addSample(spec.Name, &Source[K, V]{})
}

// AddProcessor adds a processor to a topology that is built by hand (Java:
// Topology.addProcessor). newP makes the processor of one task; it must return
// a new one at each call and is called twice here to see that. A parent that
// sends records of other types is an error.
func AddProcessor[K, V, K2, V2 any, P Processor[K, V, K2, V2]](t *Topology, name string, newP func() P, parents ...string) error {
	if err := checkSupplier(name, newP); err != nil {
		return err
	}
	err := t.AddProcessor(ProcessorSpec{Name: name, Parents: parents, New: newProcessor[K, V, K2, V2](newP)})
	if err != nil {
		return err
	}
	return t.addSample(name, &ProcessorUnit[K, V, K2, V2]{})
}

func newProcessor[K, V, K2, V2 any, P Processor[K, V, K2, V2]](newP func() P) func() (Unit, error) {
	return func() (Unit, error) { return NewProcessorUnit[K, V, K2, V2](newP()), nil }
}

// checkSupplier sees to it that tasks do not share a processor.
func checkSupplier[P any](name string, newP func() P) error {
	if newP == nil {
		return fmt.Errorf("processor %s has no function that makes it", name)
	}
	a, b := reflect.ValueOf(newP()), reflect.ValueOf(newP())
	if !a.IsValid() || a.Kind() == reflect.Pointer && a.IsNil() {
		return fmt.Errorf("processor %s: the function that makes it returns nil", name)
	}
	// Pointers to values of size zero may be equal although they are new.
	if a.Kind() == reflect.Pointer && b.Kind() == reflect.Pointer && a.Type().Elem().Size() > 0 && a.Pointer() == b.Pointer() {
		return fmt.Errorf("processor %s: the function that makes it must return a new object each time it is called", name)
	}
	return nil
}

// AddSink adds a sink to a topology that is built by hand (Java:
// Topology.addSink). A parent that sends records of other types is an error.
func AddSink[K, V any](t *Topology, name string, c SinkConfig[K, V], parents ...string) error {
	if c.Key == nil || c.Value == nil {
		return fmt.Errorf("sink %s: a serde is missing", name)
	}
	spec := SinkSpec{Name: name, Parents: parents, Topic: c.Topic, New: func() Unit { return NewSink(c) }}
	if c.TopicFunc != nil {
		spec.Topic = ""
		spec.Dynamic = runtime.FuncForPC(reflect.ValueOf(c.TopicFunc).Pointer()).Name()
	}
	if err := t.AddSink(spec); err != nil {
		return err
	}
	return t.addSample(name, &Sink[K, V]{})
}

// MirrorConfig describes a store that is filled from a topic by a processor
// which must keep it equal to the topic, key by key.
type MirrorConfig[K, V any] struct {
	Store statestore.Builder
	// Source and Processor are the names of the two nodes.
	Source, Processor string
	Topic             string
	Key               serde.Serde[K]
	Value             serde.Serde[V]
	// Extractor is nil for the application's default. A global store always
	// takes the timestamps of the records as they are.
	Extractor TimestampExtractor
	// New makes the processor. What it forwards goes nowhere.
	New func() Processor[K, V, any, any]
}

// AddGlobalStore adds a store that every instance fills from all partitions of
// a topic, and that every processor may read (Java: Topology.addGlobalStore).
func AddGlobalStore[K, V any](t *Topology, c MirrorConfig[K, V]) error {
	return addMirror(t, c, t.AddGlobalStore)
}

// AddReadOnlyStore adds a store that is filled from the task's partition of a
// topic, which is its changelog (KIP-813, Java: Topology.addReadOnlyStateStore).
// Other processors may be connected to read it. Restoring copies the topic and
// bypasses the processor.
func AddReadOnlyStore[K, V any](t *Topology, c MirrorConfig[K, V]) error {
	return addMirror(t, c, t.AddReadOnlyStore)
}

func addMirror[K, V any](t *Topology, c MirrorConfig[K, V], add func(GlobalSpec) error) error {
	if c.Key == nil || c.Value == nil || c.Store == nil {
		return fmt.Errorf("source %s of a store: the store or a serde is missing", c.Source)
	}
	if err := checkSupplier(c.Processor, c.New); err != nil {
		return err
	}
	err := add(GlobalSpec{
		Store: c.Store,
		Source: SourceSpec{Name: c.Source, Topics: []string{c.Topic}, Extractor: c.Extractor,
			New: func() SourceUnit { return NewSource(c.Key, c.Value) }},
		Processor: ProcessorSpec{Name: c.Processor, New: newProcessor[K, V, any, any](c.New)},
	})
	if err != nil {
		return err
	}
	if err := t.addSample(c.Source, &Source[K, V]{}); err != nil {
		return err
	}
	return t.addSample(c.Processor, &ProcessorUnit[K, V, any, any]{})
}

// addSample notes the types of a node and checks the edges to its parents.
func (t *Topology) addSample(name string, unit Unit) error {
	n := t.byName[name]
	n.sample = unit
	for _, parent := range n.parents {
		p := t.byName[parent]
		from := p.sample
		if from == nil {
			var err error
			if from, err = p.newUnit(); err != nil {
				return fmt.Errorf("make node %s: %w", parent, err)
			}
			p.sample = from
		}
		if err := from.Attach(NewNode(name, unit, nil, nil, false)); err != nil {
			return fmt.Errorf("connect node %s: %w", parent, err)
		}
	}
	return nil
}
