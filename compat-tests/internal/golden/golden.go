// Package golden owns the document that shows everything a run did: the order
// of its members, which of them are left out when empty, and which of them bind
// another implementation. It refuses to know how a run is made.
package golden

import (
	"slices"

	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/record"
)

// Document is a golden in the making.
type Document struct {
	Scenario string
	// Fault is the oracle error; nothing else but the name is shown then.
	Fault string
	// Describe is the topology's description, nil if building failed.
	Describe *string
	// Queryable maps the ids of tables to the store a query would use, nil for none.
	Queryable map[string]*string
	// Driver is what the driver did, nil if there was none.
	Driver *Driver
	// Exception is the failure to build or to start.
	Exception *Exception
	Wrapped   []string
	Branches  map[string][]string
	Printed   map[string]string
	// Advisory are texts of errors, which explain and do not bind.
	Advisory []string
}

// Driver is the part of a document that needs a running driver.
type Driver struct {
	Subtopologies []any
	InitEffects   []any
	Steps         []*Step
	// Stores, Dropped and Close stay nil when an input step failed.
	Stores  map[string]*tree.Object
	Dropped *int64
	Close   *Step
}

// Exception is a Java exception: where, and the simple name of its class.
type Exception struct{ At, Class string }

// Step is what one input step, or closing, did.
type Step struct {
	// Query is the answer of a query step, Queried tells an answer from none.
	Query     any
	Queried   bool
	Exception *Exception
	Out       map[string][]any // topic to records
	Effects   []any
}

// Tree gives the document in the order of its members.
func (d *Document) Tree() *tree.Object {
	o := tree.NewObject("scenario", d.Scenario)
	if d.Fault != "" {
		o.Set("oracleError", d.Fault)
		return o
	}
	o.Set("describe", textOrNull(d.Describe))
	if len(d.Queryable) > 0 {
		o.Set("queryable", Sorted(d.Queryable, func(s *string) any { return textOrNull(s) }))
	}
	if d.Driver != nil {
		d.Driver.addTo(o)
	}
	if d.Exception != nil {
		o.Set("exception", d.Exception.tree())
	}
	if len(d.Wrapped) > 0 {
		o.Set("wrapped", Texts(d.Wrapped))
	}
	if len(d.Branches) > 0 {
		o.Set("branches", Sorted(d.Branches, func(l []string) any { return Texts(l) }))
	}
	if len(d.Printed) > 0 {
		o.Set("printed", Sorted(d.Printed, func(s string) any { return s }))
	}
	if len(d.Advisory) > 0 {
		o.Set("advisory", Texts(d.Advisory))
	}
	return o
}

func (d *Driver) addTo(o *tree.Object) {
	o.Set("subtopologies", d.Subtopologies)
	if len(d.InitEffects) > 0 {
		o.Set("initEffects", d.InitEffects)
	}
	steps := []any{}
	for _, s := range d.Steps {
		steps = append(steps, s.tree())
	}
	o.Set("steps", steps)
	if d.Stores != nil {
		o.Set("stores", Sorted(d.Stores, func(s *tree.Object) any { return s }))
	}
	if d.Dropped != nil {
		o.Set("metrics", tree.NewObject("dropped-records-total", *d.Dropped))
	}
	if d.Close != nil {
		o.Set("close", d.Close.tree())
	}
}

func (s *Step) tree() *tree.Object {
	o := tree.NewObject()
	if s.Queried {
		o.Set("query", s.Query)
	}
	if s.Exception != nil {
		o.Set("exception", s.Exception.tree())
	}
	if len(s.Out) > 0 {
		o.Set("out", Sorted(s.Out, func(l []any) any { return l }))
	}
	if len(s.Effects) > 0 {
		o.Set("effects", s.Effects)
	}
	return o
}

func (e *Exception) tree() *tree.Object { return tree.NewObject("at", e.At, "class", e.Class) }

// Texts gives strings as nodes.
func Texts(l []string) []any {
	out := []any{}
	for _, s := range l {
		out = append(out, s)
	}
	return out
}

func textOrNull(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// Sorted gives a map keyed by names as an object in Java's order of strings.
func Sorted[V any](m map[string]V, node func(V) any) *tree.Object {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	tree.SortNames(names)
	o := tree.NewObject()
	for _, n := range names {
		o.Set(n, node(m[n]))
	}
	return o
}

// Record is an output record.
type Record struct {
	Topic      string
	Key, Value []byte
	// Timestamp is nil when the sender gave none.
	Timestamp *int64
	// Partition is negative when the producer was to choose.
	Partition int32
	Headers   []record.Header
	// KeySerde and ValueSerde are what the topic declares, empty for nothing.
	KeySerde, ValueSerde string
}

// Tree gives the record with decoded texts where the declared serdes can read
// the bytes.
func (r *Record) Tree() *tree.Object {
	o := tree.NewObject("key", value.Hex(r.Key), "value", value.Hex(r.Value), "ts", nil)
	if r.Timestamp != nil {
		o.Set("ts", *r.Timestamp)
	}
	if r.Partition >= 0 {
		o.Set("p", int64(r.Partition))
	}
	if len(r.Headers) > 0 {
		o.Set("h", Headers(r.Headers))
	}
	decode(o, "k", r.Key, r.KeySerde, r.Topic)
	decode(o, "v", r.Value, r.ValueSerde, r.Topic)
	return o
}

func decode(o *tree.Object, member string, data []byte, serde, topic string) {
	if serde == "" {
		return
	}
	if text, ok := value.Decode(data, serde, topic); ok {
		o.Set(member, text)
	}
}

// jvmMessages are the exceptions whose messages only a JVM can write.
var jvmMessages = []string{value.ClassCast, value.ClassNullPointer}

// Headers gives headers as pairs, with the texts that only a JVM would write
// replaced as the oracle replaces them.
func Headers(headers []record.Header) []any {
	out := []any{}
	jvm := false
	for _, h := range headers {
		v := h.Value
		switch {
		case h.Key == "__streams.errors.exception" && v != nil:
			jvm = slices.Contains(jvmMessages, string(v))
		case h.Key == "__streams.errors.stacktrace":
			v = []byte("<stacktrace>")
		case h.Key == "__streams.errors.message" && jvm:
			v = []byte("<jvm>")
		}
		out = append(out, []any{h.Key, value.Hex(v)})
	}
	return out
}
