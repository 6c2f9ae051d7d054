package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

func init() {
	register(map[string]opFunc{
		"process":    op(buildProcess),
		"stateStore": op(buildStateStore),
	})
}

// programProcessor is a processor that executes a program.
type programProcessor struct {
	run  *run
	id   string
	code *scenario.Program
	m    *machine
}

// Init implements processor.Processor.
func (p *programProcessor) Init(ctx *processor.Context[any, any]) error {
	p.m = newMachine(p.run, p.id, p.code, ctx)
	p.m.forward = func(_ *machine, rec anyRecord, to *string) error {
		if to != nil {
			return ctx.ForwardTo(*to, rec)
		}
		return ctx.Forward(rec)
	}
	return p.m.outside(p.code.Init)
}

// Process implements processor.Processor.
func (p *programProcessor) Process(_ *processor.Context[any, any], rec anyRecord) error {
	return p.m.process(rec)
}

// Close implements processor.Processor.
func (p *programProcessor) Close() error {
	if p.m == nil {
		return nil
	}
	return p.m.outside(p.code.Close)
}

// newProgram is the supplier of a program's processors.
func (r *run) newProgram(id string, code *scenario.Program) func() *programProcessor {
	return func() *programProcessor { return &programProcessor{run: r, id: id, code: code} }
}

func processOptions(spec *scenario.Process) ([]with.Process, error) {
	var opts []with.Process
	if spec.Name != nil {
		opts = append(opts, with.Name(*spec.Name))
	}
	if len(spec.Stores) > 0 {
		opts = append(opts, with.StoreNames(spec.Stores...))
	}
	for _, s := range spec.Program.Provides {
		b, err := storeBuilder(s)
		if err != nil {
			return nil, err
		}
		opts = append(opts, with.Stores(b))
	}
	return opts, nil
}

func buildProcess(p *program, s step, spec *scenario.Process) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	opts, err := processOptions(spec)
	if err != nil {
		return nil, err
	}
	return kstream.Process[any, any, any, any](in, p.newProgram(s.ID, spec.Program), opts...), nil
}

func buildStateStore(p *program, _ step, spec *scenario.StateStore) (any, error) {
	b, err := storeBuilder(spec.Store)
	if err != nil {
		return nil, err
	}
	p.builder.AddStore(b)
	return nil, nil
}
