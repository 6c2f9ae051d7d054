package ops

import (
	"fmt"
	"reflect"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// StreamTableJoin joins the records of a stream with the rows of a table or
// global table (Java: KStreamKTableJoin, KStreamGlobalKTableJoin). Only the
// stream triggers results, which keep its timestamp and headers; a versioned
// table is read as of that timestamp. Records without a value are dropped, as
// are those without a key of the table, unless the join is a left one.
type StreamTableJoin[K, V, T, R, O any] struct {
	Table dsl.View[T, R]
	// Key finds the table's key; false is null. Own says that it is the
	// stream's own key, so that a null one needs no call.
	Key func(K, V) (T, bool)
	Own bool
	// Join is told whether the table has a row. WithKey says that it looks at
	// the key.
	Join    func(k K, v V, r R, has bool) O
	Left    bool
	WithKey bool
	// Buffer is the store in which records wait until the
	// grace after their timestamp is over (KIP-923); empty for none.
	Buffer string
}

// New makes the unit of a task.
func (j *StreamTableJoin[K, V, T, R, O]) New() (processor.Unit, error) {
	return &streamTableJoin[K, V, T, R, O]{plan: j, table: j.Table.New(), null: record.NullsOf[O](), nullKey: record.NullsOf[T](),
		keyFits: record.NullsOf[K]().Possible(), valueFits: record.NullsOf[V]().Possible()}, nil
}

type streamTableJoin[K, V, T, R, O any] struct {
	processor.Out[K, O]
	plan      *StreamTableJoin[K, V, T, R, O]
	table     dsl.ValueGetter[T, R]
	node      *processor.Node
	buffer    *graceBuffer[K, V]
	emitting  func(processor.Record[K, V], *record.Context) error
	versioned bool
	null      record.Nulls[O]
	nullKey   record.Nulls[T]
	// keyFits and valueFits say that the types of the stream can hold null.
	keyFits, valueFits bool
}

// Init implements processor.Unit.
func (j *streamTableJoin[K, V, T, R, O]) Init(n *processor.Node) error {
	j.node = n
	if err := j.table.Init(n); err != nil {
		return err
	}
	j.versioned = j.table.Versioned()
	if j.plan.Buffer == "" {
		return nil
	}
	if !j.versioned {
		return dsl.Errorf(dsl.KindArgument, "KTable must be versioned to use a grace period in a stream table join.")
	}
	s, err := n.Store(j.plan.Buffer)
	if err != nil {
		return err
	}
	j.emitting = j.emit
	var ok bool
	if j.buffer, ok = s.(*graceBuffer[K, V]); !ok {
		return fmt.Errorf("node %s: store %s is %T, want the buffer of a join: %w", n.Name(), j.plan.Buffer, s, processor.ErrTypeMismatch)
	}
	return nil
}

// Close implements processor.Unit.
func (j *streamTableJoin[K, V, T, R, O]) Close() error { return j.table.Close() }

// Receive implements processor.Receiver.
func (j *streamTableJoin[K, V, T, R, O]) Receive(rec processor.Record[K, V]) error {
	key, has, err := j.key(rec)
	if err != nil {
		return err
	}
	if rec.ValueNull || !has && !j.plan.Left {
		j.node.Host().Dropped()
		return nil
	}
	if j.buffer == nil {
		return j.join(rec, key, has)
	}
	waits, err := j.buffer.put(rec)
	if err != nil {
		return err
	}
	if !waits {
		return j.join(rec, key, has)
	}
	return j.buffer.evict(j.emitting)
}

// emit joins a record whose grace is over. The record context is its own then.
func (j *streamTableJoin[K, V, T, R, O]) emit(rec processor.Record[K, V], rc *record.Context) error {
	host := j.node.Host()
	before := host.RecordContext()
	host.SetRecordContext(rc)
	key, has, err := j.key(rec)
	if err == nil {
		err = j.join(rec, key, has)
	}
	host.SetRecordContext(before)
	return err
}

// key is the table's key of a record. A null value, which is dropped anyway, is
// shown to the user's function only if its type can hold one.
func (j *streamTableJoin[K, V, T, R, O]) key(rec processor.Record[K, V]) (key T, has bool, err error) {
	switch {
	case j.plan.Own && rec.KeyNull, rec.ValueNull && !j.valueFits:
		return key, false, nil
	case rec.KeyNull && !j.keyFits:
		return key, false, j.refuse()
	}
	if key, has = j.plan.Key(rec.Key, rec.Value); has && j.nullKey.Is(&key) {
		has = false
	}
	return key, has, nil
}

func (j *streamTableJoin[K, V, T, R, O]) refuse() error {
	t := reflect.TypeFor[K]()
	return fmt.Errorf("node %s: a null key reached a function over %v, which cannot hold it; a stream over *%v can: %w",
		j.node.Name(), t, t, processor.ErrNull)
}

func (j *streamTableJoin[K, V, T, R, O]) join(rec processor.Record[K, V], key T, has bool) error {
	var row statestore.Timed[R]
	found := false
	if has {
		var err error
		if row, found, err = j.row(key, rec.Timestamp); err != nil {
			return err
		}
	}
	if !found && !j.plan.Left {
		return nil
	}
	if rec.KeyNull && j.plan.WithKey && !j.keyFits {
		return j.refuse()
	}
	out := processor.Record[K, O]{Key: rec.Key, KeyNull: rec.KeyNull, Timestamp: rec.Timestamp, Headers: rec.Headers,
		Value: j.plan.Join(rec.Key, rec.Value, row.Value, found)}
	out.ValueNull = j.null.Is(&out.Value)
	return j.Forward(out)
}

func (j *streamTableJoin[K, V, T, R, O]) row(key T, time int64) (statestore.Timed[R], bool, error) {
	if j.versioned {
		return j.table.GetAsOf(key, time)
	}
	return j.table.Get(key)
}
