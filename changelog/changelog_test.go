package changelog

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		RepartitionTopic("app", "counts"):          "app-counts-repartition",
		InternalTopic("app", "counts-repartition"): "app-counts-repartition",
		GlobalConsumerID(GlobalThread("c")):        "c-GlobalStreamThread-global-consumer",
		GroupInstanceID("pod0", 1):                 "pod0-1",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestIsInternal(t *testing.T) {
	for topic, want := range map[string]bool{
		"app-s-changelog":                                               true,
		"app-s-repartition":                                             true,
		"app-j-subscription-registration-topic":                         true,
		"app-j-subscription-response-topic":                             true,
		"app-KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000006-topic": true,
		"app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000016-topic":     true,
		"app-KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-x-topic":              false,
		"app-orders":            false,
		"application-changelog": false,
		"other-s-changelog":     false,
	} {
		if got := IsInternal("app", topic); got != want {
			t.Errorf("%s: got %t", topic, got)
		}
	}
}

func TestValidateTopic(t *testing.T) {
	for _, good := range []string{"a", "A.b_c-9", "...", strings.Repeat("x", 249)} {
		if err := ValidateTopic(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", ".", "..", "a b", "a/b", "é", strings.Repeat("x", 250)} {
		if ValidateTopic(bad) == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

func TestOffsetMetadataUnreadable(t *testing.T) {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	const time7 = "\x00\x00\x00\x00\x00\x00\x00\x07"
	for _, tc := range []struct {
		name, text string
		time       int64
	}{
		{"not base64", "%%%", UnknownTime},
		{"short", encode("\x02\x00"), UnknownTime},
		{"newer", encode("\x03" + time7), UnknownTime},
		{"no count", encode("\x02" + time7 + "\x00"), 7},
		{"no entry", encode("\x02" + time7 + "\x00\x00\x00\x01"), 7},
		{"negative key length", encode("\x02" + time7 + "\x00\x00\x00\x01\xff\xff\xff\xff"), 7},
		{"no value", encode("\x02" + time7 + "\x00\x00\x00\x01\x00\x00\x00\x01k\x00"), 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := DecodeOffsetMetadata(tc.text)
			if err == nil {
				t.Error("no error")
			}
			if m.PartitionTime != tc.time || m.Processor == nil || len(m.Processor) != 0 {
				t.Errorf("got %+v", m)
			}
		})
	}
	m, err := DecodeOffsetMetadata("")
	if err != nil || m.PartitionTime != UnknownTime || m.Processor == nil {
		t.Errorf("empty: %+v, %v", m, err)
	}
	// Java's decoder takes text without padding.
	m, err = DecodeOffsetMetadata("AgAAAaIuFb3gAAAAAQAAAAN3aW4AAAGiLhW94A")
	if err != nil || m.Processor["win"] != 1796069506528 {
		t.Errorf("unpadded: %+v, %v", m, err)
	}
}

// TestForeignProcessorKeys keeps what another instance's operators wrote.
func TestForeignProcessorKeys(t *testing.T) {
	own := map[string]int64{"ours": 5, "both": 9}
	MergeProcessorMetadata(own, map[string]int64{"theirs": -3, "both": 2, "ours": 6})
	want := map[string]int64{"ours": 6, "both": 9, "theirs": -3}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	back, err := DecodeOffsetMetadata(OffsetMetadata{PartitionTime: 1, Processor: own}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(OffsetMetadata{PartitionTime: 1, Processor: want}, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
