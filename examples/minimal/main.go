// Command minimal is the smallest whole application: it counts the words of
// topic "lines" into topic "word-counts" on the brokers that its arguments name,
// until it is interrupted. Both topics must exist.
package main

import (
	"context"
	"log"
	"os"
	"strings"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/with"
)

func main() {
	cfg := millrace.Config{ApplicationID: "words", Brokers: os.Args[1:], CommitInterval: time.Second}
	b := kstream.NewBuilder()
	lines := kstream.From[[]byte, string](b, "lines")
	words := kstream.FlatMapValues(lines, strings.Fields)
	byWord := kstream.GroupBy(words, func(_ []byte, word string) string { return word })
	kstream.FromTable(kstream.Count(byWord, with.Store("counts"))).To("word-counts")

	topology, err := b.Build(cfg.Topology())
	if err != nil {
		log.Fatal(err)
	}
	app, err := millrace.New(topology, cfg)
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(millrace.RunMain(context.Background(), app))
}
