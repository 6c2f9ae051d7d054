package processor

import (
	"fmt"

	"github.com/millrace/millrace/record"
)

// Receiver takes the records of one edge.
type Receiver[K, V any] interface {
	// Receive processes one record and everything it causes downstream.
	Receive(Record[K, V]) error
}

// Unit is a node of one task. The topology makes a fresh set for each task and
// connects them: Attach is called once for each child, in the order in which
// the children were added, then Init from the sources down.
type Unit interface {
	// Attach adds a child; it is an error if the child does not receive what
	// this node sends.
	Attach(child *Node) error
	// Init readies the unit; its stores are open.
	Init(n *Node) error
	// Close is called once, also after a failed step.
	Close() error
}

// Node is a unit in its place in a task: its name, what it is, and the task
// around it.
type Node struct {
	name    string
	unit    Unit
	host    Host
	stores  []string
	guarded bool
}

// NewNode puts a unit into a task. Errors of guarded nodes go to the
// processing exception handler; those of sources and sinks do not, as in Java.
func NewNode(name string, unit Unit, host Host, stores []string, guarded bool) *Node {
	return &Node{name: name, unit: unit, host: host, stores: stores, guarded: guarded}
}

// Start initialises the unit; a panic of the user's Init is an error.
func (n *Node) Start() (err error) {
	defer catch(&err)
	return n.unit.Init(n)
}

// Name is the node's name in the topology.
func (n *Node) Name() string { return n.name }

// Unit is the node's unit.
func (n *Node) Unit() Unit { return n.unit }

// Host is the task the node runs in.
func (n *Node) Host() Host { return n.host }

// Stores are the names of the state stores connected to the node.
func (n *Node) Stores() []string { return n.stores }

// Out is the sending side of a node: the typed edges to its children. It is
// embedded in every unit that forwards.
type Out[K, V any] struct {
	host  Host
	edges []edge[K, V]
	lists record.Lists
}

type edge[K, V any] struct {
	to   Receiver[K, V]
	node *Node
}

// Adapted is a unit that receives records of other types than it is written
// for: what it adapts, and for a pointer to a [Receiver] of other types whether
// it could set it, as errors.As.
type Adapted interface {
	Adapts() Unit
	As(target any) bool
}

// Attach connects a child; the one dynamic type check of an edge is here.
func (o *Out[K, V]) Attach(child *Node) error {
	to, ok := child.unit.(Receiver[K, V])
	if a, is := child.unit.(Adapted); !ok && is {
		if to, ok = a.Adapts().(Receiver[K, V]); !ok {
			ok = a.As(&to)
		}
	}
	if !ok {
		return fmt.Errorf("node %s does not take the records sent to it (%T cannot receive %T)",
			child.name, child.unit, Record[K, V]{})
	}
	o.host = child.host
	o.edges = append(o.edges, edge[K, V]{to: to, node: child})
	return nil
}

// Forward sends a record that this node has made of the one it received to
// every child in turn, depth first. It gets a list of headers of its own, a
// copy of those it brings (Java: new Record, withKey, withValue and
// withTimestamp). While a child works, the record context shows the record's
// own timestamp and headers. The error is one that a child's handler has
// decided to fail with.
func (o *Out[K, V]) Forward(rec Record[K, V]) error {
	if len(o.edges) == 0 {
		return nil
	}
	rec.Headers = o.lists.Copy(rec.Headers)
	err := o.apart(o.host.RecordContext(), rec)
	o.lists.Done(rec.Headers)
	return err
}

// Pass is Forward for the very record that was received, or for one that the
// user has made: what children do to its headers shows here too. A record
// under whose context a sink has written a result has no source record any
// more, and in Java a record that is passed on does not get a context of its
// own.
func (o *Out[K, V]) Pass(rec Record[K, V]) error {
	if len(o.edges) == 0 {
		return nil
	}
	rc := o.host.RecordContext()
	if rec.Timestamp != rc.Timestamp || rec.Headers != rc.Headers {
		return o.apart(rc, rec)
	}
	return o.send(rec)
}

// apart sends a record under a context of its own.
func (o *Out[K, V]) apart(rc *record.Context, rec Record[K, V]) error {
	ts, headers, key, value := rc.Timestamp, rc.Headers, rc.RawKey, rc.RawValue
	rc.Timestamp, rc.Headers = rec.Timestamp, rec.Headers
	err := o.send(rec)
	rc.Timestamp, rc.Headers, rc.RawKey, rc.RawValue = ts, headers, key, value
	return err
}

func (o *Out[K, V]) send(rec Record[K, V]) error {
	for i := range o.edges {
		if err := o.edges[i].deliver(rec); err != nil {
			return err
		}
	}
	return nil
}

// PassTo is Pass to the one child of that name.
func (o *Out[K, V]) PassTo(child string, rec Record[K, V]) error {
	for i := range o.edges {
		if o.edges[i].node.name == child {
			one := Out[K, V]{host: o.host, edges: o.edges[i : i+1]}
			return one.Pass(rec)
		}
	}
	return &StreamsError{Msg: "Unknown downstream node: " + child +
		" either does not exist or is not connected to this processor."}
}

// Terminal reports whether the node has no children.
func (o *Out[K, V]) Terminal() bool { return len(o.edges) == 0 }

func (e *edge[K, V]) deliver(rec Record[K, V]) error {
	err := e.call(rec)
	if err == nil || !e.node.guarded {
		return err
	}
	return e.node.failed(Failing{Key: rec.Key, Value: rec.Value, KeyNull: rec.KeyNull, ValueNull: rec.ValueNull,
		Timestamp: rec.Timestamp, Headers: rec.Headers}, err)
}

func (e *edge[K, V]) call(rec Record[K, V]) (err error) {
	defer catch(&err)
	return e.to.Receive(rec)
}

// catch turns a panic of user code into an error at the node it happened in.
func catch(err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
	}
}

// failed lets the processing exception handler decide about an error; nil
// means that the record is dropped here and its siblings go on.
func (n *Node) failed(rec Failing, err error) error {
	if IsDecided(err) {
		return err
	}
	rc := n.host.RecordContext()
	return n.host.ProcessingFailed(ErrorContext{
		Node: n.name, Task: n.host.TaskID(), Topic: rc.Topic, Partition: rc.Partition, Offset: rc.Offset,
		Timestamp: rc.Timestamp, Headers: rc.Headers, RawKey: rc.RawKey, RawValue: rc.RawValue,
	}, rec, err)
}
