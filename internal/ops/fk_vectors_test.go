package ops

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// joinVector is what a JVM wrote.
type joinVector struct {
	Name   string
	Inputs struct {
		Version           byte
		Instruction       string
		HashOf            *string `json:"hash_of"`
		PrimaryKey        any
		PrimaryPartition  *int32
		ForeignKey, Value string
		ForeignValue      *string
		Key               string
		Timestamp         int64
		Seqnum            uint32
	}
	Hex string
}

var instructions = map[string]instruction{
	"DELETE_KEY_NO_PROPAGATE": unsubscribe, "DELETE_KEY_AND_PROPAGATE": unsubscribeAnswered,
	"PROPAGATE_NULL_IF_NO_FK_VAL_AVAILABLE": subscribeAnswered, "PROPAGATE_ONLY_IF_FK_VAL_AVAILABLE": subscribe,
}

func TestJoinVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/joins.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []joinVector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(*testing.T, joinVector, []byte){
		"fk/subscription": checkSubscription, "fk/response": checkResponse, "fk/combined_key": checkCombined, "fk/combined_key_prefix": checkCombined,
		"gracebuffer/key": checkBuffered, "gracebuffer/store_value": checkBuffered, "gracebuffer/changelog_value": checkBuffered,
	}
	if len(vectors) != 26 {
		t.Errorf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			want, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			kind := v.Name
			for _, prefix := range []string{"fk/subscription", "fk/response"} {
				if strings.HasPrefix(v.Name, prefix) {
					kind = prefix
				}
			}
			checks[kind](t, v, want)
		})
	}
}

func sameHex(t *testing.T, want, got []byte, err error) {
	t.Helper()
	if err != nil || string(got) != string(want) {
		t.Errorf("got %x, %v, want %x", got, err, want)
	}
}

func (v *joinVector) hash() rowHash {
	if v.Inputs.HashOf == nil {
		return rowHash{}
	}
	return hashOf([]byte(*v.Inputs.HashOf))
}

func checkSubscription(t *testing.T, v joinVector, want []byte) {
	s := SubscriptionSerde(serde.String())
	sub := Subscription[string]{hash: v.hash(), instruction: instructions[v.Inputs.Instruction], version: v.Inputs.Version, partition: -1}
	sub.key, _ = v.Inputs.PrimaryKey.(string)
	if v.Inputs.PrimaryPartition != nil {
		sub.partition = *v.Inputs.PrimaryPartition
	}
	got, err := s.AppendWithHeaders([]byte("x"), "t", nil, sub)
	sameHex(t, want, got[1:], err)
	back, err := s.DecodeWithHeaders("t", nil, want)
	if err != nil || back != sub {
		t.Errorf("got back %+v, %v, want %+v", back, err, sub)
	}
	for n := range len(want) - len(sub.key) - 4*int(sub.version) {
		if _, err := s.Decode("t", want[:n]); err == nil {
			t.Errorf("%d of %d bytes were accepted", n, len(want))
		}
	}
}

func checkResponse(t *testing.T, v joinVector, want []byte) {
	s := ResponseSerde(serde.String())
	r := Response[string]{hash: v.hash(), partition: 7}
	if v.Inputs.ForeignValue != nil {
		r.value, r.has = *v.Inputs.ForeignValue, true
	}
	got, err := s.AppendWithHeaders([]byte("x"), "t", nil, r)
	sameHex(t, want, got[1:], err)
	// The partition does not travel, and no bytes are no value.
	r.partition, r.has = -1, r.value != ""
	back, err := s.DecodeWithHeaders("t", nil, want)
	if err != nil || back != r {
		t.Errorf("got back %+v, %v, want %+v", back, err, r)
	}
	for n := range len(want) - len(r.value) {
		if _, err := s.Decode("t", want[:n]); err == nil {
			t.Errorf("%d of %d bytes were accepted", n, len(want))
		}
	}
}

func checkCombined(t *testing.T, v joinVector, want []byte) {
	k := foreignKeys[string, int64]{ForeignKeys: &ForeignKeys[string, int64]{Foreign: serde.String(), Primary: serde.Int64()}}
	if err := k.prefix(nil, v.Inputs.ForeignKey); err != nil {
		t.Fatal(err)
	}
	pk, isKey := v.Inputs.PrimaryKey.(float64)
	if isKey {
		var err error
		if k.buf, err = serde.AppendWith(k.Primary, k.buf, "", nil, int64(pk)); err != nil {
			t.Fatal(err)
		}
	}
	sameHex(t, want, k.buf, nil)
	u := foreignKeyUpdate[string, int64, string]{keys: k}
	if !isKey {
		return
	}
	back, err := u.primary(want, &processor.Record[string, processor.Change[string]]{})
	if err != nil || back != int64(pk) {
		t.Errorf("got back %d, %v", back, err)
	}
	if _, err := u.primary(want[:5], &processor.Record[string, processor.Change[string]]{}); err == nil {
		t.Error("a truncated key was accepted")
	}
}

// checkBuffered puts the record of the vectors, all of which are about one, and
// looks at the row and at the changelog.
func checkBuffered(t *testing.T, v joinVector, want []byte) {
	h := &logHost{host: newHost(t)}
	b := newBuffer(t, h, 0)
	rec := kv("key", "v", 1700000000000)
	h.rc = &record.Context{Topic: "in", Partition: 3, Offset: 42, Timestamp: rec.Timestamp, Headers: &record.Headers{}}
	if waits, err := b.put(rec); !waits || err != nil {
		t.Fatal(waits, err)
	}
	for row, err := range b.All() {
		switch v.Name {
		case "gracebuffer/key":
			sameHex(t, want, row.Key, err)
			sameHex(t, want, h.logged[0].Key, nil)
		case "gracebuffer/store_value":
			sameHex(t, want, row.Value, err)
		case "gracebuffer/changelog_value":
			sameHex(t, want, h.logged[0].Value, nil)
		}
	}
}
