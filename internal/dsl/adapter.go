package dsl

import "github.com/millrace/millrace/processor"

// Adapter makes a unit receive records of other types than it is written for.
// target is a pointer to a processor.Receiver; an adapter that does not know
// its type returns false.
type Adapter func(unit processor.Unit, target any) bool

func (n *Node) adapt(a Adapter) {
	if a != nil {
		n.adapters = append(n.adapters, a)
	}
}

// adapted wraps the units of a node that stands below a retyped handle.
func (n *Node) adapted(f func() (processor.Unit, error)) func() (processor.Unit, error) {
	adapters := n.adapters
	if len(adapters) == 0 {
		return f
	}
	return func() (processor.Unit, error) {
		u, err := f()
		if err != nil {
			return nil, err
		}
		return &adaptedUnit{Unit: u, adapters: adapters}, nil
	}
}

// adaptedUnit is a unit whose parents may send other types.
type adaptedUnit struct {
	processor.Unit
	adapters []Adapter
}

// As implements [processor.Adapted].
func (u *adaptedUnit) As(target any) bool {
	for _, a := range u.adapters {
		if a(u.Unit, target) {
			return true
		}
	}
	return false
}

// Adapts implements [processor.Adapted].
func (u *adaptedUnit) Adapts() processor.Unit { return u.Unit }

func (n *Node) adaptedSink(f func() processor.Unit) func() processor.Unit {
	if len(n.adapters) == 0 {
		return f
	}
	return func() processor.Unit { return &adaptedUnit{Unit: f(), adapters: n.adapters} }
}
