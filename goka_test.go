package millrace_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/murmur"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// TestGokaTableMeetsOtherTopics joins a stream that Kafka's own clients wrote
// with the table of a goka group. Read as it is the table misses the keys that
// the two put into different partitions; through GokaTable it misses none. The
// result is written as goka programs expect it.
func TestGokaTableMeetsOtherTopics(t *testing.T) {
	const partitions, keys = 4, 60
	var names []string
	differ := map[string]bool{}
	for i := range keys {
		name := fmt.Sprintf("user-%d", i)
		names = append(names, name)
		if processor.FNV1aPartition(name, partitions) != murmur.Partition([]byte(name), partitions) {
			differ[name] = true
		}
	}
	if len(differ) < keys/4 {
		t.Fatalf("only %d of %d keys show a difference", len(differ), keys)
	}
	for _, c := range []struct {
		name   string
		table  func(*kstream.Builder) ktable.Table[string, string]
		reads  int64 // of each row before the join can see it
		misses map[string]bool
	}{
		{"as goka's", func(b *kstream.Builder) ktable.Table[string, string] { return kstream.GokaTable[string](b, "users") }, 2, map[string]bool{}},
		{"as it is", func(b *kstream.Builder) ktable.Table[string, string] {
			return kstream.Table[string, string](b, "users-table")
		}, 1, differ},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := startCluster(t, map[string]int{"users-table": partitions, "visits": partitions, "greetings": partitions})
			for _, name := range names {
				k.produce("users-table", processor.FNV1aPartition(name, partitions), rec{name, "old", 1}, rec{name, "of " + name, 2})
			}
			b := kstream.NewBuilder()
			visits := kstream.From[string, string](b, "visits")
			greetings := kstream.LeftJoinTable(visits, c.table(b), func(visit, user string, known bool) string {
				if !known {
					return "nobody"
				}
				return visit + " " + user
			})
			greetings.To("greetings", with.Partitioner(processor.FNV1a[string, string]()))
			cfg := millrace.Config{ApplicationID: "goka", MaxTaskIdle: -1}
			topology, err := b.Build(cfg.Topology())
			if err != nil {
				t.Fatal(err)
			}
			app := k.start(topology, cfg)
			app.awaitStats("the rows", func(s millrace.Stats) bool { return s.Processed() == c.reads*2*keys })
			for _, name := range names {
				k.produce("visits", murmur.Partition([]byte(name), partitions), rec{name, "visit", 10})
			}
			misses, seen := map[string]bool{}, 0
			k.follow("greetings", func(tp kafka.TopicPartition, key, value []byte) bool {
				name := string(key)
				if want := processor.FNV1aPartition(name, partitions); tp.Partition != want {
					t.Errorf("%s lies in partition %d, goka looks for it in %d", name, tp.Partition, want)
				}
				if string(value) == "nobody" {
					misses[name] = true
				} else if want := "visit of " + name; string(value) != want {
					t.Errorf("%s: %q, want %q", name, value, want)
				}
				seen++
				return seen == keys
			})
			app.stop()
			if diff := cmp.Diff(c.misses, misses); diff != "" {
				t.Errorf("keys without a row (-want +got):\n%s", diff)
			}
		})
	}
}
