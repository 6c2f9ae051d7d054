package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/millrace/millrace/serde"
)

// table is the counts as the output topic tells them.
type table map[string]int64

// update takes one record of the output topic.
func (t table) update(topic string, key, value []byte) error {
	word, err := serde.String().Decode(topic, key)
	if err != nil {
		return fmt.Errorf("key in topic %s: %w", topic, err)
	}
	n, err := serde.Int64().Decode(topic, value)
	if err != nil {
		return fmt.Errorf("count of %q in topic %s: %w", word, topic, err)
	}
	t[word] = n
	return nil
}

func (t table) total() int64 {
	var n int64
	for _, c := range t {
		n += c
	}
	return n
}

// top returns the n most frequent words, equal ones in alphabetical order.
func (t table) top(n int) []string {
	words := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b))
	})
	return words[:min(n, len(words))]
}

// print shows the most frequent words and the totals.
func (t table) print(w io.Writer, top int) {
	fmt.Fprintf(w, "\n%10s  %s\n", "count", "word")
	for _, word := range t.top(top) {
		fmt.Fprintf(w, "%10d  %s\n", t[word], word)
	}
	fmt.Fprintf(w, "\n%d words, %d different\n", t.total(), len(t))
}

// printMoves shows on one line what the most frequent words have come to and
// by how much they grew since the last time.
func (t table) printMoves(w io.Writer, top int, last table) {
	var b strings.Builder
	for _, word := range t.top(top) {
		fmt.Fprintf(&b, "  %s %d", word, t[word])
		if more := t[word] - last[word]; more > 0 {
			fmt.Fprintf(&b, " (+%d)", more)
		}
	}
	fmt.Fprintf(w, "%d words (+%d):%s\n", t.total(), t.total()-last.total(), b.String())
}
