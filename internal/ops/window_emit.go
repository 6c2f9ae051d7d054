package ops

import "github.com/millrace/millrace/processor"

// noTime is the time of what has not happened yet.
const noTime int64 = -1

// emission decides when the results of closed windows are sent (Java: the
// halves of AbstractKStreamTimeWindowAggregateProcessor and
// KStreamSessionWindowAggregate about emitting). It is at most once in the
// emit interval of the wall clock, and only if windows have closed since. The
// close time up to which was sent lies in the commit metadata under the
// store's name, so that a restart does not send again.
type emission struct {
	host  processor.Host
	store string
	// last is the close time up to which results were sent, noTime before the
	// first time.
	last     int64
	interval int64
	next     int64
}

func newEmission(n *processor.Node, store string) *emission {
	e := &emission{host: n.Host(), store: store, last: noTime, interval: n.Host().EmitInterval()}
	if last, ok := e.host.NodeState(store); ok {
		e.last = last
	}
	return e
}

// due tells whether to look for closed windows now; asking counts as looking.
func (e *emission) due(closeTime int64) bool {
	now := e.host.SystemTime()
	if now < e.next {
		return false
	}
	e.next = now + e.interval
	return e.last == noTime || e.last < closeTime
}

// done notes up to which close time results were sent.
func (e *emission) done(closeTime int64) {
	e.last = closeTime
	e.host.SetNodeState(e.store, closeTime)
}

// expired is a record that came too late for a window.
type expired struct {
	timestamp, start, end int64
	// closeTime is where windows must end, or begin to end, to be open still.
	closeTime, streamTime int64
}

// dropLate counts and logs a window that a record came too late for.
func dropLate(n *processor.Node, e expired) {
	host := n.Host()
	host.Dropped()
	if l, ok := host.(logging); ok {
		rc := host.RecordContext()
		l.Logger().Warn("record dropped: its window has expired", "node", n.Name(), "topic", rc.Topic, "partition", rc.Partition,
			"offset", rc.Offset, "timestamp", e.timestamp, "start", e.start, "end", e.end, "expiration", e.closeTime,
			"stream time", e.streamTime)
	}
}

// dropNull counts and logs a record that takes no part because of a null.
func dropNull(n *processor.Node, what string) {
	host := n.Host()
	host.Dropped()
	if l, ok := host.(logging); ok {
		rc := host.RecordContext()
		l.Logger().Warn("record dropped: "+what, "node", n.Name(), "topic", rc.Topic, "partition", rc.Partition, "offset", rc.Offset)
	}
}
