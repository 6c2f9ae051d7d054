package ktable_test

import (
	"fmt"
	"log"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

// Customers move between regions; the number of customers of each region
// follows.
func Example() {
	b := kstream.NewBuilder(processor.Config{InMemoryStores: true})
	customers := kstream.Table[string, string](b, "customers")
	regions := ktable.GroupBy(customers, func(id, region string) (string, string) { return region, id })
	kstream.FromTable(ktable.Count(regions, with.Store("by-region"))).To("regions")

	topology, err := b.Build(processor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()

	in := testdriver.NewInput(d, "customers", serde.String(), serde.String())
	for _, c := range [][2]string{{"ada", "north"}, {"bob", "north"}, {"ada", "south"}} {
		if err := in.Pipe(c[0], c[1]); err != nil {
			log.Fatal(err)
		}
	}
	counts, err := testdriver.NewOutput(d, "regions", serde.String(), serde.Int64()).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range counts {
		fmt.Println(c.Key, c.Value)
	}
	// Output:
	// north 1
	// north 2
	// north 1
	// south 1
}
