package ops

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// ForeignKeyResolve joins an answer with the left table's row that asked (Java:
// ResponseJoinProcessorSupplier). An answer to another row than the current
// one, as its hash shows, is dropped.
type ForeignKeyResolve[K, L, R, O any] struct {
	Table dsl.View[K, L]
	Value serde.Serde[L]
	// Topic is that of the subscriptions, without the application id.
	Topic string
	// Join is told whether there is a row of the right table.
	Join func(l L, r R, has bool) O
	Left bool
}

// New makes the unit of a task.
func (r *ForeignKeyResolve[K, L, R, O]) New() (processor.Unit, error) {
	return &foreignKeyResolve[K, L, R, O]{plan: r, table: r.Table.New(), null: record.NullsOf[O]()}, nil
}

type foreignKeyResolve[K, L, R, O any] struct {
	processor.Out[K, O]
	plan  *ForeignKeyResolve[K, L, R, O]
	node  *processor.Node
	table dsl.ValueGetter[K, L]
	topic string
	null  record.Nulls[O]
	buf   []byte
}

// Init implements processor.Unit.
func (r *foreignKeyResolve[K, L, R, O]) Init(n *processor.Node) error {
	r.node = n
	r.topic = n.Host().ApplicationID() + "-" + r.plan.Topic + hashedTopicSuffix
	if err := r.table.Init(n); err != nil {
		return err
	}
	return dsl.Missing(r.plan.Value)
}

// Close implements processor.Unit.
func (r *foreignKeyResolve[K, L, R, O]) Close() error { return r.table.Close() }

// Receive implements processor.Receiver.
func (r *foreignKeyResolve[K, L, R, O]) Receive(rec processor.Record[K, Response[R]]) error {
	answer := &rec.Value
	if answer.version != responseVersion {
		return fmt.Errorf("response of unknown version %d", answer.version)
	}
	row, has, err := r.table.Get(rec.Key)
	if err != nil {
		return err
	}
	var current rowHash
	if has {
		if r.buf, err = serde.AppendWith(r.plan.Value, r.buf[:0], r.topic, rec.Headers, row.Value); err != nil {
			return fmt.Errorf("hash of the value: %w", notNull(err))
		}
		current = hashOf(r.buf)
	}
	if current != answer.hash {
		r.node.Host().Dropped()
		return nil
	}
	out := processor.Record[K, O]{Key: rec.Key, KeyNull: rec.KeyNull, Timestamp: rec.Timestamp, Headers: rec.Headers, ValueNull: true}
	if answer.has || r.plan.Left && has {
		out.Value = r.plan.Join(row.Value, answer.value, answer.has)
		out.ValueNull = r.null.Is(&out.Value)
	}
	return r.Forward(out)
}
