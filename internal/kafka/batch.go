package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/record"
)

// toBatch converts what the client fetched of one partition. Next is -1 if it
// holds no record at all.
func toBatch(topic string, p *kgo.FetchPartition) Batch {
	b := Batch{
		TopicPartition: TopicPartition{topic, p.Partition},
		HighWatermark:  p.HighWatermark, LastStable: p.LastStableOffset, LogStart: p.LogStartOffset,
		Next: -1, Epoch: -1, Err: explain(p.Err),
	}
	if n := len(p.Records); n > 0 {
		b.Next = p.Records[n-1].Offset + 1
		b.Epoch = p.Records[n-1].LeaderEpoch
		b.Records = make([]record.Raw, 0, n)
	}
	for _, r := range p.Records {
		if r.Attrs.IsControl() {
			continue
		}
		b.Records = append(b.Records, record.Raw{
			Offset:      r.Offset,
			Timestamp:   r.Timestamp.UnixMilli(),
			Key:         r.Key,
			Value:       r.Value,
			Headers:     toHeaders(r.Headers),
			LeaderEpoch: r.LeaderEpoch,
		})
	}
	return b
}

func toHeaders(from []kgo.RecordHeader) []record.Header {
	if len(from) == 0 {
		return nil
	}
	to := make([]record.Header, len(from))
	for i, h := range from {
		to[i] = record.Header(h)
	}
	return to
}
