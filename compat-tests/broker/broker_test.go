//go:build unix

package broker_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

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

// TestNodesDieWithTheirWatchedProcess is what keeps a killed test run from
// leaving brokers behind.
func TestNodesDieWithTheirWatchedProcess(t *testing.T) {
	broker.Start(t, 1) // skips without Java and fetches the jars
	watched := exec.Command("sleep", "600")
	if err := watched.Start(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	dir := t.TempDir()
	start := exec.Command("./broker.sh", "start", dir, strconv.Itoa(port), "-w", strconv.Itoa(watched.Process.Pid))
	if out, err := start.Output(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	text, err := os.ReadFile(dir + "/1/pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text[:len(text)-1]))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Kill(pid, 0), watched.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = watched.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for syscall.Kill(pid, 0) == nil && !gone(pid) {
		select {
		case <-ctx.Done():
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the node lives on")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// gone reports that nothing but an entry in the process table is left, where
// nobody collects the orphans.
func gone(pid int) bool {
	stat, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || len(stat) > 0 && stat[0] == 'Z'
}
