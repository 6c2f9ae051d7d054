package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
)

// Retype is a stream under other types of key and value, without a node of its
// own: what is written for K2 and V2 gets the same objects. It serves the
// interpreter of compatibility scenarios, whose streams are all of any; no other
// package can call it.
func Retype[K2, V2, K, V any](s Stream[K, V], _ dsl.Erased) Stream[K2, V2] {
	c := s.use("Retype")
	b := c.Base
	b.Adapt = retyping[K2, V2, K, V](c.Adapt)
	return Stream[K2, V2]{&dsl.Stream[K2, V2]{Base: b, Key: ops.RetypeSerde[K2](c.Key), Value: ops.RetypeSerde[V2](c.Value),
		Rekeyed: c.Rekeyed}}
}

// retyping makes what sends K and V acceptable to units that take K2 and V2.
// below is the adapter of a handle that was retyped before, nil otherwise.
func retyping[K2, V2, K, V any](below dsl.Adapter) dsl.Adapter {
	return func(unit processor.Unit, target any) bool {
		to, ok := unit.(processor.Receiver[K2, V2])
		if !ok {
			return false
		}
		r := &retyped[K, V, K2, V2]{Unit: unit, to: to}
		if want, ok := target.(*processor.Receiver[K, V]); ok {
			*want = r
			return true
		}
		return below != nil && below(r, target)
	}
}

type retyped[K, V, K2, V2 any] struct {
	processor.Unit
	to processor.Receiver[K2, V2]
}

// Receive implements processor.Receiver.
func (r *retyped[K, V, K2, V2]) Receive(rec processor.Record[K, V]) (err error) {
	out := processor.Record[K2, V2]{KeyNull: rec.KeyNull, ValueNull: rec.ValueNull, Timestamp: rec.Timestamp, Headers: rec.Headers}
	if !rec.KeyNull {
		if out.Key, err = ops.Convert[K2](rec.Key); err != nil {
			return err
		}
	}
	if !rec.ValueNull {
		if out.Value, err = ops.Convert[V2](rec.Value); err != nil {
			return err
		}
	}
	return r.to.Receive(out)
}
