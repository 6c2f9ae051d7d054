package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (f *Fetcher) leaderless() bool {
	for _, c := range f.parts {
		if c.leader < 0 {
			return true
		}
	}
	return false
}

// failed schedules another look for leaders.
func (f *Fetcher) failed(err error) {
	f.fails++
	f.last = err
	f.refreshAt = time.Now().Add(backoff(f.fails))
}

// unknownTries is how often a topic may be missing before its partitions fail:
// about five seconds, so that a topic just created is found.
const unknownTries = 9

// refresh asks who leads the partitions without a leader. It returns those
// whose topic does not exist.
func (f *Fetcher) refresh(ctx context.Context) ([]Batch, error) {
	var want []TopicPartition
	for _, tp := range f.order {
		if f.parts[tp].leader < 0 {
			want = append(want, tp)
		}
	}
	meta, err := f.adm.metadata(ctx, sortedKeys(nest(want)))
	if err != nil {
		err = fmt.Errorf("find the leaders of %d partitions: %w", len(want), explain(err))
		f.failed(err)
		if errors.Is(err, ErrNotAuthorized) {
			return nil, err
		}
		return nil, nil
	}
	var out []Batch
	for _, tp := range want {
		c, t := f.parts[tp], meta[tp.Topic]
		err := kerr.ErrorForCode(t.ErrorCode)
		for _, p := range t.Partitions {
			if p.Partition == tp.Partition {
				c.leader = p.Leader
			}
		}
		switch {
		case err == nil && c.leader >= 0:
			f.ids[tp.Topic] = t.TopicID
			c.unknown = 0
			continue
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			c.unknown++
		case err == nil:
			err = kerr.LeaderNotAvailable
		}
		err = fmt.Errorf("find the leader of %s: %w", tp, explain(err))
		f.failed(err)
		if errors.Is(err, ErrNotAuthorized) || c.unknown > unknownTries {
			out = append(out, Batch{TopicPartition: tp, Next: c.next, Epoch: -1,
				HighWatermark: -1, LastStable: -1, LogStart: -1, Err: err})
			f.Remove(tp)
		}
	}
	return out, nil
}

// send starts a request to each broker that leads a partition to be read and
// has none under way.
func (f *Fetcher) send() {
	ask := make(map[int32][]TopicPartition)
	for _, tp := range f.order {
		if c := f.parts[tp]; c.leader >= 0 && !c.sent && !f.flights[c.leader] {
			ask[c.leader] = append(ask[c.leader], tp)
		}
	}
	for broker, tps := range ask {
		req := f.request(tps)
		asked := make(map[TopicPartition]int, len(tps))
		for _, tp := range tps {
			c := f.parts[tp]
			c.sent = true
			asked[tp] = c.flight
		}
		f.flights[broker] = true
		go func() {
			resp, err := req.RequestWith(f.ctx, f.cl.Broker(int(broker)))
			f.landed <- answer{broker, asked, resp, err}
		}()
	}
}

func (f *Fetcher) request(tps []TopicPartition) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis = int32(or(f.cfg.MaxWait, 100*time.Millisecond).Milliseconds())
	req.MinBytes = 1
	req.MaxBytes = or(f.cfg.MaxBytes, 16<<20)
	if f.cfg.ReadCommitted {
		req.IsolationLevel = 1
	}
	req.Rack = f.cfg.Rack
	req.SessionEpoch = -1 // no fetch session: each request says all
	for _, tp := range tps {
		if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != tp.Topic {
			t := kmsg.NewFetchRequestTopic()
			t.Topic, t.TopicID = tp.Topic, f.ids[tp.Topic]
			req.Topics = append(req.Topics, t)
		}
		t := &req.Topics[len(req.Topics)-1]
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition = tp.Partition
		p.FetchOffset = f.parts[tp].next
		p.CurrentLeaderEpoch = -1
		p.PartitionMaxBytes = or(f.cfg.MaxPartitionBytes, 1<<20)
		t.Partitions = append(t.Partitions, p)
	}
	return req
}

// take moves the positions by one answer.
func (f *Fetcher) take(a answer) ([]Batch, error) {
	for tp, flight := range a.asked {
		if c := f.parts[tp]; c != nil && c.flight == flight {
			c.sent = false
		}
	}
	err := a.err
	if err == nil {
		err = kerr.ErrorForCode(a.resp.ErrorCode)
	}
	if err != nil {
		err = fmt.Errorf("fetch from broker %d: %w", a.broker, explain(err))
		if errors.Is(err, ErrNotAuthorized) {
			return nil, err
		}
		for tp := range a.asked {
			if c := f.parts[tp]; c != nil {
				c.leader = -1
			}
		}
		f.failed(err)
		return nil, nil
	}
	names := make(map[[16]byte]string, len(f.ids))
	for topic, id := range f.ids {
		names[id] = topic
	}
	var out []Batch
	for i := range a.resp.Topics {
		t := &a.resp.Topics[i]
		if t.Topic == "" {
			t.Topic = names[t.TopicID]
		}
		for j := range t.Partitions {
			tp := TopicPartition{t.Topic, t.Partitions[j].Partition}
			c := f.parts[tp]
			if c == nil || c.flight != a.asked[tp] {
				continue
			}
			if b, moved := f.advance(tp, c, &t.Partitions[j]); moved {
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// advance moves one partition, or says that there is nothing to tell.
func (f *Fetcher) advance(tp TopicPartition, c *cursor, p *kmsg.FetchResponseTopicPartition) (Batch, bool) {
	from := c.next
	fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Offset: from, IsolationLevel: f.cfg.isolation(), Topic: tp.Topic, Partition: tp.Partition,
	}, p, kgo.DefaultDecompressor(), nil)
	b := toBatch(tp.Topic, &fp)
	b.Next = next
	switch {
	case fp.Err == nil:
		c.next, f.fails = next, 0
		return b, next != from
	case kerr.IsRetriable(fp.Err) && !errors.Is(fp.Err, kerr.OffsetOutOfRange):
		c.leader = -1
		f.failed(fmt.Errorf("read %s from offset %d: %w", tp, from, b.Err))
		return b, false
	}
	b.Next, b.Records = from, nil
	b.Err = fmt.Errorf("read %s from offset %d: %w", tp, from, b.Err)
	f.Remove(tp)
	return b, true
}
