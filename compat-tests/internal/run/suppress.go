package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/with"
)

func init() {
	register(map[string]opFunc{"suppress": op(buildSuppress)})
}

func buildSuppress(p *program, s step, spec *scenario.Suppress) (any, error) {
	in, err := handle[table](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	var limits []ktable.Limit
	if spec.MaxRecords != nil {
		limits = append(limits, ktable.MaxRecords(*spec.MaxRecords))
	}
	if spec.MaxBytes != nil {
		limits = append(limits, ktable.MaxBytes(*spec.MaxBytes))
	}
	switch spec.Full {
	case "emitEarly":
		limits = append(limits, ktable.EmitEarly())
	case "shutDown":
		limits = append(limits, ktable.ShutDown())
	}
	if spec.Until == "windowCloses" {
		if spec.Full == "emitEarly" || len(limits) > 0 && spec.Full == "" {
			return nil, fault(s, "windowCloses needs a strict buffer")
		}
		return in.Suppress(ktable.UntilWindowCloses(limits...), suppressOptions(spec)...), nil
	}
	return in.Suppress(ktable.UntilTimeLimit(millis(spec.TimeMs), limits...), suppressOptions(spec)...), nil
}

func suppressOptions(spec *scenario.Suppress) []with.Suppress {
	var opts []with.Suppress
	if spec.Name != nil {
		opts = append(opts, with.Name(*spec.Name))
	}
	if spec.Logging != nil {
		if spec.Logging.Enabled {
			opts = append(opts, with.ChangelogConfig(spec.Logging.Config))
		} else {
			opts = append(opts, with.NoChangelog())
		}
	}
	return opts
}
