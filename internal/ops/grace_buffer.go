package ops

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/millrace/millrace/internal/storebytes"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// graceBuffer holds the records of a stream until the grace of a join with a
// table is over (KIP-923, Java: RocksDBTimeOrderedKeyValueBuffer). They leave
// it in the order of timestamp, key bytes and arrival.
//
// A row is `00 ‖ i64 timestamp ‖ key ‖ i32 number` → record context, two absent
// blobs and the value; the changelog has eight zero bytes behind that.
type graceBuffer[K, V any] struct {
	statestore.KeyValue[[]byte, []byte]
	// topic is what the serdes are told, the name of the join.
	topic   string
	graceMs int64
	key     serde.Serde[K]
	value   serde.Serde[V]
	host    statestore.Host
	log     statestore.Log
	// observed is the highest timestamp of a buffered record, -1 for none yet.
	observed int64
	// earliest is a lower bound of the timestamps held, once known is set.
	earliest int64
	known    bool
	number   uint32
	numbered bool
	keyBuf   []byte
	valueBuf []byte
}

const (
	timeFirst     = 0
	bufferKeyHead = 1 + 8
	bufferKeyTail = 4
	// bufferLogTail is how much longer a changelog value is.
	bufferLogTail = 8
)

// Open implements statestore.Store.
func (b *graceBuffer[K, V]) Open(h statestore.Host) error {
	b.host, b.log = h, h.Log(b.Name())
	return b.KeyValue.Open(h)
}

// Uncommitted implements statestore.Uncommitted.
func (b *graceBuffer[K, V]) Uncommitted() (bool, error) {
	if u, ok := b.KeyValue.(statestore.Uncommitted); ok {
		return u.Uncommitted()
	}
	return false, nil
}

// put takes a record unless its grace is over. The context is the current one.
func (b *graceBuffer[K, V]) put(rec processor.Record[K, V]) (waits bool, err error) {
	if rec.KeyNull {
		return false, fmt.Errorf("store %s: %w: %w", b.Name(), statestore.ErrNullKey, processor.ErrNull)
	}
	if b.observed-b.graceMs > rec.Timestamp {
		return false, nil
	}
	if err := b.encode(rec); err != nil {
		return false, fmt.Errorf("store %s: %w", b.Name(), err)
	}
	if err := b.Put(b.keyBuf, b.valueBuf); err != nil {
		return false, err
	}
	b.observed = max(b.observed, rec.Timestamp)
	b.earliest = min(b.earliest, rec.Timestamp)
	if b.log == nil {
		return true, nil
	}
	b.valueBuf = binary.BigEndian.AppendUint64(b.valueBuf, 0)
	return true, b.log.Log(b.keyBuf, b.valueBuf, processor.NoTimestamp, nil)
}

func (b *graceBuffer[K, V]) encode(rec processor.Record[K, V]) (err error) {
	if err := b.count(); err != nil {
		return err
	}
	b.number = (b.number + 1) & math.MaxInt32
	b.keyBuf = binary.BigEndian.AppendUint64(append(b.keyBuf[:0], timeFirst), uint64(rec.Timestamp))
	if b.keyBuf, err = serde.AppendWith(b.key, b.keyBuf, b.topic, rec.Headers, rec.Key); err != nil {
		return fmt.Errorf("key: %w", notNull(err))
	}
	b.keyBuf = binary.BigEndian.AppendUint32(b.keyBuf, b.number)
	b.valueBuf = storebytes.AppendContext(b.valueBuf[:0], b.host.RecordContext())
	b.valueBuf = storebytes.AppendBlob(storebytes.AppendBlob(b.valueBuf, nil), nil)
	at := len(b.valueBuf)
	b.valueBuf = append(b.valueBuf, 0, 0, 0, 0)
	b.valueBuf, err = serde.AppendWith(b.value, b.valueBuf, b.topic, rec.Headers, rec.Value)
	size := uint32(len(b.valueBuf) - at - 4)
	if errors.Is(err, serde.ErrNull) {
		b.valueBuf, size, err = b.valueBuf[:at+4], math.MaxUint32, nil
	}
	binary.BigEndian.PutUint32(b.valueBuf[at:], size)
	return err
}

// count goes on with the numbers behind those of the rows that a restored
// buffer holds, so that no record replaces another one.
func (b *graceBuffer[K, V]) count() error {
	if b.numbered {
		return nil
	}
	for row, err := range b.All() {
		if err != nil {
			return err
		}
		if n := len(row.Key); n >= bufferKeyHead+bufferKeyTail {
			b.number = max(b.number, binary.BigEndian.Uint32(row.Key[n-bufferKeyTail:]))
		}
	}
	b.numbered = true
	return nil
}

// evict hands over the records whose grace is over, each with its context, and
// forgets them. It stops at the first error; that record stays.
func (b *graceBuffer[K, V]) evict(emit func(processor.Record[K, V], *record.Context) error) error {
	until := b.observed - b.graceMs
	if until < 0 || b.known && b.earliest > until {
		return nil
	}
	b.known = false
	for row, err := range b.Range(statestore.To(timeBound(until + 1))) {
		if err != nil {
			return err
		}
		rec, rc, err := b.decode(row.Key, row.Value)
		if err != nil {
			return fmt.Errorf("store %s: %w", b.Name(), err)
		}
		if err := emit(rec, rc); err != nil {
			return err
		}
		if err := b.Remove(row.Key); err != nil {
			return err
		}
		if b.log == nil {
			continue
		}
		if err := b.log.Log(row.Key, nil, processor.NoTimestamp, nil); err != nil {
			return err
		}
	}
	b.earliest, b.known = until+1, true
	return nil
}

// timeBound is a key below all rows of a timestamp and above those before it.
func timeBound(time int64) []byte {
	return binary.BigEndian.AppendUint64([]byte{timeFirst}, uint64(time))
}

func (b *graceBuffer[K, V]) decode(key, value []byte) (rec processor.Record[K, V], _ *record.Context, err error) {
	if len(key) < bufferKeyHead+bufferKeyTail {
		return rec, nil, fmt.Errorf("key of %d bytes", len(key))
	}
	rc, rest, err := storebytes.ReadContext(value)
	if err != nil {
		return rec, nil, err
	}
	var raw []byte
	for range 3 { // prior, old, new
		if raw, rest, err = storebytes.ReadBlob(rest); err != nil {
			return rec, nil, err
		}
	}
	h := b.host.RecordContext().Headers
	if rec.Key, err = serde.DecodeWith(b.key, b.topic, h, key[bufferKeyHead:len(key)-bufferKeyTail]); err != nil {
		return rec, nil, fmt.Errorf("key: %w", err)
	}
	rec.ValueNull = raw == nil
	if raw != nil {
		rec.Value, err = serde.DecodeWith(b.value, b.topic, h, raw)
		if errors.Is(err, serde.ErrNull) {
			rec.ValueNull, err = true, nil
		}
	}
	rec.Timestamp, rec.Headers = rc.Timestamp, rc.Headers
	return rec, &rc, err
}

// Restore implements statestore.Store. Keys stay as they are; Kafka Streams
// 4.3.1 puts a second prefix before them and so loses what it restores.
func (b *graceBuffer[K, V]) Restore(batch []statestore.Change) error {
	rows := make([]statestore.Change, len(batch))
	for i, c := range batch {
		if n := len(c.Value); c.Value != nil {
			if n < bufferLogTail {
				return fmt.Errorf("restore store %s: value of %d bytes", b.Name(), n)
			}
			c.Value = c.Value[:n-bufferLogTail]
		}
		rows[i] = c
	}
	b.known, b.numbered = false, false
	return b.KeyValue.Restore(rows)
}
