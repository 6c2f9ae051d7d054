package with

import (
	"testing"
	"time"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

func TestISODuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                   "PT0S",
		time.Hour:                           "PT1H",
		25*time.Hour + 3*time.Minute:        "PT25H3M",
		time.Minute + 1500*time.Millisecond: "PT1M1.5S",
		10 * time.Millisecond:               "PT0.01S",
		-90 * time.Second:                   "PT-1M-30S",
	} {
		if got := isoDuration(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

// TestMaterialized: a name alone does not make an operator's store a
// Materialized, for that would burn another index.
func TestMaterialized(t *testing.T) {
	for name, c := range map[string]struct {
		opts []Aggregation
		want bool
	}{
		"nothing":      {nil, false},
		"name":         {[]Aggregation{Name("n")}, false},
		"store":        {[]Aggregation{Store("s")}, true},
		"nil serdes":   {[]Aggregation{Serdes(nil, nil)}, true},
		"no cache":     {[]Aggregation{NoCache()}, true},
		"no changelog": {[]Aggregation{NoChangelog()}, true},
		"in memory":    {[]Aggregation{InMemory()}, true},
	} {
		o := dsl.Collect(dsl.New(processor.Config{}), "Count", c.opts, Aggregation.ForAggregation)
		if o.Materialized != c.want {
			t.Errorf("%s: got %v", name, o.Materialized)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for name, opts := range map[string][]TableSource{
		"bad name":  {Name("a b")},
		"no name":   {Name("")},
		"bad store": {Store("a/b")},
		"retention": {Retention(-time.Second)},
		"future":    {StartAt(Ago(-time.Second))},
	} {
		g := dsl.New(processor.Config{})
		dsl.Collect(g, "Table", opts, TableSource.ForTableSource)
		if !g.Failed() {
			t.Errorf("%s: no error", name)
		}
	}
	g := dsl.New(processor.Config{})
	o := dsl.Collect(g, "From", []Source{Serdes(serde.String(), nil), ValueSerde(serde.Int64()), StartAt(Ago(time.Hour))}, Source.ForSource)
	if g.Failed() || o.Key == nil || o.Value == nil || o.Reset.Text != "PT1H" || o.Reset.Back != 3_600_000 {
		t.Errorf("got %+v", o)
	}
}
