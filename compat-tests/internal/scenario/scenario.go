// Package scenario owns the scenario language of oracle/SCENARIOS.md as Go
// structs: it reads a JSON file and checks every object, for the language is
// closed. It refuses to know how a program is built or run.
package scenario

import (
	"fmt"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
)

// Scenario is a program, the records to feed it and what to look at.
type Scenario struct {
	Name   string
	Config map[string]string
	// PlainBuilder means that the builder is created without the configuration.
	PlainBuilder bool
	WallClock    int64 // milliseconds
	Topics       map[string]Topic
	Topology     []Step
	Inputs       []Input
	// VersionedKeys are the keys whose history is shown for versioned stores.
	VersionedKeys []*expr.Expr
}

// Topic names the serdes that encode inputs and decode outputs; empty for none.
type Topic struct{ Key, Value string }

// Step is one step of the topology. Spec is a pointer to the struct of its op.
type Step struct {
	Op    string
	ID    string // empty when the step has none
	Where string
	Spec  any
}

// Input is one input step; exactly one of its members is set.
type Input struct {
	Record  *Record
	Advance *int64 // milliseconds
	Query   *Query
}

// Record is an input record. Key and Value stand as bytes, nil for null.
type Record struct {
	Topic      string
	Key, Value []byte
	Timestamp  int64
	Headers    []Header
}

// Header is a header of an input record; a nil value is null.
type Header struct {
	Name  string
	Value []byte
}

// Query reads a store. Mode is that of the read, Iq2 the type of an
// interactive query when Mode is iq2.
type Query struct {
	Scan
	Iq2                    string
	AsOf, Time, Start, End *int64
	// TimeFromMs and TimeToMs belong to iq2, whose times are plain integers.
	TimeFromMs, TimeToMs *int64
	Descending           bool
}

// Scan is a range read, as programs and queries use it. An absent expression
// is nil.
type Scan struct {
	Store                    string
	Mode                     string
	Key, From, To, Prefix    *expr.Expr
	TimeFrom, TimeTo         *expr.Expr
	EarliestEnd, LatestStart *expr.Expr
}

// Parse reads a scenario. The name is given even when the scenario has a
// fault, "?" if it cannot be found.
func Parse(data []byte) (*Scenario, string, error) {
	node, err := tree.Parse(data)
	if err != nil {
		return nil, "?", &value.Fault{Message: "not JSON: " + err.Error()}
	}
	name := "?"
	if o, ok := node.(*tree.Object); ok {
		if n, ok := o.Get("name"); ok {
			if s, ok := n.(string); ok {
				name = s
			}
		}
	}
	r := &reader{}
	s := r.scenario(node)
	if r.fault != nil {
		return nil, name, r.fault
	}
	return s, name, nil
}

func (r *reader) scenario(node any) *Scenario {
	o := r.object(node, "scenario")
	s := &Scenario{Name: o.need("name"), Config: o.texts("config"), Topics: map[string]Topic{}}
	if _, ok := s.Config["statestore.cache.max.bytes"]; !ok {
		r.fail("config must set statestore.cache.max.bytes")
	}
	s.PlainBuilder = o.word("builderConfig", "none") == "none"
	if w := o.long("wallClock"); w != nil {
		s.WallClock = *w
	}
	if topics := o.object("topics"); topics != nil {
		for _, name := range topics.node.Names() {
			t := topics.needObject(name)
			s.Topics[name] = Topic{Key: t.serde("key"), Value: t.serde("value")}
			t.done()
		}
	}
	for _, step := range o.objects("topology") {
		s.Topology = append(s.Topology, step.step())
	}
	for _, in := range o.objects("inputs") {
		s.Inputs = append(s.Inputs, in.input(s.Topics))
	}
	if probe := o.object("probe"); probe != nil {
		for _, k := range probe.array("versionedKeys") {
			x, err := expr.Parse(k, "probe.versionedKeys")
			if err != nil {
				r.fail("%s", err.(*value.Fault).Message)
			}
			s.VersionedKeys = append(s.VersionedKeys, x)
		}
		probe.done()
	}
	o.done()
	return s
}

func (o *object) input(topics map[string]Topic) Input {
	defer o.done()
	switch {
	case o.has("record"):
		return Input{Record: o.needObject("record").record(topics)}
	case o.has("advance"):
		ms := o.needLong("advance")
		return Input{Advance: &ms}
	case o.has("query"):
		return Input{Query: o.needObject("query").query()}
	}
	o.r.fail("%s: unknown input step", o.where)
	return Input{}
}

func (o *object) record(topics map[string]Topic) *Record {
	rec := &Record{Topic: o.need("topic"), Timestamp: o.needLong("ts")}
	declared := topics[rec.Topic]
	rec.Key = o.bytes("key", declared.Key, rec.Topic)
	rec.Value = o.bytes("value", declared.Value, rec.Topic)
	for i, h := range o.array("headers") {
		pair, ok := h.([]any)
		if !ok || len(pair) != 2 {
			o.r.fail("%s.headers[%d]: expected [name, value]", o.where, i)
			continue
		}
		name, ok := pair[0].(string)
		if !ok {
			o.r.fail("%s.headers[%d]: the name must be a string", o.where, i)
		}
		v, err := value.Encode(pair[1], "string", rec.Topic)
		o.check(err)
		rec.Headers = append(rec.Headers, Header{Name: name, Value: v})
	}
	o.done()
	return rec
}

func (o *object) bytes(name, serde, topic string) []byte {
	node, _ := o.raw(name)
	b, err := value.Encode(node, serde, topic)
	o.check(err)
	return b
}

// check turns an error into the scenario's fault.
func (o *object) check(err error) {
	if err != nil {
		o.r.fail("%s: %v", o.where, err)
	}
}

var queryModes = append([]string{"get", "getAsOf", "fetchAt", "fetchSession", "iq2"}, scanModes...)

func (o *object) query() *Query {
	q := &Query{Scan: Scan{Store: o.need("store"), Mode: o.needWord("mode", queryModes...)}}
	switch q.Mode {
	case "get":
		q.Key = o.needExpr("key")
	case "getAsOf":
		q.Key, q.AsOf = o.needExpr("key"), o.long("asOf")
	case "fetchAt":
		q.Key, q.Time = o.needExpr("key"), o.long("time")
	case "fetchSession":
		q.Key, q.Start, q.End = o.needExpr("key"), o.long("start"), o.long("end")
	case "iq2":
		o.iq2(q)
	default:
		o.scanArguments(&q.Scan)
	}
	o.done()
	return q
}

func (o *object) iq2(q *Query) {
	q.Iq2 = o.needWord("type", "key", "timestampedKey", "range", "timestampedRange", "windowKey", "windowRange", "sessionKey",
		"versionedKey", "multiVersionedKey")
	q.Key, q.From, q.To = o.expr("key"), o.expr("from"), o.expr("to")
	q.TimeFromMs, q.TimeToMs = o.long("timeFrom"), o.long("timeTo")
	q.Descending = o.flag("descending")
	if q.Iq2 == "versionedKey" {
		q.AsOf = o.long("asOf")
	}
}

var scanModes = []string{"all", "reverseAll", "range", "reverseRange", "prefix", "fetch", "backwardFetch", "fetchAll", "backwardFetchAll",
	"findSessions", "backwardFindSessions"}

// scanArguments reads what a range read of the given mode takes. Whether fetch
// needs times depends on the kind of the store, which only the run knows.
func (o *object) scanArguments(s *Scan) {
	switch s.Mode {
	case "range", "reverseRange":
		s.From, s.To = o.expr("from"), o.expr("to")
	case "prefix":
		s.Prefix = o.needExpr("prefix")
	case "fetch", "backwardFetch":
		s.TimeFrom, s.TimeTo = o.expr("timeFrom"), o.expr("timeTo")
		o.keys(s)
	case "fetchAll", "backwardFetchAll":
		s.TimeFrom, s.TimeTo = o.needExpr("timeFrom"), o.needExpr("timeTo")
	case "findSessions", "backwardFindSessions":
		s.EarliestEnd, s.LatestStart = o.needExpr("earliestEnd"), o.needExpr("latestStart")
		o.keys(s)
	}
}

func (o *object) keys(s *Scan) {
	if o.has("key") {
		s.Key = o.expr("key")
		return
	}
	s.From, s.To = o.expr("from"), o.expr("to")
}

func (o *object) step() Step {
	s := Step{Op: o.need("op"), ID: o.str("id"), Where: fmt.Sprintf("%s (%s)", o.where, o.str("id"))}
	read, ok := ops[s.Op]
	if !ok {
		o.r.fail("%s: unknown op %s", o.where, s.Op)
		return s
	}
	s.Spec = read(o)
	o.done()
	return s
}
