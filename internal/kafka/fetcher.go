package kafka

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/millrace/millrace/record"
)

// FetcherConfig configures a [Fetcher]. Zero values mean the default given at
// the field.
type FetcherConfig struct {
	Config
	// MaxWait is how long a broker may hold back an empty answer, and thereby
	// how long an added partition may wait for its first request; 100 ms.
	MaxWait time.Duration
	// MaxPartitionBytes of one partition in an answer; 1 MiB.
	MaxPartitionBytes int32
	// MaxBytes of one answer; 16 MiB.
	MaxBytes int32
}

// Fetcher reads explicit partitions from given offsets without a group: to
// restore state, to follow it as a standby, to load global tables.
//
// It asks the brokers with plain fetch requests instead of the client's
// consumer, because a restore ends by position: the consumer shows neither
// that aborted records were skipped nor that compaction emptied the tail, so
// that it never seems to reach the end. Here each answer moves the position
// past all that the broker says was there. One request per broker is under way
// while the batches of earlier ones are processed.
//
// A Fetcher belongs to one goroutine.
type Fetcher struct {
	cfg    FetcherConfig
	cl     *kgo.Client
	adm    *Admin
	ctx    context.Context
	cancel context.CancelFunc

	parts   map[TopicPartition]*cursor
	order   []TopicPartition // sorted keys of parts
	ids     map[string][16]byte
	flights map[int32]bool // brokers with a request under way
	landed  chan answer
	flight  int // of the latest Add

	refreshAt time.Time // when to ask for unknown leaders
	fails     int       // consecutive failures, for the backoff
	last      error     // the latest of them
}

// cursor is the state of one partition.
type cursor struct {
	next   int64
	leader int32 // -1: to be asked for
	// unknown counts how often the topic was not found.
	unknown int
	// flight counts restarts, so that the answer to a request made before
	// Add or Remove is told apart.
	flight int
	sent   bool
}

// answer is what one broker sent.
type answer struct {
	broker int32
	asked  map[TopicPartition]int // flight at the time of asking
	resp   *kmsg.FetchResponse
	err    error
}

// NewFetcher makes a fetcher without partitions. It does not connect. The
// context bounds its life besides Close.
func NewFetcher(ctx context.Context, cfg FetcherConfig) (*Fetcher, error) {
	cl, err := cfg.open("restore")
	if err != nil {
		return nil, err
	}
	f := &Fetcher{
		cfg: cfg, cl: cl, adm: newAdmin(cl, cfg.Config),
		parts:   make(map[TopicPartition]*cursor),
		ids:     make(map[string][16]byte),
		flights: make(map[int32]bool),
		landed:  make(chan answer),
	}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f, nil
}

// Admin returns calls that use the fetcher's connections.
func (f *Fetcher) Admin() *Admin { return f.adm }

// Add begins or restarts a partition at the offset of the next record wanted.
func (f *Fetcher) Add(tp TopicPartition, next int64) {
	c := f.parts[tp]
	if c == nil {
		c = &cursor{leader: -1}
		f.parts[tp] = c
		f.order = append(f.order, tp)
		slices.SortFunc(f.order, TopicPartition.Compare)
	}
	f.flight++
	c.next, c.sent, c.flight = next, false, f.flight
}

// Remove ends a partition; nothing of it is returned any more.
func (f *Fetcher) Remove(tp TopicPartition) {
	delete(f.parts, tp)
	f.order = slices.DeleteFunc(f.order, func(o TopicPartition) bool { return o == tp })
}

// Len returns the number of partitions being read.
func (f *Fetcher) Len() int { return len(f.parts) }

// Position returns the offset up to which a partition has been read, one past
// the last offset seen, and whether the partition is being read.
func (f *Fetcher) Position(tp TopicPartition) (int64, bool) {
	c := f.parts[tp]
	if c == nil {
		return -1, false
	}
	return c.next, true
}

// Close ends the fetcher and waits for its goroutines.
func (f *Fetcher) Close() {
	f.cancel()
	for len(f.flights) > 0 {
		a := <-f.landed
		delete(f.flights, a.broker)
	}
	f.cl.Close()
}

// Poll returns batches whose position moved, also those without records. It
// blocks until there is one or the context ends, which is no error: the result
// is then empty. A partition that cannot be read is returned with Err and is
// not read again until Add; if its offset is out of range, LogStart tells
// where the log begins. Passing troubles of brokers are retried for ever; the
// error of Poll itself is [ErrClosed] or [ErrNotAuthorized].
func (f *Fetcher) Poll(ctx context.Context) ([]Batch, error) {
	for {
		var again <-chan time.Time
		if f.leaderless() {
			if wait := time.Until(f.refreshAt); wait > 0 {
				again = time.After(wait)
			} else if out, err := f.refresh(ctx); len(out) > 0 || err != nil {
				return out, err
			} else if f.leaderless() {
				again = time.After(time.Until(f.refreshAt))
			}
		}
		f.send()
		select {
		case a := <-f.landed:
			delete(f.flights, a.broker)
			if out, err := f.take(a); len(out) > 0 || err != nil {
				return out, err
			}
		case <-again:
		case <-ctx.Done():
			return nil, nil
		case <-f.ctx.Done():
			return nil, ErrClosed
		}
	}
}

// ReadTo reads all partitions given by Add until each has reached its end (one
// past the last offset wanted), hands what it reads to apply and removes the
// partitions. One that is at its end already is not waited for; one that moved
// out of range ends with the error.
func (f *Fetcher) ReadTo(ctx context.Context, ends map[TopicPartition]int64, apply func(Batch) error) error {
	done := func() {
		for tp, end := range ends {
			if at, ok := f.Position(tp); ok && at >= end {
				f.Remove(tp)
			}
		}
	}
	for done(); f.Len() > 0; done() {
		if err := ctx.Err(); err != nil {
			if f.last != nil {
				err = fmt.Errorf("%w (last trouble: %w)", err, f.last)
			}
			return fmt.Errorf("read %d partitions to their end: %w", f.Len(), err)
		}
		batches, err := f.Poll(ctx)
		if err != nil {
			return err
		}
		for _, b := range batches {
			if b.Err != nil {
				return b.Err
			}
			end := ends[b.TopicPartition]
			b.Records = b.Records[:len(b.Records)-countFrom(b.Records, end)]
			if err := apply(b); err != nil {
				return fmt.Errorf("apply records of %s up to offset %d: %w", b.TopicPartition, b.Next, err)
			}
		}
	}
	return nil
}

// countFrom counts the records at or after the offset.
func countFrom(records []record.Raw, offset int64) int {
	n := 0
	for n < len(records) && records[len(records)-1-n].Offset >= offset {
		n++
	}
	return n
}
