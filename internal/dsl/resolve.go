package dsl

import (
	"reflect"

	"github.com/millrace/millrace/serde"
)

// Side is the key or the value of a record.
type Side string

// The two sides of a record.
const (
	KeySide   Side = "key"
	ValueSide Side = "value"
)

// Resolve finds the serde of one side of a node when the topology is written:
// the one given or inherited, else the registry's for the type, else an error
// with the line of user code that made the node. It replaces the search for
// default serdes that Java does when a task starts.
func Resolve[T any](n *Node, side Side, s serde.Serde[T]) (serde.Serde[T], error) {
	if s != nil {
		return s, nil
	}
	g := n.graph
	if g.Lax != nil {
		if s, ok := g.Lax.serdeFor(side).(serde.Serde[T]); ok {
			return s, nil
		}
	}
	if s, ok := serde.Lookup[T](g.serdes); ok {
		return s, nil
	}
	err := Errorf(KindSerde, "no %s serde for %v: pass with.Serdes(...) or register one with serde.Register", side, reflect.TypeFor[T]())
	if g.Lax != nil {
		return missing[T]{side, n.Name, err}, nil
	}
	return nil, at(n.Caller, n.Name, err)
}

// SerdeOf checks the serde of an option, which has no type parameter. No serde
// gives nil.
func SerdeOf[T any](g *Graph, op string, side Side, option any) serde.Serde[T] {
	if option == nil {
		return nil
	}
	s, ok := option.(serde.Serde[T])
	if !ok {
		g.Fail(op, Errorf(KindSerde, "%s serde is %s, want a serde of %v", side, serde.NameOf(option), reflect.TypeFor[T]()))
	}
	return s
}
