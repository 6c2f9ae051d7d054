package run

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// serdes gives the serdes of a parameter object as an option; an absent one
// leaves the side to what the operator inherits.
func serdes(key, val string) with.SerdeOption {
	return with.Serdes(serdeOrNil(key), serdeOrNil(val))
}

// serdeOrNil is a serde by name as an option wants it, nil for none. The parser
// has checked the name.
func serdeOrNil(name string) any {
	if name == "" {
		return nil
	}
	s, err := value.NewSerde(name)
	if err != nil {
		return nil
	}
	return s.Option()
}

func nodeOptions(name *string) []with.Node {
	if name == nil {
		return nil
	}
	return []with.Node{with.Name(*name)}
}

func (r *run) sourceOptions(c *scenario.Consumed) ([]with.Source, error) {
	if c == nil {
		return nil, nil
	}
	opts := []with.Source{serdes(c.Key, c.Value)}
	if c.Name != nil {
		opts = append(opts, with.Name(*c.Name))
	}
	more, err := r.readOptions(c)
	for _, o := range more {
		opts = append(opts, o)
	}
	return opts, err
}

// readOptions are the options about reading that all sources share.
func (r *run) readOptions(c *scenario.Consumed) ([]with.SourceOption, error) {
	var opts []with.SourceOption
	if c.Extractor != nil {
		x, err := r.timestamps(c.Extractor)
		if err != nil {
			return nil, err
		}
		opts = append(opts, with.Timestamps(x))
	}
	if c.OffsetReset != "" {
		start, err := startAt(c.OffsetReset)
		if err != nil {
			return nil, err
		}
		opts = append(opts, with.StartAt(start))
	}
	return opts, nil
}

func (r *run) timestamps(e *scenario.Extractor) (processor.TimestampExtractor, error) {
	if e.Expr != nil {
		return r.extractor(e.Expr), nil
	}
	return extractorByName(e.Name)
}

func startAt(text string) (with.Start, error) {
	switch text {
	case "earliest":
		return with.Earliest(), nil
	case "latest":
		return with.Latest(), nil
	case "none":
		return with.None(), nil
	}
	if iso, ok := strings.CutPrefix(text, "byDuration:"); ok {
		if d, ok := isoDuration(iso); ok {
			return with.Ago(d), nil
		}
	}
	return with.Start{}, &value.Fault{Message: "unknown offset reset " + text}
}

var isoPattern = regexp.MustCompile(`^(-)?P(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d{1,9})?)S)?)?$`)

// isoDuration reads the form of Java's Duration.parse.
func isoDuration(text string) (time.Duration, bool) {
	m := isoPattern.FindStringSubmatch(strings.ToUpper(text))
	if m == nil {
		return 0, false
	}
	var sum time.Duration
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		if n, err := strconv.ParseInt(m[i+2], 10, 64); err == nil {
			sum += time.Duration(n) * unit
		}
	}
	if s, err := time.ParseDuration(m[5] + "s"); err == nil {
		sum += s
	}
	if m[1] == "-" {
		sum = -sum
	}
	return sum, true
}

func (r *run) sinkOptions(p *scenario.Produced) []with.Sink {
	if p == nil {
		return nil
	}
	opts := []with.Sink{serdes(p.Key, p.Value)}
	if f := r.partitioner(p.Partitioner); f != nil {
		opts = append(opts, with.Partitioner(f))
	}
	if p.Name != nil {
		opts = append(opts, with.Name(*p.Name))
	}
	return opts
}

func (r *run) repartitionOptions(p *scenario.Repartitioned) []with.Repartition {
	if p == nil {
		return nil
	}
	opts := []with.Repartition{serdes(p.Key, p.Value)}
	if p.Name != nil {
		opts = append(opts, with.Name(*p.Name))
	}
	if p.Partitions != nil {
		opts = append(opts, with.Partitions(int32(*p.Partitions)))
	}
	if f := r.partitioner(p.Partitioner); f != nil {
		opts = append(opts, with.Partitioner(f))
	}
	return opts
}

func sortedPartitions(l []int32) []int32 {
	slices.Sort(l)
	return slices.Compact(l)
}
