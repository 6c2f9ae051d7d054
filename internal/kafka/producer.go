package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/record"
)

// ChoosePartition as the partition of [Producer.Produce] leaves the choice to
// the producer: by the key's hash as in Java, or sticky for a null key.
const ChoosePartition = int32(-1)

// ProducerConfig configures a [Producer]. Zero values mean the default given
// at the field.
type ProducerConfig struct {
	Config
	// Linger is how long a batch waits for company; 100 ms (linger.ms as
	// Kafka Streams sets it). Negative means not at all.
	Linger time.Duration
	// MaxBatchBytes bounds a batch and therefore a single record; 1 MiB
	// (max.request.size). Batches go out when full or after Linger, so that
	// a small limit like Java's batch.size would only refuse large records.
	MaxBatchBytes int32
	// MaxBufferedRecords and MaxBufferedBytes are the limits from which
	// Produce blocks; 20,000 and 32 MiB (buffer.memory).
	MaxBufferedRecords int
	MaxBufferedBytes   int
	// Compression is none, gzip, snappy, lz4 or zstd; none (compression.type).
	Compression string
	// DeliveryTimeout after which a record that could be sent, but was not
	// accepted, fails; 2 min (delivery.timeout.ms). It counts tries of about
	// one second, because the client library would measure the time from the
	// record's timestamp, which here is event time.
	DeliveryTimeout time.Duration
	// OnFailure is asked about each record that could not be delivered; true
	// drops the record, false makes the failure stick. It runs on a goroutine
	// of the client, one call at a time. Nil lets every failure stick.
	OnFailure func(Failure) (drop bool)
}

// Failure is a record that could not be delivered.
type Failure struct {
	Topic string
	// Partition is -1 when none had been chosen yet.
	Partition  int32
	Key, Value []byte
	// Timestamp in milliseconds since the epoch.
	Timestamp int64
	Headers   []record.Header
	Err       error
}

// Producer sends records asynchronously and idempotently: in order and without
// duplicates per partition. Produce belongs to one goroutine; the other
// methods are safe from any.
//
// Records are not built one by one on the heap: structs, keys, values and
// headers are carved from slabs, which are never used again, since the client
// owns them until it has the broker's answer. One promise serves all records.
type Producer struct {
	cl        *kgo.Client
	onFailure func(Failure) bool
	promise   func(*kgo.Record, error)
	slab      slab

	mu    sync.Mutex
	first error // sticks
	acks  map[TopicPartition]*int64
	last  TopicPartition // the partition lastAck belongs to
	ack   *int64
}

// NewProducer makes a producer. It does not connect.
func NewProducer(cfg ProducerConfig) (*Producer, error) {
	p := &Producer{onFailure: cfg.OnFailure, acks: make(map[TopicPartition]*int64)}
	p.promise = p.finished
	opts, err := cfg.options()
	if err != nil {
		return nil, err
	}
	if p.cl, err = cfg.open("producer", opts...); err != nil {
		return nil, err
	}
	return p, nil
}

func (cfg ProducerConfig) options() ([]kgo.Opt, error) {
	codec, ok := map[string]kgo.CompressionCodec{
		"": kgo.NoCompression(), "none": kgo.NoCompression(), "gzip": kgo.GzipCompression(),
		"snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}[cfg.Compression]
	if !ok {
		return nil, fmt.Errorf("compression.type %q is not one of none, gzip, snappy, lz4, zstd", cfg.Compression)
	}
	return []kgo.Opt{
		kgo.RecordPartitioner(partitioner{}),
		kgo.ProducerBatchCompression(codec),
		kgo.ProducerBatchMaxBytes(or(cfg.MaxBatchBytes, 1<<20)),
		kgo.ProducerLinger(max(0, or(cfg.Linger, 100*time.Millisecond))),
		kgo.MaxBufferedRecords(or(cfg.MaxBufferedRecords, 20_000)),
		kgo.MaxBufferedBytes(or(cfg.MaxBufferedBytes, 32<<20)),
		kgo.RecordRetries(5 + int(or(cfg.DeliveryTimeout, 2*time.Minute)/time.Second)),
		kgo.UnknownTopicRetries(30), // a topic just created is unknown to some brokers for a while
	}, nil
}

// Produce hands over one record and returns at once unless the buffer is full.
// Key, value and headers are copied; nil means null. The timestamp is in
// milliseconds since the epoch. It returns the error that has stuck, if any:
// nothing is sent after it.
func (p *Producer) Produce(ctx context.Context, topic string, partition int32, key, value []byte, timestamp int64, headers []record.Header) error {
	if err := p.Err(); err != nil {
		return err
	}
	r := p.slab.record()
	r.Topic, r.Partition = topic, partition
	r.Key, r.Value = p.slab.copy(key), p.slab.copy(value)
	r.Timestamp = time.UnixMilli(timestamp)
	r.Headers = p.slab.headers(headers)
	p.cl.Produce(ctx, r, p.promise)
	return nil
}

// Flush sends what is buffered and waits until each record has been delivered
// or has failed. It returns the error that has stuck, if any.
func (p *Producer) Flush(ctx context.Context) error {
	if err := p.cl.Flush(ctx); err != nil {
		return fmt.Errorf("flush producer: %w", explain(err))
	}
	return p.Err()
}

// Err returns the first failure that nobody wanted to drop. It stays: only a
// new producer sends again.
func (p *Producer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first
}

// Acked returns the highest offset that the broker gave to a record of this
// producer in the partition, and whether there is one. After a successful
// Flush it is that of the last record produced there.
func (p *Producer) Acked(tp TopicPartition) (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.acks[tp]; o != nil {
		return *o, true
	}
	return -1, false
}

// Buffered returns how many records have not been delivered yet.
func (p *Producer) Buffered() int64 { return p.cl.BufferedProduceRecords() }

// Close ends the producer. Records that are still buffered fail; flush before.
func (p *Producer) Close() { p.cl.Close() }

// finished is the promise of all records. The client calls it serially.
func (p *Producer) finished(r *kgo.Record, err error) {
	if err == nil {
		p.acked(r)
		return
	}
	err = fmt.Errorf("send to %s-%d: %w", r.Topic, r.Partition, explain(err))
	if p.onFailure != nil && p.onFailure(Failure{
		Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value,
		Timestamp: r.Timestamp.UnixMilli(), Headers: toHeaders(r.Headers), Err: err,
	}) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil {
		p.first = err
	}
}

func (p *Producer) acked(r *kgo.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ack == nil || p.last.Partition != r.Partition || p.last.Topic != r.Topic {
		p.last = TopicPartition{r.Topic, r.Partition}
		if p.ack = p.acks[p.last]; p.ack == nil {
			p.ack = new(int64)
			*p.ack = -1
			p.acks[p.last] = p.ack
		}
	}
	*p.ack = max(*p.ack, r.Offset)
}
