package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// What callers branch on; test with errors.Is.
var (
	// ErrMigrated: this member was fenced or forgotten by its group, or this
	// producer by a newer one; its partitions may already be processed
	// elsewhere (Java's TaskMigratedException).
	ErrMigrated = errors.New("partitions were taken over by another member")
	// ErrRebalancing: the group is rebalancing; the same commit may succeed later.
	ErrRebalancing = errors.New("the group is rebalancing")
	// ErrUnreachable: no broker answered.
	ErrUnreachable = errors.New("no Kafka broker could be reached")
	// ErrUnknownTopic: the topic does not exist.
	ErrUnknownTopic = errors.New("unknown topic")
	// ErrTopicExists: the topic to be created exists already.
	ErrTopicExists = errors.New("topic exists already")
	// ErrNotAuthorized: the credentials were refused or may not do this.
	ErrNotAuthorized = errors.New("not authorized")
	// ErrOutOfRange: the wanted offset is not in the log.
	ErrOutOfRange = errors.New("offset out of range")
	// ErrNoOffset: no committed offset exists and the reset policy is none.
	ErrNoOffset = errors.New("no committed offset and auto.offset.reset is none")
	// ErrClosed: the client was closed.
	ErrClosed = errors.New("client is closed")
)

// meaning pairs a broker's error code with what callers branch on.
var meaning = []struct {
	code *kerr.Error
	is   error
	cure string
}{
	{kerr.IllegalGeneration, ErrMigrated, ""},
	{kerr.UnknownMemberID, ErrMigrated, ""},
	{kerr.FencedInstanceID, ErrMigrated, "another process uses the same group.instance.id"},
	{kerr.FencedMemberEpoch, ErrMigrated, ""},
	{kerr.StaleMemberEpoch, ErrMigrated, ""},
	{kerr.InvalidProducerEpoch, ErrMigrated, ""},
	{kerr.ProducerFenced, ErrMigrated, ""},
	{kerr.InvalidProducerIDMapping, ErrMigrated, ""},
	{kerr.RebalanceInProgress, ErrRebalancing, ""},
	{kerr.UnknownTopicOrPartition, ErrUnknownTopic, "create the topic or correct its name"},
	{kerr.UnknownTopicID, ErrUnknownTopic, "the topic was deleted or created anew"},
	{kerr.TopicAlreadyExists, ErrTopicExists, ""},
	{kerr.OffsetOutOfRange, ErrOutOfRange, ""},
	{kerr.TopicAuthorizationFailed, ErrNotAuthorized, "grant the application the rights on this topic"},
	{kerr.GroupAuthorizationFailed, ErrNotAuthorized, "grant READ on the group named by application.id"},
	{kerr.TransactionalIDAuthorizationFailed, ErrNotAuthorized, "grant WRITE and DESCRIBE on transactional ids prefixed by application.id"},
	{kerr.ClusterAuthorizationFailed, ErrNotAuthorized, "grant the application the rights on the cluster"},
	{kerr.SaslAuthenticationFailed, ErrNotAuthorized, "check user name, password and SASL mechanism"},
}

// explain adds to a client error what callers branch on and, where one is
// known, the cure. It returns nil for nil and never explains twice.
func explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, kgo.ErrClientClosed) {
		return fmt.Errorf("%w (%w)", ErrClosed, err)
	}
	for _, m := range meaning {
		if !errors.Is(err, m.code) || errors.Is(err, m.is) {
			continue
		}
		if m.cure != "" {
			return fmt.Errorf("%w: %w; %s", m.is, err, m.cure)
		}
		return fmt.Errorf("%w: %w", m.is, err)
	}
	return err
}

// Retriable reports whether the same call may succeed later without anybody
// doing anything: a leader moved, a broker is restarting, a request timed out.
func Retriable(err error) bool {
	if err == nil || errors.Is(err, ErrMigrated) || errors.Is(err, ErrNotAuthorized) {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrRebalancing) ||
		errors.Is(err, ErrUnreachable) || errors.Is(err, io.EOF) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) || kerr.IsRetriable(err) || errors.Is(err, kgo.ErrRecordRetries)
}

// unreachable names the brokers that did not answer and what to do about it.
func unreachable(brokers []string, waited time.Duration, last error) error {
	return fmt.Errorf("%w: tried %s for %s: %w; start Kafka there, or set the broker addresses (bootstrap.servers) to where it runs and TLS/SASL to what it asks for",
		ErrUnreachable, strings.Join(brokers, ","), waited.Round(time.Millisecond), last)
}

// refused is a failed login. Some brokers say so, others just hang up.
func refused(err error) error {
	if err = explain(err); errors.Is(err, ErrNotAuthorized) {
		return err
	}
	return fmt.Errorf("%w: the broker hangs up during the login (%w); check user name, password and SASL mechanism", ErrNotAuthorized, err)
}
