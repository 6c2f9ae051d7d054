package kstream

import (
	"fmt"
	"reflect"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// args guards a function against nulls that its parameters cannot hold. It is
// embedded in units and serves as their Init and Close.
type args[K, V any] struct {
	node         *processor.Node
	noKey, noVal bool
}

// Init implements processor.Unit.
func (a *args[K, V]) Init(n *processor.Node) error {
	a.node = n
	a.noKey, a.noVal = !record.NullsOf[K]().Possible(), !record.NullsOf[V]().Possible()
	return nil
}

// Close implements processor.Unit.
func (a *args[K, V]) Close() error { return nil }

// both checks a record whose key and value are handed to the function.
func (a *args[K, V]) both(keyNull, valueNull bool) error {
	if keyNull && a.noKey {
		return a.refuse("key", reflect.TypeFor[K]())
	}
	return a.value(valueNull)
}

// value checks a record of which only the value is handed to the function.
func (a *args[K, V]) value(valueNull bool) error {
	if valueNull && a.noVal {
		return a.refuse("value", reflect.TypeFor[V]())
	}
	return nil
}

func (a *args[K, V]) refuse(side string, t reflect.Type) error {
	return fmt.Errorf("node %s: a null %s reached a function over %v, which cannot hold it; a stream over *%v can: %w",
		a.node.Name(), side, t, t, processor.ErrNull)
}
