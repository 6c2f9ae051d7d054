package storebytes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/millrace/millrace/record"
)

// Buffered is an update of a table that a suppression buffer holds back, as
// bytes of the value serde (Java: BufferValue). A nil side is null.
type Buffered struct {
	Context record.Context
	// Prior is what was last seen downstream: the Old of the first of the key's
	// updates since it is in the buffer.
	Prior, Old, New []byte
	// Time in milliseconds decides when the update leaves the buffer.
	Time int64
}

// samePrior marks an old value that is the prior one.
const samePrior = -2

// AppendBuffered appends the value of a suppression's changelog record in the
// form of version 3: `context ‖ blob prior ‖ old ‖ blob new ‖ i64 time`, where
// old is a blob or, when it equals the prior value, `i32 -2`.
func AppendBuffered(dst []byte, b *Buffered) []byte {
	dst = AppendContext(dst, &b.Context)
	dst = AppendBlob(dst, b.Prior)
	if b.Old != nil && b.Prior != nil && bytes.Equal(b.Old, b.Prior) {
		marker := int32(samePrior)
		dst = binary.BigEndian.AppendUint32(dst, uint32(marker))
	} else {
		dst = AppendBlob(dst, b.Old)
	}
	dst = AppendBlob(dst, b.New)
	return binary.BigEndian.AppendUint64(dst, uint64(b.Time))
}

// BufferedVersion is the value of the header "v" of what [AppendBuffered]
// writes.
const BufferedVersion = 3

// ParseBuffered reads the value of a suppression's changelog record. version
// is its header "v", nil if it has none: releases before 2.3 wrote none, and
// 2.3 wrote 1, without the prior value; own is the context that stands in for
// the one that those without a version lack, and prior the prior value the key
// has in the buffer so far. 2.4.0 to 2.5.0 wrote values of version 3 under
// version 2. The sides are slices of data.
func ParseBuffered(version, data []byte, own record.Context, prior []byte) (b Buffered, err error) {
	switch {
	case version == nil:
		b, err = parseBuffered0(data, own, prior)
	case bytes.Equal(version, []byte{1}):
		b, err = parseBuffered1(data, prior)
	case bytes.Equal(version, []byte{2}):
		var second error
		if b, err = parseBuffered2(data); err != nil {
			b, second = parseBuffered3(data)
			if second == nil {
				err = nil
			}
		}
	case bytes.Equal(version, []byte{BufferedVersion}):
		b, err = parseBuffered3(data)
	default:
		err = errors.New("unknown version")
	}
	if err != nil {
		return Buffered{}, fmt.Errorf("buffered update of %d bytes, version %x: %w", len(data), version, err)
	}
	return b, nil
}

// parseBuffered0 reads `i64 time ‖ blob old ‖ blob new`.
func parseBuffered0(data []byte, own record.Context, prior []byte) (b Buffered, err error) {
	b.Context, b.Prior = own, prior
	if b.Time, data, err = readInt64(data); err != nil {
		return b, err
	}
	err = b.readChange(data)
	return b, err
}

// parseBuffered1 reads `i64 time ‖ context ‖ blob (blob old ‖ blob new)`.
func parseBuffered1(data []byte, prior []byte) (b Buffered, err error) {
	time, data, err := readInt64(data)
	if err != nil {
		return b, err
	}
	c, data, err := ReadContext(data)
	if err != nil {
		return b, err
	}
	change, _, err := ReadBlob(data)
	if err != nil {
		return b, err
	}
	b.Context, b.Prior, b.Time = c, prior, time
	err = b.readChange(change)
	return b, err
}

// readChange reads `blob old ‖ blob new`. Without an earlier update in the
// buffer the old value is the prior one.
func (b *Buffered) readChange(data []byte) (err error) {
	if b.Old, data, err = ReadBlob(data); err != nil {
		return err
	}
	if b.Prior == nil {
		b.Prior = b.Old
	}
	b.New, _, err = ReadBlob(data)
	return err
}

// parseBuffered2 reads `context ‖ blob (blob old ‖ blob new) ‖ blob prior ‖
// i64 time`.
func parseBuffered2(data []byte) (b Buffered, err error) {
	if b.Context, data, err = ReadContext(data); err != nil {
		return b, err
	}
	change, data, err := ReadBlob(data)
	if err != nil {
		return b, err
	}
	if change == nil {
		return b, errTruncated
	}
	if err := b.readChange(change); err != nil {
		return b, err
	}
	if b.Prior, data, err = ReadBlob(data); err != nil {
		return b, err
	}
	b.Time, _, err = readInt64(data)
	return b, err
}

// parseBuffered3 reads what AppendBuffered wrote.
func parseBuffered3(data []byte) (b Buffered, err error) {
	if b.Context, data, err = ReadContext(data); err != nil {
		return b, err
	}
	if b.Prior, data, err = ReadBlob(data); err != nil {
		return b, err
	}
	n, rest, err := readInt32(data)
	if err != nil {
		return b, err
	}
	if n == samePrior {
		b.Old, data = b.Prior, rest
	} else if b.Old, data, err = ReadBlob(data); err != nil {
		return b, err
	}
	if b.New, data, err = ReadBlob(data); err != nil {
		return b, err
	}
	b.Time, _, err = readInt64(data)
	return b, err
}
