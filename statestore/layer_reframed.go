package statestore

// reframedLayer keeps simpler values than it is given, see [Supplied] (Java:
// KeyValueToTimestampedKeyValueByteStoreAdapter and the like).
type reframedLayer struct {
	inner keyValueLayer
	r     *reframing
}

// framed runs a read of the layer below and puts back what its values lack.
func (l *reframedLayer) framed(dst []byte, read func(dst []byte) ([]byte, bool, error)) ([]byte, bool, error) {
	out, ok, err := read(append(dst, l.r.prefix...))
	if !ok || err != nil {
		return dst, false, err
	}
	return out, true, nil
}

func (l *reframedLayer) get(dst, key []byte) ([]byte, bool, error) {
	return l.framed(dst, func(dst []byte) ([]byte, bool, error) { return l.inner.get(dst, key) })
}

func (l *reframedLayer) peek(dst, key []byte) ([]byte, bool, error) {
	return l.framed(dst, func(dst []byte) ([]byte, bool, error) { return l.inner.peek(dst, key) })
}

func (l *reframedLayer) remove(dst, key []byte) ([]byte, bool, error) {
	return l.framed(dst, func(dst []byte) ([]byte, bool, error) { return l.inner.remove(dst, key) })
}

func (l *reframedLayer) put(key, value []byte) error {
	value, err := l.r.down(value)
	if err != nil {
		return err
	}
	return l.inner.put(key, value)
}

func (l *reframedLayer) putIfAbsent(dst, key, value []byte) ([]byte, bool, error) {
	value, err := l.r.down(value)
	if err != nil {
		return dst, false, err
	}
	return l.framed(dst, func(dst []byte) ([]byte, bool, error) { return l.inner.putIfAbsent(dst, key, value) })
}

func (l *reframedLayer) scan(r KeyRange, own bool) (Cursor, error) {
	c, err := l.inner.scan(r, own)
	if err != nil {
		return nil, err
	}
	return &reframedCursor{Cursor: c, r: l.r}, nil
}
