package changelog

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vector is a text or byte string that Kafka Streams made.
type vector struct {
	Name   string
	Inputs struct {
		ResultText        string `json:"result_text"`
		PartitionTime     int64
		ProcessorMetadata map[string]int64
		Additional        int64  `json:"additional_retention_ms"`
		Application       string `json:"application.id"`
		Process           string `json:"processId"`
		Client            string `json:"client.id"`
		Store             string
	}
	Hex string
}

func vectors(t *testing.T, prefix string) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	of := slices.DeleteFunc(all, func(v vector) bool { return !strings.HasPrefix(v.Name, prefix) })
	if len(of) == 0 {
		t.Fatalf("no vectors %s*", prefix)
	}
	return of
}

func TestTopicConfigVectors(t *testing.T) {
	const hour = 3_600_000
	configs := map[string]TopicConfig{
		"repartition":                     {Kind: Repartition},
		"changelog_kv":                    {Kind: Compacted},
		"changelog_window_retention_1h":   {Kind: Windowed, Retention: hour},
		"changelog_stream_join_window_1h": {Kind: StreamJoin, Retention: hour},
		"changelog_versioned_history_1h":  {Kind: Versioned, Retention: hour},
		"changelog_window_user_retention": {Kind: Windowed, Retention: hour, Overrides: map[string]string{RetentionMs: "5"}},
		"changelog_window_overflow":       {Kind: Windowed, Retention: math.MaxInt64},
	}
	for _, v := range vectors(t, "topic_config/") {
		t.Run(v.Name, func(t *testing.T) {
			c, ok := configs[strings.TrimPrefix(v.Name, "topic_config/")]
			if !ok {
				t.Fatal("no config for this vector")
			}
			var pairs []string
			props := c.Properties(nil, v.Inputs.Additional)
			for _, k := range slices.Sorted(maps.Keys(props)) {
				pairs = append(pairs, k+"="+props[k])
			}
			if got := "{" + strings.Join(pairs, ", ") + "}"; got != v.Inputs.ResultText {
				t.Errorf("got  %s\nwant %s", got, v.Inputs.ResultText)
			}
		})
	}
}

func TestTopicConfigPrecedence(t *testing.T) {
	defaults := map[string]string{"retention.ms": "1", "cleanup.policy": "compact", "segment.bytes": "2", "compression.type": "zstd"}
	store := map[string]string{"segment.bytes": "3", "cleanup.policy": "compact,delete"}
	for _, tc := range []struct {
		config TopicConfig
		want   map[string]string
	}{
		{TopicConfig{Kind: Repartition}, map[string]string{
			"cleanup.policy": "compact", "compression.type": "zstd", "message.timestamp.type": "CreateTime", "retention.ms": "1", "segment.bytes": "2"}},
		{TopicConfig{Kind: Windowed, Retention: 10, Overrides: store}, map[string]string{
			"cleanup.policy": "compact,delete", "compression.type": "zstd", "message.timestamp.type": "CreateTime", "retention.ms": "17", "segment.bytes": "3"}},
		{TopicConfig{Kind: StreamJoin, Retention: 10, Overrides: store}, map[string]string{
			"cleanup.policy": "delete", "compression.type": "zstd", "message.timestamp.type": "CreateTime", "retention.ms": "17", "segment.bytes": "3"}},
		{TopicConfig{Kind: Versioned, Retention: 10, Overrides: map[string]string{MinCompactionLagMs: "4"}}, map[string]string{
			"cleanup.policy": "compact", "compression.type": "zstd", "message.timestamp.type": "CreateTime", "retention.ms": "1", "segment.bytes": "2", "min.compaction.lag.ms": "4"}},
	} {
		t.Run(fmt.Sprint(tc.config.Kind), func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.config.Properties(defaults, 7)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if defaults["retention.ms"] != "1" || len(store) != 2 {
		t.Error("Properties changed its arguments")
	}
}

func TestOffsetMetadataVectors(t *testing.T) {
	for _, v := range vectors(t, "offset_metadata/") {
		t.Run(v.Name, func(t *testing.T) {
			want := OffsetMetadata{PartitionTime: v.Inputs.PartitionTime, Processor: v.Inputs.ProcessorMetadata}
			if want.Processor == nil {
				want.Processor = map[string]int64{}
			}
			if v.Name == "offset_metadata/processor_metadata_bytes" {
				if got := hex.EncodeToString(AppendProcessorMetadata(nil, want.Processor)); got != v.Hex {
					t.Errorf("got %s, want %s", got, v.Hex)
				}
				return
			}
			got, err := DecodeOffsetMetadata(v.Inputs.ResultText)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(v.Name, "/v1") {
				return // read, never written
			}
			if text := want.Encode(); text != v.Inputs.ResultText {
				t.Errorf("got %s, want %s", text, v.Inputs.ResultText)
			}
		})
	}
}

func TestIDVectors(t *testing.T) {
	const client = "my-app-01234567-89ab-cdef-0123-456789abcdef"
	for _, v := range vectors(t, "id/") {
		in := v.Inputs
		got := map[string]string{
			"client_id_default": ClientID(in.Application, in.Process),
			"thread":            StreamThread(in.Client, 1),
			"main_consumer":     ConsumerID(StreamThread(client, 1)),
			"restore_consumer":  RestoreConsumerID(StateUpdater(client, 1)),
			"producer":          ProducerID(StreamThread(client, 1)),
			"admin":             AdminID(client),
			"transactional":     TransactionalID(in.Application, in.Process, 1),
			"changelog_topic":   StoreTopic(in.Application, in.Store),
		}[strings.TrimPrefix(v.Name, "id/")]
		if got != in.ResultText {
			t.Errorf("%s: got %q, want %q", v.Name, got, in.ResultText)
		}
	}
}
