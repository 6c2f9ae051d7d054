package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
)

func init() {
	register(map[string]opFunc{
		"processValues": op(buildProcessValues),
		"globalStore":   op(buildGlobalStore),
	})
}

// fixedKeyProgram is a fixed-key processor that executes a program.
type fixedKeyProgram struct {
	run  *run
	id   string
	code *scenario.Program
	m    *machine
	rec  processor.FixedKeyRecord[any, any]
}

// Init implements processor.FixedKeyProcessor.
func (p *fixedKeyProgram) Init(ctx *processor.FixedKeyContext[any, any]) error {
	p.m = newMachine(p.run, p.id, p.code, ctx)
	p.m.fixedKey = true
	p.m.forward = func(_ *machine, rec anyRecord, to *string) error {
		out := processor.WithFixedKeyValue(p.rec, rec.Value).WithTimestamp(rec.Timestamp).WithHeaders(rec.Headers)
		if to != nil {
			return ctx.ForwardTo(*to, out)
		}
		return ctx.Forward(out)
	}
	return p.m.outside(p.code.Init)
}

// Process implements processor.FixedKeyProcessor.
func (p *fixedKeyProgram) Process(_ *processor.FixedKeyContext[any, any], rec processor.FixedKeyRecord[any, any]) error {
	p.rec = rec
	return p.m.process(anyRecord{Key: rec.Key(), KeyNull: rec.KeyNull(), Value: rec.Value(), ValueNull: rec.ValueNull(),
		Timestamp: rec.Timestamp(), Headers: rec.Headers()})
}

// Close implements processor.FixedKeyProcessor.
func (p *fixedKeyProgram) Close() error {
	if p.m == nil {
		return nil
	}
	return p.m.outside(p.code.Close)
}

func buildProcessValues(p *program, s step, spec *scenario.Process) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	opts, err := processOptions(spec)
	if err != nil {
		return nil, err
	}
	return kstream.ProcessValues[any, any, any](in, func() *fixedKeyProgram {
		return &fixedKeyProgram{run: p.run, id: s.ID, code: spec.Program}
	}, opts...), nil
}

// buildGlobalStore leaves out the stores that the program brings: a global
// store's processor has that store only.
func buildGlobalStore(p *program, s step, spec *scenario.GlobalStore) (any, error) {
	b, err := storeBuilder(spec.Store)
	if err != nil {
		return nil, err
	}
	opts, err := p.sourceOptions(spec.Consumed)
	if err != nil {
		return nil, err
	}
	kstream.GlobalStore[any, any](p.builder, b, spec.Topic, p.newProgram(s.ID, spec.Program), opts...)
	return nil, nil
}
