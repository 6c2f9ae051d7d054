package run

import (
	"errors"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

func init() {
	register(map[string]opFunc{
		"addSource":             op(buildAddSource),
		"addProcessor":          op(buildAddProcessor),
		"addSink":               op(buildAddSink),
		"addStateStore":         op(buildAddStateStore),
		"addGlobalStore":        op(buildAddGlobalStore),
		"addReadOnlyStateStore": op(buildAddGlobalStore),
		"connectStores":         op(buildConnectStores),
	})
}

// lowLevel are the ops that end the part of the DSL.
var lowLevel = map[string]bool{"addSource": true, "addProcessor": true, "addSink": true, "addStateStore": true,
	"addGlobalStore": true, "addReadOnlyStateStore": true, "connectStores": true}

// finish gives the topology: what the DSL has built, or an empty one to build
// by hand.
func (p *program) finish() (*processor.Topology, error) {
	if p.topology != nil {
		return p.topology, nil
	}
	if !p.usesDSL {
		p.topology = processor.NewTopology()
		return p.topology, nil
	}
	var err error
	p.topology, err = p.builder.Build(p.settings.config)
	return p.topology, err
}

// missingSerde stands for a default serde that is not configured, which Java
// notices when the task starts.
type missingSerde struct{ side string }

func (m missingSerde) MissingSerde() error { return errors.New("no default " + m.side + " serde") }

func (m missingSerde) Append(dst []byte, _ string, _ any) ([]byte, error) {
	return dst, m.MissingSerde()
}

func (m missingSerde) Decode(string, []byte) (any, error) { return nil, m.MissingSerde() }

// nodeSerdes are the serdes of a node built by hand: those named, else the
// defaults.
func (p *program) nodeSerdes(key, val string) (k, v serde.Serde[any], err error) {
	if k, err = nodeSerde(key, p.settings.key, "key"); err != nil {
		return nil, nil, err
	}
	v, err = nodeSerde(val, p.settings.value, "value")
	return k, v, err
}

func nodeSerde(name string, otherwise serde.Serde[any], side string) (serde.Serde[any], error) {
	if name != "" {
		s, err := value.NewSerde(name)
		return s.Serde, err
	}
	if otherwise != nil {
		return otherwise, nil
	}
	return missingSerde{side}, nil
}

func buildAddSource(p *program, _ step, spec *scenario.AddSource) (any, error) {
	t, err := p.finish()
	if err != nil {
		return nil, err
	}
	key, val, err := p.nodeSerdes(spec.Key, spec.Value)
	if err != nil {
		return nil, err
	}
	var opts []processor.SourceOption
	if spec.Extractor != nil {
		x, err := p.timestamps(spec.Extractor)
		if err != nil {
			return nil, err
		}
		opts = append(opts, processor.ExtractTime(x))
	}
	if spec.OffsetReset != "" {
		reset, err := offsetReset(spec.OffsetReset)
		if err != nil {
			return nil, err
		}
		opts = append(opts, processor.StartAt(reset))
	}
	if spec.Pattern != nil {
		return nil, processor.AddPatternSource(t, spec.Name, key, val, *spec.Pattern, opts...)
	}
	return nil, processor.AddSource(t, spec.Name, key, val, spec.Topics, opts...)
}

func offsetReset(text string) (processor.OffsetReset, error) {
	switch text {
	case "earliest", "latest", "none":
		return processor.OffsetReset{Policy: text}, nil
	}
	return processor.OffsetReset{}, &value.Fault{Message: "offset reset of a source built by hand: " + text}
}

// label is what the effects of a program show: the step's id, else the node's name.
func label(s step, node string) string {
	if s.ID != "" {
		return s.ID
	}
	return node
}

func buildAddProcessor(p *program, s step, spec *scenario.AddProcessor) (any, error) {
	t, err := p.finish()
	if err != nil {
		return nil, err
	}
	// Java wraps no others that are added by hand, and none without the
	// configuration.
	if p.settings.wrapped && !p.scenario.PlainBuilder {
		p.wrap(spec.Name, false)
	}
	newP := p.newProgram(label(s, spec.Name), spec.Program)
	if err := processor.AddProcessor[any, any, any, any](t, spec.Name, newP, spec.Parents...); err != nil {
		return nil, err
	}
	return nil, addProvided(t, spec.Program, spec.Name)
}

// addProvided adds the stores a program brings and connects them to its node.
func addProvided(t *processor.Topology, code *scenario.Program, node string) error {
	for _, s := range code.Provides {
		b, err := storeBuilder(s)
		if err != nil {
			return err
		}
		if err := t.AddStore(b, node); err != nil {
			return err
		}
	}
	return nil
}

func buildAddSink(p *program, _ step, spec *scenario.AddSink) (any, error) {
	t, err := p.finish()
	if err != nil {
		return nil, err
	}
	c := processor.SinkConfig[any, any]{Topic: spec.Topic, Partitioner: p.partitioner(spec.Partitioner)}
	if c.Key, c.Value, err = p.nodeSerdes(spec.Key, spec.Value); err != nil {
		return nil, err
	}
	if spec.TopicExpr == nil {
		return nil, processor.AddSink(t, spec.Name, c, spec.Parents...)
	}
	c.TopicFunc = p.topicFunc(spec.TopicExpr)
	return nil, t.AddSink(processor.SinkSpec{Name: spec.Name, Parents: spec.Parents, Dynamic: "topicExpr",
		New: func() processor.Unit { return processor.NewSink(c) }})
}

func buildAddStateStore(p *program, _ step, spec *scenario.AddStateStore) (any, error) {
	t, err := p.finish()
	if err != nil {
		return nil, err
	}
	b, err := storeBuilder(spec.Store)
	if err != nil {
		return nil, err
	}
	return nil, t.AddStore(b, spec.Processors...)
}

func buildConnectStores(p *program, _ step, spec *scenario.ConnectStores) (any, error) {
	t, err := p.finish()
	if err != nil {
		return nil, err
	}
	return nil, t.Connect(spec.Processor, spec.Stores...)
}

func buildAddGlobalStore(p *program, s step, spec *scenario.AddGlobalStore) (any, error) {
	t, err := p.finish()
	if err != nil {
		return nil, err
	}
	var b statestore.Builder
	if b, err = storeBuilder(spec.Store); err != nil {
		return nil, err
	}
	newP := p.newProgram(label(s, spec.Processor), spec.Program)
	c := processor.MirrorConfig[any, any]{Store: b, Source: spec.Source, Processor: spec.Processor, Topic: spec.Topic,
		New: func() processor.Processor[any, any, any, any] { return newP() }}
	if c.Key, c.Value, err = p.nodeSerdes(spec.Key, spec.Value); err != nil {
		return nil, err
	}
	if spec.Extractor != nil {
		if c.Extractor, err = p.timestamps(spec.Extractor); err != nil {
			return nil, err
		}
	}
	if s.Op == "addReadOnlyStateStore" {
		return nil, processor.AddReadOnlyStore(t, c)
	}
	return nil, processor.AddGlobalStore(t, c)
}
