package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
)

// OldValueSender is the half of [Table] that does not depend on types.
type OldValueSender interface {
	EnableOldValues(force bool) bool
}

// TablePassThrough sends on the changes of several operators that write to one
// store, as their common result (Java: KTablePassThrough).
type TablePassThrough[K, V any] struct {
	parents []OldValueSender
	view    dsl.View[K, V]
}

// NewTablePassThrough plans the common result of the parents, which share the
// store that the view reads.
func NewTablePassThrough[K, V any](parents []OldValueSender, view dsl.View[K, V]) *TablePassThrough[K, V] {
	return &TablePassThrough[K, V]{parents: parents, view: view}
}

// EnableOldValues implements dsl.TableSupplier.
func (p *TablePassThrough[K, V]) EnableOldValues(bool) bool {
	for _, parent := range p.parents {
		parent.EnableOldValues(true)
	}
	return true
}

// View implements dsl.TableSupplier.
func (p *TablePassThrough[K, V]) View() dsl.View[K, V] { return p.view }

// New makes the unit of a task.
func (p *TablePassThrough[K, V]) New() (processor.Unit, error) {
	return &tablePassThrough[K, V]{}, nil
}

type tablePassThrough[K, V any] struct {
	processor.Out[K, processor.Change[V]]
}

// Init implements processor.Unit.
func (p *tablePassThrough[K, V]) Init(*processor.Node) error { return nil }

// Close implements processor.Unit.
func (p *tablePassThrough[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (p *tablePassThrough[K, V]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	return p.Pass(rec)
}
