package millrace_test

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// wordCount counts words: two sub-topologies around a repartition topic, the
// second with a store.
func wordCount(t *testing.T, cfg millrace.Config) *processor.Topology {
	t.Helper()
	b := kstream.NewBuilder()
	lines := kstream.From[string, string](b, "lines")
	words := kstream.FlatMapValues(lines, strings.Fields)
	counts := kstream.Count(kstream.GroupBy(words, func(_, w string) string { return w }), with.Store("counts"), with.InMemory())
	kstream.FromTable(counts).To("word-counts")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

// number reads Java's Long.
func number(b []byte) string {
	if len(b) != 8 {
		return fmt.Sprintf("%x", b)
	}
	return strconv.FormatInt(int64(binary.BigEndian.Uint64(b)), 10)
}

func TestWordCount(t *testing.T) {
	c := startCluster(t, map[string]int{"lines": 2, "word-counts": 2})
	cfg := millrace.Config{ApplicationID: "wc", StateDir: t.TempDir()}
	app := c.start(wordCount(t, cfg), cfg)
	app.await(millrace.Running)
	c.produce("lines", 0, rec{"k", "a b a", 1}, rec{"k", "c", 2})
	c.produce("lines", 1, rec{"k", "b a", 3})
	c.awaitTable("word-counts", map[string]string{"a": "3", "b": "2", "c": "1"}, number)
	app.stop()
	n := len(app.states)
	if n < 4 || app.states[0] != millrace.Rebalancing || app.states[1] != millrace.Running ||
		app.states[n-2] != millrace.PendingShutdown || app.states[n-1] != millrace.NotRunning {
		t.Errorf("states %v", app.states)
	}

	t.Log("a restart goes on from the committed offsets and the restored counts")
	var restored int64
	cfg.OnRestore = func(e millrace.RestoreEvent) {
		if e.Phase == millrace.RestoreEnded && e.Store == "counts" {
			restored += e.Records
		}
	}
	again := c.start(wordCount(t, cfg), cfg)
	again.await(millrace.Running)
	c.produce("lines", 1, rec{"k", "c d", 4})
	c.awaitTable("word-counts", map[string]string{"a": "3", "b": "2", "c": "2", "d": "1"}, number)
	again.stop()
	if restored == 0 {
		t.Error("nothing was restored")
	}
}
