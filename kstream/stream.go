package kstream

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Stream is a stream of records (Java: KStream). It is a small value to pass
// around. Operators that change the key or value type are functions of this
// package; an operator on the zero Stream panics.
type Stream[K, V any] struct{ core *dsl.Stream[K, V] }

// use returns the core of a stream for an operator.
func (s Stream[K, V]) use(op string) *dsl.Stream[K, V] {
	if s.core == nil {
		panic(fmt.Sprintf("%s: kstream.%s on the zero Stream[%T, %T]: streams come from a builder or another stream, "+
			"those of a split under the name of the branch's node", dsl.Caller(), op, *new(K), *new(V)))
	}
	return s.core
}

// IsZero reports whether the handle stands for no stream at all.
func (s Stream[K, V]) IsZero() bool { return s.core == nil }

// options collects the options of an operator that has but a name.
func options(g *dsl.Graph, op string, opts []with.Node) *dsl.Options {
	return dsl.Collect(g, op, opts, with.Node.ForNode)
}

// need reports a missing function (Java: NullPointerException).
func need(g *dsl.Graph, op string, missing bool) {
	if missing {
		g.Fail(op, dsl.Errorf(dsl.KindNull, "the function is nil"))
	}
}

// fixed is a node whose processor keeps the key, plain one that may change it;
// the difference shows only where processors are wrapped.
func fixed(name string, unit func() processor.Unit) *dsl.Node {
	return dsl.NewProcessor(name, dsl.Processor{FixedKey: true, New: dsl.Unit(unit)})
}

func plain(name string, unit func() processor.Unit) *dsl.Node {
	return dsl.NewProcessor(name, dsl.Processor{New: dsl.Unit(unit)})
}
