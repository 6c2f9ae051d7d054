package kstream

import (
	"reflect"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// Process hands each record to a processor of the user's, which may forward any
// records. newP makes the processor of one task and must return a new one at
// each call. Since the key may have changed, what depends on it below goes
// through a repartition topic.
func Process[K, V, K2, V2 any, P processor.Processor[K, V, K2, V2]](s Stream[K, V], newP func() P, opts ...with.Process) Stream[K2, V2] {
	const op = "Process"
	c := s.use(op)
	if err := checkNew(newP); err != nil {
		c.Graph.Fail(op, err)
	}
	return process[K2, V2](c, op, func() processor.Unit { return processor.NewProcessorUnit[K, V, K2, V2](newP()) }, opts)
}

// ProcessFunc is [Process] with a function for a processor.
func ProcessFunc[K, V, K2, V2 any](s Stream[K, V], f func(*processor.Context[K2, V2], processor.Record[K, V]) error, opts ...with.Process) Stream[K2, V2] {
	const op = "ProcessFunc"
	c := s.use(op)
	need(c.Graph, op, f == nil)
	return process[K2, V2](c, op, func() processor.Unit {
		return processor.NewProcessorUnit[K, V, K2, V2](&funcProcessor[K, V, K2, V2]{f: f})
	}, opts)
}

func process[K2, V2, K, V any](c *dsl.Stream[K, V], op string, unit func() processor.Unit, opts []with.Process) Stream[K2, V2] {
	n := processNode(c.Graph, op, dsl.PrefixProcess, opts, false, unit)
	n.KeyChanging, n.ValueChanging = c.Graph.Config.ProcessValuesFix, c.Graph.Config.ProcessValuesFix
	return Stream[K2, V2]{dsl.Follow[K2, V2](c.Base, n, nil, nil, true)}
}

// processNode makes the node of a user's processor. Unlike others it burns no
// index if it has a name.
func processNode(g *dsl.Graph, op, prefix string, opts []with.Process, fixedKey bool, unit func() processor.Unit) *dsl.Node {
	o := dsl.Collect(g, op, opts, with.Process.ForProcess)
	name := o.Name
	if name == "" {
		name = g.Name(prefix, "")
	}
	return dsl.NewProcessor(name, dsl.Processor{New: dsl.Unit(unit), FixedKey: fixedKey,
		Stores:  func() ([]statestore.Builder, error) { return o.Stores, nil },
		Connect: func() []string { return o.StoreNames }})
}

// checkNew sees to it that tasks do not share a processor.
func checkNew[P any](newP func() P) error {
	if newP == nil {
		return dsl.Errorf(dsl.KindNull, "the function is nil")
	}
	a, b := reflect.ValueOf(newP()), reflect.ValueOf(newP())
	if !a.IsValid() || a.Kind() == reflect.Pointer && a.IsNil() {
		return dsl.Errorf(dsl.KindNull, "the function that makes the processor returns nil")
	}
	// Pointers to values of size zero may be equal although they are new.
	if a.Kind() == reflect.Pointer && b.Kind() == reflect.Pointer && a.Type().Elem().Size() > 0 && a.Pointer() == b.Pointer() {
		return dsl.Errorf(dsl.KindArgument, "%T generates single reference: the function that makes the processor must return a new one each time", newP())
	}
	return nil
}

type funcProcessor[K, V, K2, V2 any] struct {
	processor.Base[K2, V2]
	f func(*processor.Context[K2, V2], processor.Record[K, V]) error
}

// Process implements processor.Processor.
func (p *funcProcessor[K, V, K2, V2]) Process(ctx *processor.Context[K2, V2], rec processor.Record[K, V]) error {
	return p.f(ctx, rec)
}
