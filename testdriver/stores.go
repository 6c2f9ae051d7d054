package testdriver

import (
	"fmt"
	"reflect"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// Store finds a store of the topology by name, also a global one. Writing to
// it is possible and counts as made at time 0, as in Java.
func (d *Driver) Store(name string) (statestore.Store, bool) {
	if d.task != nil {
		for _, s := range d.task.Stores() {
			if s.Name() == name {
				d.task.SetRecordContext(&record.Context{Partition: -1, Offset: -1, Headers: &record.Headers{}})
				return s, true
			}
		}
	}
	return env{d}.GlobalStore(name)
}

// KeyValue returns a key-value store by name, with its types.
func KeyValue[K, V any](d *Driver, name string) (statestore.KeyValue[K, V], error) {
	return typed[statestore.KeyValue[K, V]](d, name)
}

// Table returns the store of a table by name, with its types.
func Table[K, V any](d *Driver, name string) (statestore.TimestampedKeyValue[K, V], error) {
	return typed[statestore.TimestampedKeyValue[K, V]](d, name)
}

func typed[S any](d *Driver, name string) (S, error) {
	var none S
	s, ok := d.Store(name)
	if !ok {
		return none, fmt.Errorf("the topology has no store %s", name)
	}
	t, ok := s.(S)
	if !ok {
		return none, fmt.Errorf("store %s does not read as a %v: tables of the DSL are read by testdriver.Table with their own key and value types, "+
			"stores of processors by testdriver.KeyValue, other kinds through Driver.Store", name, reflect.TypeFor[S]())
	}
	return t, nil
}

// Dropped is the number of records dropped so far (Java's metric
// dropped-records-total, over all tasks).
func (d *Driver) Dropped() int64 {
	var n int64
	if d.task != nil {
		n += d.task.DroppedTotal()
	}
	if d.global != nil {
		n += d.global.DroppedTotal()
	}
	return n
}
