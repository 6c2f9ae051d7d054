package kstream_test

import (
	"fmt"
	"strings"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Word counts, and what becomes of the program. The keys of the lines may be
// null, so they are []byte and not strings.
func Example() {
	b := kstream.NewBuilder()
	lines := kstream.From[[]byte, string](b, "lines")
	words := kstream.FlatMapValues(lines, func(line string) []string { return strings.Fields(strings.ToLower(line)) })
	byWord := kstream.GroupBy(words, func(_ []byte, word string) string { return word })
	kstream.FromTable(kstream.Count(byWord, with.Store("counts"))).To("word-counts")

	topology, err := b.Build(processor.Config{ApplicationID: "words"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(topology.Describe()) {
		if strings.Contains(line, "Source:") || strings.Contains(line, "Sink:") || strings.Contains(line, "counts]") {
			fmt.Println(strings.TrimSpace(line))
		}
	}
	// Output:
	// Source: KSTREAM-SOURCE-0000000000 (topics: [lines])
	// Sink: counts-repartition-sink (topic: counts-repartition)
	// Source: counts-repartition-source (topics: [counts-repartition])
	// Processor: KSTREAM-AGGREGATE-0000000003 (stores: [counts])
	// Sink: KSTREAM-SINK-0000000008 (topic: word-counts)
}

func ExampleStream_Split() {
	b := kstream.NewBuilder()
	orders := kstream.From[string, int64](b, "orders")
	branches := orders.Split(with.Name("orders-")).
		When("big", func(_ string, cents int64) bool { return cents > 100_000 }).
		WhenDo("free", func(_ string, cents int64) bool { return cents == 0 },
			func(s kstream.Stream[string, int64]) { s.To("gifts") }).
		Otherwise("small")
	branches["orders-big"].To("big-orders")
	branches["orders-small"].To("small-orders")

	fmt.Println(len(branches), branches["orders-free"].IsZero())
	// Output: 2 true
}

// All errors of a program come at once, each with its line.
func ExampleBuilder_Build() {
	b := kstream.NewBuilder()
	s := kstream.From[string, string](b, "")
	s.Filter(nil)
	_, err := b.Build(processor.Config{})
	for line := range strings.Lines(err.Error()) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fmt.Println(text)
	}
	// Output:
	// From: the topic has no name
	// Filter: the function is nil
}
