package millrace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// forward is the smallest topology: one source and one sink.
func forward(t *testing.T, from, to string) *processor.Topology {
	t.Helper()
	topology := processor.NewTopology()
	if err := processor.AddSource(topology, "in", serde.String(), serde.String(), []string{from}); err != nil {
		t.Fatal(err)
	}
	sink := processor.SinkConfig[string, string]{Topic: to, Key: serde.String(), Value: serde.String()}
	if err := processor.AddSink(topology, "out", sink, "in"); err != nil {
		t.Fatal(err)
	}
	return topology
}

func TestNewNamesAllMistakes(t *testing.T) {
	_, err := millrace.New(forward(t, "a", "b"), millrace.Config{
		Brokers: []string{"localhost"}, Workers: -1, Compression: "rar", SASL: &millrace.SASL{Mechanism: "X"},
		OffsetReset: processor.OffsetReset{Policy: "soon"}, SessionTimeout: time.Second, HeartbeatInterval: time.Second,
	})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"ApplicationID (application.id) is missing", `"localhost" is not host:port`, "Workers (num.stream.threads) is negative",
		`Compression (compression.type): "rar"`, `SASL (sasl.mechanism): "X"`, `policy "soon"`, "HeartbeatInterval"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
	if _, err := millrace.New(nil, millrace.Config{}); err == nil {
		t.Error("a nil topology was accepted")
	}
	if _, err := millrace.New(processor.NewTopology(), millrace.Config{ApplicationID: "a"}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty topology gave %v", err)
	}
}

func TestConfigTopologyTakesJavasDefaults(t *testing.T) {
	got := millrace.Config{ApplicationID: "a"}.Topology()
	want := processor.Config{ApplicationID: "a", CacheBytes: 10 << 20, WindowedChangelogExtra: 86_400_000, BufferedRecords: 1000}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return strings.HasPrefix(p.Last().String(), ".On") }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	off := millrace.Config{CacheBytes: millrace.NoCache, WindowedChangelogExtra: -1, MaxTaskIdle: -time.Hour}.Topology()
	if off.CacheBytes != 0 || off.WindowedChangelogExtra != 0 || off.MaxTaskIdle != -1 {
		t.Errorf("switched off: %+v", off)
	}
}

func TestConfigFromProperties(t *testing.T) {
	c, warnings, err := millrace.ConfigFromProperties(strings.NewReader(`
# a comment
! another
application.id = orders
bootstrap.servers: a:9092, \
    b:9093
num.stream.threads 3
commit.interval.ms=0
statestore.cache.max.bytes=0
max.task.idle.ms=-1
producer.linger.ms=5
consumer.auto.offset.reset=by_duration:PT1H30M
topology.optimization=all
default.timestamp.extractor=org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp
processing.exception.handler=org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler
topic.retention.ms=1000
state.dir=/caf\u00e9
num.standby.replicas=1
security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-256
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";
`))
	if err != nil {
		t.Fatal(err)
	}
	if c.TLS == nil || c.OnProcessingError == nil || c.TimestampExtractor == nil {
		t.Errorf("TLS, handler or extractor not set: %+v", c)
	}
	c.TLS, c.OnProcessingError, c.TimestampExtractor = nil, nil, nil
	want := millrace.Config{ApplicationID: "orders", Brokers: []string{"a:9092", "b:9093"}, Workers: 3, CommitInterval: -1,
		CacheBytes: millrace.NoCache, MaxTaskIdle: -time.Millisecond, Linger: 5 * time.Millisecond, Optimize: "all",
		OffsetReset: processor.OffsetReset{Policy: "by_duration", Back: 5_400_000, Text: "PT1H30M"},
		TopicConfig: map[string]string{"retention.ms": "1000"}, StateDir: "/café",
		SASL: &millrace.SASL{Mechanism: "SCRAM-SHA-256", User: "u", Password: "p"}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "num.standby.replicas") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestConfigFromPropertiesNamesMistakes(t *testing.T) {
	_, _, err := millrace.ConfigFromProperties(strings.NewReader("num.stream.thread=2\npoll.ms=soon\nprocessing.guarantee=exactly_once_v2\n" +
		"deserialization.exception.handler=com.example.Mine\nauto.offset.reset=by_duration:1h\n"))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"line 1: num.stream.thread: unknown key, nearest is num.stream.threads", `line 2: poll.ms: "soon" is not a whole number`,
		"line 3: processing.guarantee", "line 4: deserialization.exception.handler: com.example.Mine is a class of yours", `"1h" is not a duration`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}
