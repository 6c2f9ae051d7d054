package main

import (
	"strings"
	"unicode"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// wordCount is the program: lines are split into words, words are grouped, and
// the table of their counts is written out as it changes.
//
// The lines have no key. A function sees it all the same, so the key's type
// must be one that can be null.
func wordCount(cfg processor.Config, input, output string) (*processor.Topology, error) {
	b := kstream.NewBuilder(cfg)

	lines := kstream.From[[]byte, string](b, input)
	words := kstream.FlatMapValues(lines, split)
	byWord := kstream.GroupBy(words, func(_ []byte, word string) string { return word })
	counts := kstream.Count(byWord, with.Store("counts"))
	kstream.FromTable(counts).To(output)

	return b.Build(cfg)
}

// split cuts a line into lower-case words, which consist of letters, digits
// and inner apostrophes.
func split(line string) []string {
	words := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	kept := words[:0]
	for _, w := range words {
		if w = strings.Trim(w, "'"); w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}
