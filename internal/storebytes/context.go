package storebytes

import (
	"encoding/binary"
	"fmt"

	"github.com/millrace/millrace/record"
)

// AppendContext appends a record context as the suppression and grace buffers
// log it (Java: ProcessorRecordContext.serialize): `i64 timestamp ‖ i64 offset
// ‖ blob topic ‖ i32 partition ‖ i32 headers ‖ (blob key ‖ blob value)*`. The
// raw key and value are not part of it.
func AppendContext(dst []byte, c *record.Context) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Timestamp))
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Offset))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.Topic)))
	dst = append(dst, c.Topic...)
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Partition))
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Headers.Len()))
	for _, h := range c.Headers.All() {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(h.Key)))
		dst = append(dst, h.Key...)
		dst = AppendBlob(dst, h.Value)
	}
	return dst
}

// ReadContext reads what AppendContext wrote and returns the bytes behind it.
// A header count of -1, which old releases wrote, means no headers. Everything
// kept is copied.
func ReadContext(data []byte) (c record.Context, rest []byte, err error) {
	if c, rest, err = readContext(data); err != nil {
		return record.Context{}, nil, fmt.Errorf("record context: %w", err)
	}
	return c, rest, nil
}

func readContext(data []byte) (c record.Context, rest []byte, err error) {
	if c.Timestamp, rest, err = readInt64(data); err != nil {
		return c, nil, err
	}
	if c.Offset, rest, err = readInt64(rest); err != nil {
		return c, nil, err
	}
	topic, rest, err := ReadBlob(rest)
	if err != nil {
		return c, nil, err
	}
	c.Topic = string(topic)
	if c.Partition, rest, err = readInt32(rest); err != nil {
		return c, nil, err
	}
	count, rest, err := readInt32(rest)
	if err != nil {
		return c, nil, err
	}
	c.Headers = record.NewHeaders()
	for i := int32(0); i < count; i++ {
		var key, value []byte
		if key, rest, err = ReadBlob(rest); err != nil {
			return c, nil, err
		}
		if value, rest, err = ReadBlob(rest); err != nil {
			return c, nil, err
		}
		if value != nil {
			value = append([]byte{}, value...)
		}
		c.Headers.Add(string(key), value)
	}
	return c, rest, nil
}
