package assign_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/millrace/millrace/internal/assign"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// vector is a message made by Kafka Streams 4.3.1, with what it was made of.
type vector struct {
	Name   string
	Hex    string
	Inputs struct {
		Version         int32
		Latest          int32 `json:"latestSupportedVersion"`
		ProcessID       string
		UserEndPoint    string
		TaskOffsetSums  map[string]int64
		UniqueField     int8
		ErrorCode       int32
		ClientTags      map[string]string
		Common          *int32 `json:"commonlySupportedVersion"`
		ActiveTasks     []string
		StandbyTasks    map[string][]string
		ByHost          json.RawMessage     `json:"partitionsByHost"`
		StandbyByHost   map[string][]string `json:"standbyPartitionsByHost"`
		ErrCode         int32
		NextRebalanceMs *int64
	}
}

func vectors(t *testing.T, prefix string) map[string]vector {
	t.Helper()
	b, err := os.ReadFile("testdata/classic.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]vector{}
	for _, v := range all {
		if strings.HasPrefix(v.Name, prefix) {
			out[strings.TrimPrefix(v.Name, prefix)] = v
		}
	}
	if len(out) == 0 {
		t.Fatalf("no vector %s", prefix)
	}
	return out
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func id(t *testing.T, s string) task.ID {
	t.Helper()
	id, err := task.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func process(t *testing.T, s string) (p assign.ProcessID) {
	t.Helper()
	copy(p[:], unhex(t, strings.ReplaceAll(s, "-", "")))
	return p
}

// tps reads "in-a-0".
func tps(t *testing.T, list []string) []kafka.TopicPartition {
	t.Helper()
	var out []kafka.TopicPartition
	for _, s := range list {
		i := strings.LastIndex(s, "-")
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, kafka.TopicPartition{Topic: s[:i], Partition: int32(n)})
	}
	return out
}

func TestSubscriptionVectors(t *testing.T) {
	for name, v := range vectors(t, "classic/subscription_userdata/") {
		t.Run(name, func(t *testing.T) {
			got, err := assign.DecodeSubscription(unhex(t, v.Hex))
			if err != nil {
				t.Fatal(err)
			}
			in := v.Inputs
			want := assign.Subscription{Version: in.Version, Latest: in.Latest, Process: process(t, in.ProcessID), Sums: map[task.ID]int64{}}
			for s, sum := range in.TaskOffsetSums {
				if in.Version <= 6 && sum >= 0 {
					sum = assign.SumUnknown // old versions only tell standby from active tasks
				}
				want.Sums[id(t, s)] = sum
			}
			if in.Version >= 2 {
				want.Endpoint = in.UserEndPoint
			}
			if in.Version >= 8 {
				want.Unique = in.UniqueField
			}
			if in.Version >= 9 {
				want.Error = in.ErrorCode
			}
			if in.Version >= 11 {
				want.Tags = in.ClientTags
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if in.Version == assign.Version {
				if enc := hex.EncodeToString(got.Encode()); enc != v.Hex {
					t.Errorf("encoded\n%s, want\n%s", enc, v.Hex)
				}
			}
		})
	}
}

func TestNewerSubscriptionIsReadInPart(t *testing.T) {
	got, err := assign.DecodeSubscription(unhex(t, "0000000c0000000dffff"))
	if want := (assign.Subscription{Version: 12, Latest: 13}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestAssignmentVectors(t *testing.T) {
	for name, v := range vectors(t, "classic/assignment_userdata/") {
		t.Run(name, func(t *testing.T) {
			got, err := assign.DecodeAssignment(unhex(t, v.Hex))
			if err != nil {
				t.Fatal(err)
			}
			in := v.Inputs
			want := assign.Assignment{Version: in.Version, Common: assign.Version, Error: in.ErrCode,
				NextRebalance: assign.NoRebalance, Standby: map[task.ID][]kafka.TopicPartition{}}
			if want.Version == 0 { // two vectors do not say what is the latest anyway
				want.Version = assign.Version
			}
			if in.Common != nil {
				want.Common = *in.Common
			}
			if in.NextRebalanceMs != nil {
				want.NextRebalance = *in.NextRebalanceMs
			}
			for _, s := range in.ActiveTasks {
				want.Active = append(want.Active, id(t, s))
			}
			for s, ps := range in.StandbyTasks {
				want.Standby[id(t, s)] = tps(t, ps)
			}
			if want.Version >= 2 {
				want.Hosts = hosts(t, in.ByHost)
			}
			if want.Version >= 6 {
				want.StandbyHosts = map[string][]kafka.TopicPartition{}
				for h, ps := range in.StandbyByHost {
					want.StandbyHosts[h] = tps(t, ps)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if enc := hex.EncodeToString(got.Encode()); enc != v.Hex {
				t.Errorf("encoded\n%s, want\n%s", enc, v.Hex)
			}
		})
	}
}

func hosts(t *testing.T, raw json.RawMessage) map[string][]kafka.TopicPartition {
	t.Helper()
	out := map[string][]kafka.TopicPartition{}
	if len(raw) == 0 {
		return out
	}
	var byHost map[string][]string
	if err := json.Unmarshal(raw, &byHost); err != nil {
		t.Fatal(err)
	}
	for h, ps := range byHost {
		out[h] = tps(t, ps)
	}
	return out
}

func TestLiveCapture(t *testing.T) {
	live := vectors(t, "classic/live_capture/")
	sub := kmsg.NewConsumerMemberMetadata()
	if err := sub.ReadFrom(unhex(t, live["subscription"].Hex)); err != nil {
		t.Fatal(err)
	}
	s, err := assign.DecodeSubscription(sub.UserData)
	if err != nil || s.Endpoint != "127.0.0.1:7777" || s.Tags["zone"] != "a" || s.Process.String() != live["subscription"].Inputs.ProcessID {
		t.Errorf("subscription %+v, %v", s, err)
	}
	ass := kmsg.NewConsumerMemberAssignment()
	if err := ass.ReadFrom(unhex(t, live["assignment"].Hex)); err != nil {
		t.Fatal(err)
	}
	a, err := assign.DecodeAssignment(ass.UserData)
	if err != nil {
		t.Fatal(err)
	}
	var parts []kafka.TopicPartition
	for _, topic := range ass.Topics {
		for _, p := range topic.Partitions {
			parts = append(parts, kafka.TopicPartition{Topic: topic.Topic, Partition: p})
		}
	}
	got, err := a.ActiveTasks(parts)
	want := map[task.ID][]kafka.TopicPartition{
		id(t, "0_1"): tps(t, []string{"in-1"}), id(t, "0_2"): tps(t, []string{"in-2"}),
		id(t, "1_1"): tps(t, []string{"wc1-cnt-repartition-1"}),
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
	if n := len(a.Hosts["127.0.0.1:7777"]); n != 6 {
		t.Errorf("the endpoint serves %d partitions, want 6", n)
	}
	if _, err := a.ActiveTasks(parts[1:]); err == nil {
		t.Error("a missing partition went unnoticed")
	}
}

func TestDamagedMessagesAreRefused(t *testing.T) {
	for prefix, decode := range map[string]func([]byte) error{
		"classic/subscription_userdata/": func(b []byte) error { _, err := assign.DecodeSubscription(b); return err },
		"classic/assignment_userdata/":   func(b []byte) error { _, err := assign.DecodeAssignment(b); return err },
	} {
		for name, v := range vectors(t, prefix) {
			whole := unhex(t, v.Hex)
			for n := range whole {
				if decode(whole[:n]) == nil {
					t.Errorf("%s cut to %d of %d bytes was accepted", name, n, len(whole))
				}
			}
		}
	}
	// A hostile count must not be believed.
	if _, err := assign.DecodeAssignment(unhex(t, "0000000b0000000b7fffffff")); err == nil {
		t.Error("a count of 2 billion entries was accepted")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 0, 0, 11})
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := assign.DecodeSubscription(b); err == nil && s.Version == assign.Version {
			again, err := assign.DecodeSubscription(s.Encode())
			if s.Latest = assign.Version; err != nil || !cmp.Equal(s, again) {
				t.Errorf("%+v became %+v, %v", s, again, err)
			}
		}
		_, _ = assign.DecodeAssignment(b)
	})
}

func TestCheckEndpoint(t *testing.T) {
	for s, ok := range map[string]bool{"h:1": true, "[::1]:8080": true, "h": false, ":1": false, "h:x": false, "h:70000": false} {
		if err := assign.CheckEndpoint(s); (err == nil) != ok {
			t.Error(fmt.Sprintf("%q: %v, want ok=%v", s, err, ok))
		}
	}
}
