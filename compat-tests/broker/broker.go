// Package broker runs real Apache Kafka for tests. It owns the script that
// starts and stops the nodes, where the jars come from, and what happens
// without Java. It refuses to know what is tested.
package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Start runs a cluster of so many nodes for the length of the test and returns
// the addresses of its brokers. Each node has half a gigabyte of heap. Data is
// gone after the test; logs stay if it failed. The nodes die with the test's
// process, however that ends.
//
// Without Java the test is skipped, or fails if MILLRACE_REQUIRE_JVM is 1. The
// jars are those in the folder KAFKA_LIBS, or are fetched once by Maven.
func Start(t testing.TB, nodes int) []string {
	t.Helper()
	ready(t)
	addrs, dir := start(t, nodes)
	t.Cleanup(func() {
		if err := kill(dir); err != nil {
			t.Errorf("stop the broker: %v", err)
		}
		if t.Failed() {
			t.Logf("the logs of the broker are in %s", dir)
			return
		}
		os.RemoveAll(dir)
	})
	await(t, addrs)
	return addrs
}

// ready skips the test, or ends it, where no broker can run.
func ready(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a real broker takes some seconds")
	}
	jvm(t)
	if out, err := run(t.Context(), "libs"); err != nil {
		missing(t, fmt.Sprintf("no jars of Kafka: %v\n%s", err, out))
	}
}

// start starts the nodes with their data in a new folder. Somebody may take one
// of the ports before a node does, so it tries again.
func start(t testing.TB, nodes int) (addrs []string, dir string) {
	t.Helper()
	var failed error
	for range 3 {
		dir, err := os.MkdirTemp("", "millrace-broker-")
		if err != nil {
			t.Fatal(err)
		}
		port := freePorts(t, 2*nodes)
		out, err := run(t.Context(), "start", dir, strconv.Itoa(port), "-n", strconv.Itoa(nodes), "-w", strconv.Itoa(os.Getpid()))
		if err == nil {
			for i := range nodes {
				addrs = append(addrs, net.JoinHostPort("127.0.0.1", strconv.Itoa(port+2*i)))
			}
			return addrs, dir
		}
		failed = errors.Join(failed, fmt.Errorf("%w\n%s", err, out), kill(dir))
	}
	t.Fatalf("start the broker: %v", failed)
	return nil, ""
}

func kill(dir string) error {
	if out, err := run(context.Background(), "kill", dir); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func jvm(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("java"); err != nil {
		missing(t, "no java in PATH: install a JRE of version 17 or later")
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("MILLRACE_REQUIRE_JVM") == "1" {
		t.Fatal(why)
	}
	t.Skip(why + " (MILLRACE_REQUIRE_JVM=1 makes this a failure)")
}

// sourceDir is where this file and the script are.
func sourceDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// run runs the script.
func run(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", append([]string{filepath.Join(sourceDir(), "broker.sh")}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // what the script leaves running may hold the pipes
	err := cmd.Run()
	return out.String(), err
}

// freePorts finds n ports in a row that nobody listens on.
func freePorts(t testing.TB, n int) int {
	t.Helper()
	for range 100 {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := first.Addr().(*net.TCPAddr).Port
		taken := []net.Listener{first}
		for i := 1; i < n; i++ {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+i)))
			if err != nil {
				break
			}
			taken = append(taken, l)
		}
		for _, l := range taken {
			l.Close()
		}
		if len(taken) == n {
			return port
		}
	}
	t.Fatalf("no %d free ports in a row", n)
	return 0
}

// await returns when the cluster knows all its nodes.
func await(t testing.TB, addrs []string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(addrs...), kgo.MetadataMinAge(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		meta, err := kadm.NewClient(cl).BrokerMetadata(ctx)
		if err == nil && len(meta.Brokers) == len(addrs) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the cluster knows %d of %d nodes: %v", len(meta.Brokers), len(addrs), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
