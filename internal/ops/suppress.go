package ops

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// Suppression says how long a table's updates are held back (Java: Suppressed).
type Suppression struct {
	// WindowEnd holds each back until its window ends and WaitMs is over, and
	// drops those that delete: nothing was seen of the window before. Otherwise
	// an update leaves WaitMs after its timestamp.
	WindowEnd bool
	WaitMs    int64
	// MaxRecords and MaxBytes limit the buffer. When it is over a limit,
	// EmitEarly lets out the next updates before their time; otherwise the task
	// fails.
	MaxRecords, MaxBytes int64
	EmitEarly            bool
}

// NoLimit is a limit that is none.
const NoLimit = math.MaxInt64

// Suppress holds back the updates of a table (Java: KTableSuppressProcessor).
// How far time has come it sees from the records that reach it, anew after each
// start.
type Suppress[K, V any] struct {
	parent dsl.TableSupplier[K, V]
	spec   Suppression
	store  string
}

// NewSuppress plans a suppression whose buffer is the store of that name. The
// parent must send old values.
func NewSuppress[K, V any](parent dsl.TableSupplier[K, V], spec Suppression, store string) *Suppress[K, V] {
	return &Suppress[K, V]{parent: parent, spec: spec, store: store}
}

// EnableOldValues implements dsl.TableSupplier.
func (s *Suppress[K, V]) EnableOldValues(force bool) bool { return s.parent.EnableOldValues(force) }

// View implements dsl.TableSupplier.
func (s *Suppress[K, V]) View() dsl.View[K, V] {
	parent := s.parent.View()
	return dsl.View[K, V]{Stores: append([]string{s.store}, parent.Stores...), New: func() dsl.ValueGetter[K, V] {
		return &suppressGetter[K, V]{ValueGetter: parent.New(), store: s.store}
	}}
}

// SuppressNode makes the node of a suppression with its buffer.
func SuppressNode[K, V any](name string, plan *Suppress[K, V], buffer SuppressBuffer[K, V]) *dsl.Node {
	var n *dsl.Node
	n = dsl.NewProcessor(name, dsl.Processor{New: plan.New, Stores: func() ([]statestore.Builder, error) {
		b, err := buffer.builder(n, plan.store)
		if err != nil {
			return nil, err
		}
		return []statestore.Builder{b}, nil
	}})
	n.Suppress, n.Output = true, dsl.Unversioned
	return n
}

// windowed is a key that has a window.
type windowed interface{ WindowEnd() int64 }

// HasWindows tells whether keys of the type may have windows.
func HasWindows[K any]() bool {
	if _, ok := any(new(K)).(windowed); ok {
		return true
	}
	return reflect.TypeFor[K]().Kind() == reflect.Interface
}

// New makes the unit of a task.
func (s *Suppress[K, V]) New() (processor.Unit, error) {
	return &suppress[K, V]{plan: s, streamTime: noTime}, nil
}

type suppress[K, V any] struct {
	processor.Out[K, processor.Change[V]]
	plan       *Suppress[K, V]
	node       *processor.Node
	buffer     *suppressBuffer[K, V]
	streamTime int64
	// key is scratch.
	key K
}

// Init implements processor.Unit.
func (s *suppress[K, V]) Init(n *processor.Node) (err error) {
	s.node = n
	s.buffer, err = openSuppressBuffer[K, V](n, s.plan.store)
	return err
}

func openSuppressBuffer[K, V any](n *processor.Node, name string) (*suppressBuffer[K, V], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	b, ok := s.(*suppressBuffer[K, V])
	if !ok {
		return nil, fmt.Errorf("node %s: store %s is %T, want the buffer of a suppression of %T and %T: %w",
			n.Name(), name, s, *new(K), *new(V), processor.ErrTypeMismatch)
	}
	return b, nil
}

// Close implements processor.Unit.
func (s *suppress[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (s *suppress[K, V]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	s.streamTime = max(s.streamTime, rec.Timestamp)
	time, err := s.bufferTime(&rec)
	if err != nil {
		return err
	}
	if err := s.buffer.put(time, &rec, s.node.Host().RecordContext()); err != nil {
		return err
	}
	expired := s.streamTime - s.plan.spec.WaitMs
	for u := s.buffer.min(); u != nil && u.Time <= expired; u = s.buffer.min() {
		if err := s.emit(u); err != nil {
			return err
		}
	}
	return s.limit()
}

func (s *suppress[K, V]) bufferTime(rec *processor.Record[K, processor.Change[V]]) (int64, error) {
	if !s.plan.spec.WindowEnd {
		return s.node.Host().RecordContext().Timestamp, nil
	}
	s.key = rec.Key
	w, ok := any(&s.key).(windowed)
	if !ok {
		w, ok = any(rec.Key).(windowed)
	}
	if !ok {
		return 0, fmt.Errorf("node %s: the key %T has no window: %w", s.node.Name(), rec.Key, processor.ErrTypeMismatch)
	}
	return w.WindowEnd(), nil
}

// limit keeps the buffer within its limits.
func (s *suppress[K, V]) limit() error {
	if !s.full() {
		return nil
	}
	spec := &s.plan.spec
	if !spec.EmitEarly {
		return &processor.StreamsError{Msg: fmt.Sprintf("%s buffer exceeded its max capacity. Currently [%d/%d] records and [%d/%d] bytes.",
			s.node.Name(), s.buffer.records(), spec.MaxRecords, s.buffer.bytes, spec.MaxBytes)}
	}
	for u := s.buffer.min(); u != nil && s.full(); u = s.buffer.min() {
		if err := s.emit(u); err != nil {
			return err
		}
	}
	return nil
}

func (s *suppress[K, V]) full() bool {
	return s.buffer.records() > s.plan.spec.MaxRecords || s.buffer.bytes > s.plan.spec.MaxBytes
}

// emit sends an update under its own context. What reads the table meanwhile
// still sees what was there before.
func (s *suppress[K, V]) emit(u *heldUpdate) error {
	key, c, err := s.buffer.decode(u)
	if err != nil {
		return err
	}
	if c.HasNew || !s.plan.spec.WindowEnd {
		host := s.node.Host()
		current := host.RecordContext()
		own := u.Context
		host.SetRecordContext(&own)
		err = s.Forward(processor.Record[K, processor.Change[V]]{Key: key, Value: c, Timestamp: own.Timestamp, Headers: own.Headers})
		host.SetRecordContext(current)
		if err != nil {
			return err
		}
	}
	s.buffer.evicted(u)
	return nil
}

// suppressGetter reads a suppressed table: what was last seen downstream of
// keys in the buffer, the parent's rows of the others.
type suppressGetter[K, V any] struct {
	dsl.ValueGetter[K, V]
	store  string
	buffer *suppressBuffer[K, V]
}

// Init implements dsl.ValueGetter.
func (g *suppressGetter[K, V]) Init(n *processor.Node) (err error) {
	if err := g.ValueGetter.Init(n); err != nil {
		return err
	}
	g.buffer, err = openSuppressBuffer[K, V](n, g.store)
	return err
}

// Get implements dsl.ValueGetter.
func (g *suppressGetter[K, V]) Get(key K) (statestore.Timed[V], bool, error) {
	row, has, held, err := g.buffer.prior(key)
	if err != nil || held {
		return row, has, err
	}
	return g.ValueGetter.Get(key)
}

// GetAsOf implements dsl.ValueGetter.
func (g *suppressGetter[K, V]) GetAsOf(K, int64) (row statestore.Timed[V], ok bool, err error) {
	return row, false, errors.New("a suppressed table cannot be read as of a time")
}

// Versioned implements dsl.ValueGetter.
func (g *suppressGetter[K, V]) Versioned() bool { return false }
