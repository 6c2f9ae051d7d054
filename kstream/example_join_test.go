package kstream_test

import (
	"fmt"
	"log"
	"time"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// Views are joined with the clicks that follow them within ten seconds. A view
// without a click is sent too, once no click can come any more.
func ExampleLeftJoin() {
	b := kstream.NewBuilder(processor.Config{InMemoryStores: true})
	views, clicks := kstream.From[string, string](b, "views"), kstream.From[string, string](b, "clicks")
	funnel := kstream.LeftJoin(views, clicks, func(view, click string, clicked bool) string {
		if !clicked {
			return view + " ignored"
		}
		return view + " -> " + click
	}, window.Within(0).After(10*time.Second).Grace(time.Second), with.Store("funnel"))
	funnel.To("funnel")

	topology, err := b.Build(processor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	view := testdriver.NewInput(d, "views", serde.String(), serde.String())
	click := testdriver.NewInput(d, "clicks", serde.String(), serde.String())
	for _, err := range []error{
		view.PipeAt("ann", "shoes", 1_000), click.PipeAt("ann", "buy", 4_000), view.PipeAt("bob", "hats", 5_000), view.PipeAt("ann", "socks", 20_000),
	} {
		if err != nil {
			log.Fatal(err)
		}
	}
	results, err := testdriver.NewOutput(d, "funnel", serde.String(), serde.String()).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Println(r.Timestamp, r.Key, r.Value)
	}
	// Output:
	// 4000 ann shoes -> buy
	// 5000 bob hats ignored
}
