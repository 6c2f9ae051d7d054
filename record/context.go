package record

// Context says where the record being processed came from (Java's
// ProcessorRecordContext). Inside a punctuator the topic is empty, partition
// and offset are -1 and the headers are empty.
type Context struct {
	Topic     string
	Partition int32
	Offset    int64
	// Timestamp in milliseconds since the epoch; the extractor's choice, not
	// always what the broker holds.
	Timestamp int64
	// Headers is the list that travels with the record; never nil while a
	// record is processed.
	Headers *Headers
	// RawKey and RawValue are the bytes as read from the source topic, nil
	// for null; they serve dead-letter records and topic extractors.
	RawKey, RawValue []byte
}
