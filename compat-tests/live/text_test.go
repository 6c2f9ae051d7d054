//go:build unix

package live

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// text draws lines for all partitions of a topic. Some words occur in one
// partition only, so that the order of all that happens to them is known; they
// end with its number. The event times run on but not in order, and each line
// has a header.
func text(seed uint64, topic string, lines int) []*kgo.Record {
	random := rand.New(rand.NewPCG(seed, 1))
	records := make([]*kgo.Record, lines)
	for i := range records {
		partition := int32(i % partitions)
		drawn := make([]string, 1+random.IntN(12))
		for j := range drawn {
			// Squared, so that some words are frequent.
			n := random.IntN(20) * random.IntN(20)
			if drawn[j] = fmt.Sprint("word", n); random.IntN(2) == 0 {
				drawn[j] = fmt.Sprintf("own%d.%d", n, partition)
			}
		}
		records[i] = &kgo.Record{
			Topic: topic, Partition: partition, Key: []byte("k"), Value: []byte(strings.Join(drawn, " ")),
			Timestamp: time.UnixMilli(1_700_000_000_000 + int64(10*i+random.IntN(200))),
			Headers:   []kgo.RecordHeader{{Key: "line", Value: fmt.Append(nil, i)}, {Key: "null"}},
		}
	}
	return records
}

// own reports whether a word occurs in one partition only.
func own(word string) bool { return strings.HasPrefix(word, "own") }

// count is what a batch program finds.
func count(lines ...[]*kgo.Record) map[string]int64 {
	counts := map[string]int64{}
	for _, part := range lines {
		for _, line := range part {
			for _, w := range words(line) {
				counts[w]++
			}
		}
	}
	return counts
}

// sequences are the counts of each word in the order in which a topic holds
// them.
func sequences(topic [][]*kgo.Record) map[string][]int64 {
	out := map[string][]int64{}
	for _, records := range topic {
		for _, r := range records {
			if len(r.Value) != 8 {
				out[string(r.Key)] = append(out[string(r.Key)], -1)
				continue
			}
			out[string(r.Key)] = append(out[string(r.Key)], int64(binary.BigEndian.Uint64(r.Value)))
		}
	}
	return out
}

// table is the last count of each word.
func table(topic [][]*kgo.Record) map[string]int64 {
	out := map[string]int64{}
	for word, counts := range sequences(topic) {
		out[word] = counts[len(counts)-1]
	}
	return out
}
