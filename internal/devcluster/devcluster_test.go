package devcluster_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/millrace/millrace/internal/devcluster"
	"github.com/millrace/millrace/internal/kafka"
)

func admin(t *testing.T, c *devcluster.Cluster) *kafka.Admin {
	t.Helper()
	a, err := kafka.NewAdmin(kafka.Config{Brokers: c.Brokers(), ConnectTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func TestStartServesTopicsOnLoopback(t *testing.T) {
	c, err := devcluster.Start(t.Context(), devcluster.Options{Brokers: 2, Topics: map[string]int{"in": 3}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Brokers()) != 2 {
		t.Fatalf("brokers %v, want 2", c.Brokers())
	}
	for _, b := range c.Brokers() {
		host, _, err := net.SplitHostPort(b)
		if err != nil || !net.ParseIP(host).IsLoopback() {
			t.Errorf("broker %s does not listen on loopback (%v)", b, err)
		}
	}
	topics, err := admin(t, c).DescribeTopics(t.Context(), "in", "out")
	if err != nil || topics["in"].Partitions != 3 || len(topics) != 1 {
		t.Fatalf("topics %v, %v; want in with 3 partitions alone", topics, err)
	}
}

func TestDirKeepsData(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"", "5"} {
		c, err := devcluster.Start(t.Context(), devcluster.Options{Dir: dir, Topics: map[string]int{"in": 1}})
		if err != nil {
			t.Fatal(err)
		}
		a := admin(t, c)
		if i == 0 {
			err = a.CreateTopic(t.Context(), "kept", 5, 1, nil)
		}
		got, derr := a.DescribeTopics(t.Context(), "kept")
		if err != nil || derr != nil || (want != "" && got["kept"].Partitions != 5) {
			t.Errorf("run %d: kept %v, %v, %v", i, got, err, derr)
		}
		a.Close()
		c.Close()
	}
}

func TestContextEndsCluster(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := devcluster.Start(ctx, devcluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", c.Brokers()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	var timeout net.Error
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("the connection was not closed with the cluster: %v", err)
	}
	c.Close()
}
