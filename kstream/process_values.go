package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// ProcessValues hands each record to a processor of the user's that cannot
// change keys, so that no repartition is needed below it. newP makes the
// processor of one task and must return a new one at each call.
func ProcessValues[K, V, V2 any, P processor.FixedKeyProcessor[K, V, V2]](s Stream[K, V], newP func() P, opts ...with.Process) Stream[K, V2] {
	const op = "ProcessValues"
	c := s.use(op)
	if err := checkNew(newP); err != nil {
		c.Graph.Fail(op, err)
	}
	return processValues[V2](c, op, func() processor.Unit { return processor.NewFixedKeyUnit[K, V, V2](newP()) }, opts)
}

// ProcessValuesFunc is [ProcessValues] with a function for a processor.
func ProcessValuesFunc[K, V, V2 any](s Stream[K, V], f func(*processor.FixedKeyContext[K, V2], processor.FixedKeyRecord[K, V]) error, opts ...with.Process) Stream[K, V2] {
	const op = "ProcessValuesFunc"
	c := s.use(op)
	need(c.Graph, op, f == nil)
	return processValues[V2](c, op, func() processor.Unit {
		return processor.NewFixedKeyUnit[K, V, V2](&funcFixedKey[K, V, V2]{f: f})
	}, opts)
}

func processValues[V2, K, V any](c *dsl.Stream[K, V], op string, unit func() processor.Unit, opts []with.Process) Stream[K, V2] {
	n := processNode(c.Graph, op, dsl.PrefixProcessValues, opts, true, unit)
	n.ValueChanging = c.Graph.Config.ProcessValuesFix
	return Stream[K, V2]{dsl.Follow[K, V2](c.Base, n, c.Key, nil, c.Rekeyed)}
}

type funcFixedKey[K, V, V2 any] struct {
	processor.FixedKeyBase[K, V2]
	f func(*processor.FixedKeyContext[K, V2], processor.FixedKeyRecord[K, V]) error
}

// Process implements processor.FixedKeyProcessor.
func (p *funcFixedKey[K, V, V2]) Process(ctx *processor.FixedKeyContext[K, V2], rec processor.FixedKeyRecord[K, V]) error {
	return p.f(ctx, rec)
}
