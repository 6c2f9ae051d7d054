package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/record"
)

const (
	slabRecords = 512
	slabBytes   = 64 << 10
	slabHeaders = 256
	// Larger than this, a key or value is allocated by itself, so that the
	// rest of a chunk is not thrown away for it.
	slabLargest = slabBytes / 4
)

// slab carves records and their bytes from larger allocations. A slab is kept
// alive by any one of its records; with a bounded producer buffer that is a
// bounded amount.
type slab struct {
	recs  []kgo.Record
	bytes []byte
	heads []kgo.RecordHeader
}

func (s *slab) record() *kgo.Record {
	if len(s.recs) == 0 {
		s.recs = make([]kgo.Record, slabRecords)
	}
	r := &s.recs[0]
	s.recs = s.recs[1:]
	return r
}

// copy keeps nil nil and empty empty.
func (s *slab) copy(b []byte) []byte {
	n := len(b)
	if b == nil {
		return nil
	}
	if n > slabLargest {
		return append(make([]byte, 0, n), b...)
	}
	if n > len(s.bytes) || s.bytes == nil {
		s.bytes = make([]byte, slabBytes)
	}
	to := s.bytes[:n:n]
	copy(to, b)
	s.bytes = s.bytes[n:]
	return to
}

func (s *slab) headers(from []record.Header) []kgo.RecordHeader {
	n := len(from)
	if n == 0 {
		return nil
	}
	if n > len(s.heads) {
		s.heads = make([]kgo.RecordHeader, max(n, slabHeaders))
	}
	to := s.heads[:n:n]
	s.heads = s.heads[n:]
	for i, h := range from {
		to[i] = kgo.RecordHeader{Key: h.Key, Value: s.copy(h.Value)}
	}
	return to
}
