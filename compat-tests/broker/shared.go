package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// shared is the broker of all tests of the process, once one has asked for it.
var shared struct {
	mu    sync.Mutex
	addrs []string
	dir   string
}

// Main runs the tests of a package that uses Shared and returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(broker.Main(m)) }
func Main(m *testing.M) int {
	code := m.Run()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.dir == "" {
		return code
	}
	if err := kill(shared.dir); err != nil {
		fmt.Fprintln(os.Stderr, "stop the broker:", err)
		code = max(code, 1)
	}
	if code == 0 {
		os.RemoveAll(shared.dir)
	} else {
		fmt.Fprintln(os.Stderr, "the logs of the broker are in", shared.dir)
	}
	return code
}

// Shared returns the address of a single broker without topics and groups. It
// is started once and swept for each test that asks for it, so that tests with
// the same names of topics do not meet; they must not run in parallel. The
// package's tests must be run by Main. Java is needed as for Start.
func Shared(t testing.TB) []string {
	t.Helper()
	ready(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.dir == "" {
		shared.addrs, shared.dir = start(t, 1)
		await(t, shared.addrs)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := sweep(ctx, shared.addrs); err != nil {
		t.Fatalf("sweep the broker: %v", err)
	}
	return shared.addrs
}

// sweep deletes all groups and topics. What is not gone at once, such as a
// group whose members are still leaving, is tried again.
func sweep(ctx context.Context, addrs []string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addrs...), kgo.MetadataMinAge(10*time.Millisecond))
	if err != nil {
		return err
	}
	defer cl.Close()
	for {
		groups, groupsErr := sweepGroups(ctx, cl)
		topics, topicsErr := sweepTopics(ctx, cl)
		err := errors.Join(groupsErr, topicsErr)
		if err == nil && groups+topics == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d groups and %d topics are left: %w", groups, topics, errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// sweepTopics deletes the topics and returns how many it has found.
func sweepTopics(ctx context.Context, cl *kgo.Client) (int, error) {
	adm := kadm.NewClient(cl)
	topics, err := adm.ListTopics(ctx)
	if err != nil || len(topics) == 0 {
		return len(topics), err
	}
	deleted, err := adm.DeleteTopics(ctx, topics.Names()...)
	return len(topics), errors.Join(err, deleted.Error())
}

// sweepGroups makes all members leave their groups, as what was killed cannot
// do it by itself, and deletes the groups. It returns how many it has found.
func sweepGroups(ctx context.Context, cl *kgo.Client) (int, error) {
	adm := kadm.NewClient(cl)
	groups, err := adm.ListGroups(ctx)
	if err != nil || len(groups) == 0 {
		return len(groups), err
	}
	described, err := adm.DescribeGroups(ctx, groups.Groups()...)
	if err != nil {
		return len(groups), err
	}
	for _, g := range described {
		if len(g.Members) == 0 {
			continue
		}
		leave := kmsg.NewPtrLeaveGroupRequest()
		leave.Group = g.Group
		for _, m := range g.Members {
			member := kmsg.NewLeaveGroupRequestMember()
			member.MemberID, member.InstanceID = m.MemberID, m.InstanceID
			leave.Members = append(leave.Members, member)
		}
		resp, err := leave.RequestWith(ctx, cl)
		if err == nil {
			err = kerr.ErrorForCode(resp.ErrorCode)
		}
		if err != nil {
			return len(groups), fmt.Errorf("leave group %s: %w", g.Group, err)
		}
	}
	deleted, err := adm.DeleteGroups(ctx, groups.Groups()...)
	return len(groups), errors.Join(err, deleted.Error())
}
