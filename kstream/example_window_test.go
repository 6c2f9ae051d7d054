package kstream_test

import (
	"fmt"
	"time"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
)

// Requests per user and minute, sent once, when the minute is over.
func ExampleTimeWindowed_EmitOnClose() {
	b := kstream.NewBuilder(processor.Config{InMemoryStores: true})
	requests := kstream.From[string, string](b, "requests")
	perMinute := requests.GroupByKey().WindowedBy(window.Tumbling(time.Minute).Grace(10 * time.Second))
	counts := kstream.FromTable(kstream.Count(perMinute.EmitOnClose()))
	counts.Peek(func(w window.Windowed[string], n int64) {
		fmt.Println(w.Key, time.UnixMilli(w.Start).UTC().Format("15:04"), n)
	})

	d := drive(b)
	defer d.Close()
	in := testdriver.NewInput(d, "requests", serde.String(), serde.String())
	for _, second := range []int64{5, 20, 61, 50, 75} {
		if err := in.PipeAt("ann", "/", second*1000); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// ann 00:00 3
}

// A table of what is known of a customer, from two streams.
func ExampleCogroup() {
	b := kstream.NewBuilder(processor.Config{InMemoryStores: true})
	orders := kstream.From[string, int64](b, "orders").GroupByKey()
	visits := kstream.From[string, string](b, "visits").GroupByKey()
	spent := kstream.Cogroup(orders, func(_ string, cents, total int64) int64 { return total + cents })
	worth := kstream.And(spent, visits, func(_, _ string, total int64) int64 { return total + 1 }).
		Aggregate(func() int64 { return 0 })
	kstream.FromTable(worth).Peek(func(customer string, total int64) { fmt.Println(customer, total) })

	d := drive(b)
	defer d.Close()
	err := testdriver.NewInput(d, "orders", serde.String(), serde.Int64()).PipeAt("ann", 500, 1)
	if err == nil {
		err = testdriver.NewInput(d, "visits", serde.String(), serde.String()).PipeAt("ann", "/", 2)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// ann 500
	// ann 501
}

func drive(b *kstream.Builder) *testdriver.Driver {
	topology, err := b.Build(processor.Config{})
	if err != nil {
		panic(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{})
	if err != nil {
		panic(err)
	}
	return d
}
