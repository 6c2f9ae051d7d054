package kstream_test

import (
	"fmt"
	"log"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

type Order struct {
	Items int
	Total int64
}

// A goka group "orders" has left its table behind; payments, which no goka
// program wrote, are joined with it.
func ExampleGokaTable() {
	b := kstream.NewBuilder()
	orders := kstream.GokaTable[Order](b, "orders", with.ValueSerde(serde.JSON[Order]()))
	payments := kstream.From[string, int64](b, "payments")
	open := kstream.LeftJoinTable(payments, orders, func(paid int64, o Order, known bool) int64 {
		if !known {
			return -paid
		}
		return o.Total - paid
	})
	open.To("open-amounts")

	topology, err := b.Build(processor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	table := testdriver.Record{Topic: "orders-table", Key: []byte("o-1"), Value: []byte(`{"Items":2,"Total":80}`)}
	if err := d.Pipe(table); err != nil {
		log.Fatal(err)
	}
	in := testdriver.NewInput(d, "payments", serde.String(), serde.Int64())
	for _, order := range []string{"o-1", "o-2"} {
		if err := in.Pipe(order, 50); err != nil {
			log.Fatal(err)
		}
	}
	amounts, err := testdriver.NewOutput(d, "open-amounts", serde.String(), serde.Int64()).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range amounts {
		fmt.Println(a.Key, a.Value)
	}
	// Output:
	// o-1 30
	// o-2 -50
}

// Counts of clicks, as a goka callback would keep them, and a topic that goka
// programs read.
func Example_goka() {
	b := kstream.NewBuilder()
	clicks := kstream.From[string, string](b, "user-click")
	counts := kstream.Count(clicks.GroupByKey(), with.Store("clicks"))

	sameGroup := kstream.Table[string, Order](b, "orders-table", with.ValueSerde(serde.JSON[Order]()), with.StartAt(with.Earliest()))
	orders := kstream.FromTable(sameGroup)
	orders.To("orders", with.Partitioner(processor.FNV1a[string, Order]()))

	_, err := b.Build(processor.Config{})
	fmt.Println(counts.StoreName(), err)
	// Output: clicks <nil>
}
