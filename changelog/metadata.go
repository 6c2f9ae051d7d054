package changelog

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// UnknownTime is the partition time before any record (Java: RecordQueue.UNKNOWN).
const UnknownTime = int64(-1)

const (
	metadataV1 = 1 // partition time only
	metadataV2 = 2 // partition time and processor metadata
)

// OffsetMetadata travels with a committed offset (Java: TopicPartitionMetadata,
// KIP-825 for the processor part).
type OffsetMetadata struct {
	// PartitionTime is the largest timestamp taken from the partition so far in
	// milliseconds, or UnknownTime.
	PartitionTime int64
	// Processor is what operators keep here: the key is a store name, the value
	// the close time of the last window emitted by emit-on-close. Keys that no
	// operator of this topology knows must be kept and written again, else an
	// instance that does know them emits closed windows a second time.
	Processor map[string]int64
}

// Encode returns base64 of `i8 2 ‖ i64 time [‖ i32 n ‖ (i32 len ‖ key ‖ i64
// value)*]`, the map only if it is not empty. Keys ascend, so that equal
// metadata has equal text; a JVM writes them in hash order.
func (m OffsetMetadata) Encode() string {
	b := binary.BigEndian.AppendUint64([]byte{metadataV2}, uint64(m.PartitionTime))
	return base64.StdEncoding.EncodeToString(AppendProcessorMetadata(b, m.Processor))
}

// AppendProcessorMetadata appends the map as Encode does; an empty one adds
// nothing (Java: ProcessorMetadata.serialize).
func AppendProcessorMetadata(dst []byte, processor map[string]int64) []byte {
	if len(processor) == 0 {
		return dst
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(processor)))
	for _, key := range slices.Sorted(maps.Keys(processor)) {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(key)))
		dst = append(dst, key...)
		dst = binary.BigEndian.AppendUint64(dst, uint64(processor[key]))
	}
	return dst
}

// DecodeOffsetMetadata reads committed metadata. The result is usable even with
// an error, which is then only worth a warning: what cannot be read counts as
// unknown, as in Java. The empty text is no error. Version 1, which has no
// processor part, is read too.
func DecodeOffsetMetadata(text string) (OffsetMetadata, error) {
	m := OffsetMetadata{PartitionTime: UnknownTime, Processor: map[string]int64{}}
	if text == "" {
		return m, nil
	}
	// Java's decoder does not insist on the padding.
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return m, fmt.Errorf("offset metadata %q: %w", text, err)
	}
	if len(data) < 9 {
		return m, fmt.Errorf("offset metadata %q has %d bytes, at least 9 are needed", text, len(data))
	}
	if v := data[0]; v != metadataV1 && v != metadataV2 {
		return m, fmt.Errorf("offset metadata %q has version %d, known are %d and %d", text, v, metadataV1, metadataV2)
	}
	m.PartitionTime = int64(binary.BigEndian.Uint64(data[1:]))
	if data[0] == metadataV1 || len(data) == 9 {
		return m, nil
	}
	processor, err := parseProcessorMetadata(data[9:])
	if err != nil {
		return m, fmt.Errorf("offset metadata %q: %w", text, err)
	}
	m.Processor = processor
	return m, nil
}

var errTruncatedMetadata = errors.New("truncated processor metadata")

func parseProcessorMetadata(data []byte) (map[string]int64, error) {
	if len(data) < 4 {
		return nil, errTruncatedMetadata
	}
	count, data := int32(binary.BigEndian.Uint32(data)), data[4:]
	processor := map[string]int64{}
	for range count {
		if len(data) < 4 {
			return nil, errTruncatedMetadata
		}
		n := int(int32(binary.BigEndian.Uint32(data)))
		if data = data[4:]; n < 0 || n+8 > len(data) {
			return nil, errTruncatedMetadata
		}
		processor[string(data[:n])] = int64(binary.BigEndian.Uint64(data[n:]))
		data = data[n+8:]
	}
	return processor, nil
}

// MergeProcessorMetadata raises into to the maximum of both per key, which is
// how a task combines the metadata of its input partitions (Java:
// ProcessorMetadata.update).
func MergeProcessorMetadata(into, from map[string]int64) {
	for key, value := range from {
		if old, ok := into[key]; !ok || old < value {
			into[key] = value
		}
	}
}
