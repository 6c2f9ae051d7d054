package broker_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/compat-tests/broker"
)

func TestClusterOfThreeReplicates(t *testing.T) {
	addrs := broker.Start(t, 3)
	cl, err := kgo.NewClient(kgo.SeedBrokers(addrs...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	if resp, err := adm.CreateTopic(t.Context(), 2, 3, nil, "in"); err != nil || resp.Err != nil {
		t.Fatal(err, resp.Err)
	}
	r := &kgo.Record{Topic: "in", Value: []byte("v")}
	if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	ends, err := adm.ListEndOffsets(t.Context(), "in")
	if o, ok := ends.Lookup("in", r.Partition); err != nil || !ok || o.Offset != 1 {
		t.Fatalf("end offset %v, %v; want 1", o, err)
	}
}
