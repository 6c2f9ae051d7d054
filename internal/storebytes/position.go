package storebytes

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// Position says up to which offset of each input topic and partition a store
// has seen the records (KIP-796): topic → partition → last offset.
type Position map[string]map[int32]int64

// Update raises the offset of one partition; a smaller one is ignored.
func (p Position) Update(topic string, partition int32, offset int64) {
	offsets := p[topic]
	if offsets == nil {
		offsets = map[int32]int64{}
		p[topic] = offsets
	}
	if old, ok := offsets[partition]; !ok || old < offset {
		offsets[partition] = offset
	}
}

// Merge raises p to other in every partition.
func (p Position) Merge(other Position) {
	for topic, offsets := range other {
		for partition, offset := range offsets {
			p.Update(topic, partition, offset)
		}
	}
}

// Append appends `i8 0 ‖ i32 topics ‖ (i32 len ‖ topic ‖ i32 pairs ‖
// (i32 partition ‖ i64 offset)*)*`. A JVM writes topics and partitions in hash
// order and readers accept any; here both ascend, so equal positions have
// equal bytes. A JVM also pads the header with zeros, since it counts bits as
// bytes; readers stop before the padding, and none is written here.
func (p Position) Append(dst []byte) []byte {
	dst = append(dst, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(p)))
	for _, topic := range slices.Sorted(maps.Keys(p)) {
		offsets := p[topic]
		dst = AppendBlob(dst, []byte(topic))
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(offsets)))
		for _, partition := range slices.Sorted(maps.Keys(offsets)) {
			dst = binary.BigEndian.AppendUint32(dst, uint32(partition))
			dst = binary.BigEndian.AppendUint64(dst, uint64(offsets[partition]))
		}
	}
	return dst
}

// ParsePosition reads a position and ignores what follows it.
func ParsePosition(data []byte) (Position, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("position: %w", errTruncated)
	}
	if data[0] != 0 {
		return nil, fmt.Errorf("position of unknown version %d", data[0])
	}
	topics, rest, err := readInt32(data[1:])
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	p := Position{}
	for range topics {
		if rest, err = p.readTopic(rest); err != nil {
			return nil, fmt.Errorf("position: %w", err)
		}
	}
	return p, nil
}

func (p Position) readTopic(data []byte) ([]byte, error) {
	topic, rest, err := ReadBlob(data)
	if err != nil {
		return nil, err
	}
	pairs, rest, err := readInt32(rest)
	if err != nil {
		return nil, err
	}
	offsets := map[int32]int64{}
	for range pairs {
		var partition int32
		var offset int64
		if partition, rest, err = readInt32(rest); err != nil {
			return nil, err
		}
		if offset, rest, err = readInt64(rest); err != nil {
			return nil, err
		}
		offsets[partition] = offset
	}
	p[string(topic)] = offsets
	return rest, nil
}
