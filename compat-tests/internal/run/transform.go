package run

import (
	"time"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

func init() {
	register(map[string]opFunc{"transformValues": op(buildTransformValues)})
}

// programTransformer is a value transformer that executes a program.
type programTransformer struct {
	run  *run
	id   string
	code *scenario.Program
	ctx  *processor.ValueContext
	m    *machine
}

// Init implements processor.ValueTransformer.
func (t *programTransformer) Init(ctx *processor.ValueContext) error {
	t.ctx = ctx
	t.m = newMachine(t.run, t.id, t.code, anchorless{ctx})
	return t.m.outside(t.code.Init)
}

// anchorless is the context that Java's transformers have, which knows no
// anchored punctuators.
type anchorless struct{ *processor.ValueContext }

// EveryFrom is not available.
func (anchorless) EveryFrom(time.Time, time.Duration, processor.PunctuationKind, func(int64) error) (func(), error) {
	return nil, &value.Fault{Message: "startMs is not available in transformValues"}
}

// Transform implements processor.ValueTransformer.
func (t *programTransformer) Transform(key, v any, _ bool) (any, error) {
	t.m.result = nil
	if c, ok := t.ctx.Metadata(); ok {
		t.m.headers = c.Headers
	}
	t.m.env.Set("key", key)
	t.m.env.Set("value", v)
	if _, err := t.m.block(t.code.Process); err != nil {
		t.m.note(err)
		return nil, err
	}
	t.m.clear()
	return t.m.result, nil
}

// Close implements processor.ValueTransformer.
func (t *programTransformer) Close() error {
	if t.m == nil {
		return nil
	}
	return t.m.outside(t.code.Close)
}

// buildTransformValues leaves out the stores that the program brings: Java does
// not ask value transformers for theirs.
func buildTransformValues(p *program, s step, spec *scenario.TransformValues) (any, error) {
	in, err := handle[table](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	store, err := storeOptions(spec.Materialized)
	if err != nil {
		return nil, err
	}
	opts := optionsFor[with.Transform](store)
	if spec.Name != nil {
		opts = append(opts, with.Name(*spec.Name))
	}
	if len(spec.Stores) > 0 {
		opts = append(opts, with.StoreNames(spec.Stores...))
	}
	return ktable.TransformValues[any, any, any](in, func() *programTransformer {
		return &programTransformer{run: p.run, id: s.ID, code: spec.Program}
	}, opts...), nil
}
