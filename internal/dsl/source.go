package dsl

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// StreamSource is what the merging of duplicate sources looks at: which topics
// or pattern a source reads, and how.
type StreamSource struct {
	Topics  []string
	Pattern string
	Reset   processor.OffsetReset
	// Types is the Stream type that was asked for.
	Types string
}

// TableSource marks the source of a table. Reuse is set when the source topic
// shall be the table's changelog.
type TableSource struct {
	Topic string
	Reuse bool
}

// Consume says how a source reads its topics (Java: Consumed).
type Consume[K, V any] struct {
	Name      string
	Topics    []string
	Pattern   string
	Key       serde.Serde[K]
	Value     serde.Serde[V]
	Extractor processor.TimestampExtractor
	Reset     processor.OffsetReset
}

// Consumed takes the settings of a source from its options.
func Consumed[K, V any](g *Graph, op string, o *Options) Consume[K, V] {
	return Consume[K, V]{Name: o.Name, Key: SerdeOf[K](g, op, "key", o.Key), Value: SerdeOf[V](g, op, "value", o.Value),
		Extractor: o.Extractor, Reset: o.Reset}
}

// Spec is the physical source node of that name; its serdes are resolved for n.
func (c *Consume[K, V]) Spec(n *Node, name string) (processor.SourceSpec, error) {
	key, err := Resolve(n, KeySide, c.Key)
	if err != nil {
		return processor.SourceSpec{}, err
	}
	value, err := Resolve(n, ValueSide, c.Value)
	if err != nil {
		return processor.SourceSpec{}, err
	}
	return processor.SourceSpec{Name: name, Topics: c.Topics, Pattern: c.Pattern, Reset: c.Reset, Extractor: c.Extractor,
		New: NewSourceUnit(key, value)}, nil
}

// NewSource makes the node of a stream's source and its handle.
func NewSource[K, V any](g *Graph, c Consume[K, V]) *Stream[K, V] {
	name := g.Name(PrefixSource, c.Name)
	// A source keeps its topics in a hash set in Java, which shows in the order
	// of subscriptions.
	c.Topics = javaorder.HashSetOrder(c.Topics)
	n := &Node{Name: name, Source: &StreamSource{Topics: c.Topics, Pattern: c.Pattern, Reset: c.Reset, Types: pairOf[K, V]()}}
	n.Write = func(t *processor.Topology) error {
		spec, err := c.Spec(n, name)
		if err != nil {
			return err
		}
		return t.AddSource(spec)
	}
	g.Add(n)
	return &Stream[K, V]{Base: Base{Graph: g, Node: n, Name: name, Sources: []string{name}}, Key: c.Key, Value: c.Value}
}

// pairOf names a key and a value type in errors.
func pairOf[K, V any]() string {
	return fmt.Sprintf("[%v, %v]", reflect.TypeFor[K](), reflect.TypeFor[V]())
}

// sameTopics compares two lists as sets.
func sameTopics(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}
