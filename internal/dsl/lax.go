package dsl

// Erased is the token that kstream.Retype and ktable.Retype ask for. Nobody
// outside of the module can name it, so nobody outside can change the types of
// a handle without a node.
type Erased struct{ _ func() }

// Lax makes a graph behave as Java's in what Go finds out earlier. The
// scenario interpreter of the compatibility tests sets it; its streams are all
// of any, so that serdes cannot be found by type.
type Lax struct {
	// Key and Value are the default serdes, a serde.Serde[any] each, nil if
	// there is none. Where Java looks for a default serde and has none, the
	// task fails when it starts.
	Key, Value any
	// Wrapped, if set, is told each processor as it is written (Java:
	// processor.wrapper.class).
	Wrapped func(name string, fixedKey bool)
}

func (l *Lax) serdeFor(side Side) any {
	if side == KeySide {
		return l.Key
	}
	return l.Value
}
