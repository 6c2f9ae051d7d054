package record

// Raw is one record as a topic holds it. A nil Key or Value is null.
type Raw struct {
	Key, Value []byte
	// Timestamp in milliseconds as the broker holds it; may be -1.
	Timestamp int64
	Offset    int64
	// LeaderEpoch of the partition, -1 if unknown.
	LeaderEpoch int32
	Headers     []Header
}

// Size is what the record counts for in buffer limits: key, value and headers
// in bytes plus the fixed part of a record (Java: consumerRecordSizeInBytes).
func (r *Raw) Size(topic string) int {
	n := len(r.Key) + len(r.Value) + 8 + 8 + 4 + len(topic)
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}
