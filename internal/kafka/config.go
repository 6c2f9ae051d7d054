package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Config is what every client needs to reach the cluster. Zero values of
// durations mean the default given at the field.
type Config struct {
	// Brokers are host:port addresses (bootstrap.servers).
	Brokers []string
	// ClientID names the client in the broker's logs and quotas (client.id).
	ClientID string
	// TLS encrypts connections when set (security.protocol SSL or SASL_SSL).
	TLS *tls.Config
	// SASL logs in when set.
	SASL *SASL
	// Rack is the client's rack: followers in it are read from (client.rack).
	Rack string
	// ReadCommitted hides open and aborted transactions from consumers and
	// fetchers (isolation.level=read_committed).
	ReadCommitted bool
	// ConnectTimeout bounds one dial and [Admin.Ping]; 10 s.
	ConnectTimeout time.Duration
	// RetryTimeout bounds the retries of one request; 30 s
	// (default.api.timeout.ms).
	RetryTimeout time.Duration
	// MetadataMinAge is the least time between two metadata requests; 100 ms.
	// It bounds how soon a moved leader or a new topic is found.
	MetadataMinAge time.Duration
	// MetadataMaxAge is the time after which metadata is asked anew; 5 min
	// (metadata.max.age.ms). It bounds how late a new topic matches a pattern.
	MetadataMaxAge time.Duration
	// Dial replaces the network dial; nil means TCP. Exclusive with TLS.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger receives what the client library reports; nil drops it.
	Logger *slog.Logger
}

// SASL is a login. Mechanism is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.
type SASL struct {
	Mechanism, User, Password string
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// base returns the options common to all clients.
func (c Config) base() ([]kgo.Opt, error) {
	if len(c.Brokers) == 0 {
		return nil, fmt.Errorf("no broker address given: set bootstrap.servers")
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Brokers...),
		kgo.DialTimeout(or(c.ConnectTimeout, 10*time.Second)),
		kgo.RetryTimeout(or(c.RetryTimeout, 30*time.Second)),
		kgo.RetryBackoffFn(backoff),
		kgo.MetadataMinAge(or(c.MetadataMinAge, 100*time.Millisecond)),
		kgo.MetadataMaxAge(or(c.MetadataMaxAge, 5*time.Minute)),
		kgo.SoftwareNameAndVersion("millrace", "1"),
		kgo.DisableClientMetrics(),
	}
	if c.ClientID != "" {
		opts = append(opts, kgo.ClientID(c.ClientID))
	}
	if c.TLS != nil {
		opts = append(opts, kgo.DialTLSConfig(c.TLS))
	}
	if c.Dial != nil {
		opts = append(opts, kgo.Dialer(c.Dial))
	}
	if c.Logger != nil {
		opts = append(opts, kgo.WithLogger(slogger{c.Logger}))
	}
	if c.SASL != nil {
		opt, err := c.SASL.option()
		if err != nil {
			return nil, err
		}
		opts = append(opts, opt)
	}
	return opts, nil
}

// backoff is 50 ms doubling to 1 s, as Java's retry.backoff.max.ms ends; the
// client library's own 250 ms to 5 s would make every leader move visible.
func backoff(fails int) time.Duration {
	return min(time.Second, 50*time.Millisecond<<min(max(fails-1, 0), 5))
}

func (s *SASL) option() (kgo.Opt, error) {
	switch s.Mechanism {
	case "PLAIN":
		return kgo.SASL(plain.Auth{User: s.User, Pass: s.Password}.AsMechanism()), nil
	case "SCRAM-SHA-256":
		return kgo.SASL(scram.Auth{User: s.User, Pass: s.Password}.AsSha256Mechanism()), nil
	case "SCRAM-SHA-512":
		return kgo.SASL(scram.Auth{User: s.User, Pass: s.Password}.AsSha512Mechanism()), nil
	}
	return nil, fmt.Errorf("SASL mechanism %q is not one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.Mechanism)
}

func (c Config) isolation() kgo.IsolationLevel {
	if c.ReadCommitted {
		return kgo.ReadCommitted()
	}
	return kgo.ReadUncommitted()
}

// open makes a client of the base options and more. It does not connect.
func (c Config) open(what string, more ...kgo.Opt) (*kgo.Client, error) {
	opts, err := c.base()
	if err != nil {
		return nil, err
	}
	cl, err := kgo.NewClient(slices.Concat(opts, more)...)
	if err != nil {
		return nil, fmt.Errorf("make Kafka %s client: %w", what, err)
	}
	return cl, nil
}

// slogger lets the client library log to slog; its notices are routine for an
// application, so they are one level lower here.
type slogger struct{ l *slog.Logger }

func (slogger) Level() kgo.LogLevel { return kgo.LogLevelInfo }

func (s slogger) Log(level kgo.LogLevel, msg string, kv ...any) {
	switch {
	case level == kgo.LogLevelError && canceled(kv):
		s.l.Debug(msg, kv...) // the application is ending
	case level == kgo.LogLevelError:
		s.l.Warn(msg, kv...)
	case level == kgo.LogLevelWarn:
		s.l.Info(msg, kv...)
	default:
		s.l.Debug(msg, kv...)
	}
}

// canceled reports whether a log line is about work that was given up on
// request.
func canceled(kv []any) bool {
	for _, v := range kv {
		if err, ok := v.(error); ok && errors.Is(err, context.Canceled) {
			return true
		}
	}
	return false
}
