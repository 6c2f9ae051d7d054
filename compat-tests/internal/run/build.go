package run

import (
	"fmt"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
)

// stream is the handle of a stream in scenarios: all types are erased.
type stream = kstream.Stream[any, any]

// program is the topology of a scenario while it is built.
type program struct {
	*run
	builder *kstream.Builder
	handles map[string]any
	// topology is set as soon as the part of the DSL has ended.
	topology *processor.Topology
	usesDSL  bool
}

// step is a topology step with its op's parameters.
type step = scenario.Step

// opFunc builds one op. The handle it returns, nil for none, is what later
// steps know the step's id by.
type opFunc func(p *program, s step) (handle any, err error)

// op makes an opFunc of a function that wants the op's own struct.
func op[S any](f func(p *program, s step, spec *S) (any, error)) opFunc {
	return func(p *program, s step) (any, error) { return f(p, s, s.Spec.(*S)) }
}

// opTable is every op that is implemented, family by family.
var opTable = map[string]opFunc{}

// register adds a family of ops to the table.
func register(family map[string]opFunc) {
	for name, f := range family {
		opTable[name] = f
	}
}

// build makes the topology. Errors are those Java would throw while it builds.
func (r *run) build() (*processor.Topology, error) {
	p := &program{run: r, handles: map[string]any{}}
	if r.scenario.PlainBuilder {
		p.builder = kstream.NewBuilder()
	} else {
		c := r.settings.config
		c.InMemoryStores = c.InMemoryStores || r.settings.memoryBuilder
		p.builder = kstream.NewBuilder(c)
	}
	lax := &dsl.Lax{}
	if r.settings.key != nil {
		lax.Key = r.settings.key
	}
	if r.settings.value != nil {
		lax.Value = r.settings.value
	}
	if r.settings.wrapped {
		lax.Wrapped = r.wrap
	}
	p.builder.Graph().Lax = lax
	if err := p.steps(r.scenario.Topology); err != nil {
		return nil, err
	}
	t, err := p.finish()
	if err == nil {
		r.doc.Queryable = p.queryable()
	}
	return t, err
}

// wrap records a processor that Java would hand to processor.wrapper.class.
func (r *run) wrap(name string, fixedKey bool) {
	if fixedKey {
		name += " (fixed key)"
	}
	r.doc.Wrapped = append(r.doc.Wrapped, name)
}

// queryable maps the ids of tables to the names of the stores that queries
// would use.
func (p *program) queryable() map[string]*string {
	out := map[string]*string{}
	for id, h := range p.handles {
		t, ok := h.(interface{ StoreName() string })
		if !ok {
			continue
		}
		out[id] = nil
		if name := t.StoreName(); name != "" {
			out[id] = &name
		}
	}
	return out
}

func (p *program) steps(steps []step) error {
	for _, s := range steps {
		if err := p.step(s); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) step(s step) error {
	if !lowLevel[s.Op] {
		if p.topology != nil {
			return fault(s, "DSL step after a topology-level step")
		}
		p.usesDSL = true
	}
	h, err := opTable[s.Op](p, s)
	if err != nil {
		return err
	}
	// Java's operators throw; those after it are not called.
	if p.builder.Graph().Failed() {
		_, err := p.builder.Build(p.settings.config)
		return err
	}
	if h == nil {
		return nil
	}
	if s.ID == "" {
		return fault(s, `missing "id"`)
	}
	return p.put(s.ID, h)
}

func (p *program) put(id string, h any) error {
	if _, ok := p.handles[id]; ok {
		return &value.Fault{Message: fmt.Sprintf("duplicate step id %q", id)}
	}
	p.handles[id] = h
	return nil
}

// fault is a mistake of the scenario in a step.
func fault(s step, format string, args ...any) error {
	return &value.Fault{Message: s.Where + ": " + fmt.Sprintf(format, args...)}
}

// handle finds the handle of an earlier step.
func handle[H any](p *program, s step, id string) (H, error) {
	var none H
	h, ok := p.handles[id]
	if !ok {
		return none, fault(s, "no step %q", id)
	}
	typed, ok := h.(H)
	if !ok {
		name := fmt.Sprintf("%T", none)
		return none, fault(s, "step %q is a %T, not a %s", id, h, strings.TrimPrefix(name, "kstream."))
	}
	return typed, nil
}

// tablesOnly refuses parameters that exist for tables only.
func tablesOnly(s step, m *scenario.Materialized) error {
	if m != nil {
		return fault(s, `unknown member "materialized"`)
	}
	return nil
}
