package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
)

func init() {
	register(map[string]opFunc{"stream": op(buildStream)})
}

func buildStream(p *program, _ step, spec *scenario.Stream) (any, error) {
	opts, err := p.sourceOptions(spec.Consumed)
	if err != nil {
		return nil, err
	}
	switch {
	case spec.Pattern != nil:
		return kstream.FromPattern[any, any](p.builder, *spec.Pattern, opts...), nil
	case len(spec.Topics) == 1:
		return kstream.From[any, any](p.builder, spec.Topics[0], opts...), nil
	}
	return kstream.FromTopics[any, any](p.builder, spec.Topics, opts...), nil
}
