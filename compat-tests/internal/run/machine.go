package run

import (
	"time"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// host is the context of a processor as programs use it.
type host interface {
	Store(name string) (statestore.Store, error)
	Every(interval time.Duration, kind processor.PunctuationKind, f func(now int64) error) (cancel func(), err error)
	EveryFrom(start time.Time, interval time.Duration, kind processor.PunctuationKind, f func(now int64) error) (cancel func(), err error)
	Commit()
	Metadata() (record.Context, bool)
	StreamTime() int64
	SystemTime() int64
	TaskID() string
	ApplicationID() string
}

// anyRecord is a record in scenarios: all types are erased.
type anyRecord = processor.Record[any, any]

// machine executes a program; each instance of a processor has one.
type machine struct {
	*run
	id   string
	code *scenario.Program
	host host
	env  *expr.Env
	// rec is the record at hand, nil in a punctuator.
	rec     *anyRecord
	headers *record.Headers
	cancels map[string]func()
	// forward sends a record to one child, or to all when the name is nil; nil
	// where programs may not forward.
	forward func(m *machine, rec anyRecord, to *string) error
	// fixedKey forbids a forward to change the key or to lack a record.
	fixedKey bool
	result   any
}

func newMachine(r *run, id string, code *scenario.Program, h host) *machine {
	m := &machine{run: r, id: id, code: code, host: h, env: &expr.Env{}, cancels: map[string]func(){}}
	m.env.Hooks = m
	return m
}

// process runs the program for one record.
func (m *machine) process(rec anyRecord) error {
	m.rec, m.headers = &rec, rec.Headers
	m.env.Set("key", rec.Key)
	m.env.Set("value", rec.Value)
	m.env.Set("ts", rec.Timestamp)
	_, err := m.block(m.code.Process)
	if err != nil {
		m.note(err)
		return err
	}
	m.clear()
	return nil
}

// clear forgets the record.
func (m *machine) clear() {
	m.rec, m.headers = nil, nil
	m.env.Unset("key")
	m.env.Unset("value")
	m.env.Unset("ts")
}

// outside executes statements outside of a record.
func (m *machine) outside(statements []scenario.Statement) error {
	_, err := m.block(statements)
	m.note(err)
	return err
}

// block executes statements; true means that a return was reached.
func (m *machine) block(statements []scenario.Statement) (returned bool, err error) {
	for _, s := range statements {
		if returned, err = m.statement(s); returned || err != nil {
			return returned, err
		}
	}
	return false, nil
}

func (m *machine) statement(s scenario.Statement) (returned bool, err error) {
	switch s := s.(type) {
	case *scenario.If:
		yes, err := s.Condition.Test(m.env)
		if err != nil {
			return false, err
		}
		if yes {
			return m.block(s.Then)
		}
		return m.block(s.Else)
	case *scenario.Let:
		v, err := s.Be.Eval(m.env)
		m.env.Set(s.Name, v)
		return false, err
	case *scenario.Forward:
		return false, m.doForward(s)
	case *scenario.SetHeader:
		return false, m.setHeader(s)
	case *scenario.Effect:
		v, err := s.Text.Eval(m.env)
		if err == nil {
			m.effect("id", m.id, "x", value.Text(v))
		}
		return false, err
	case *scenario.Put:
		return false, m.put(s)
	case *scenario.PutIfAbsent:
		return false, m.putIfAbsent(s)
	case *scenario.Delete:
		return false, m.delete(s)
	case *scenario.ScanStore:
		return m.scan(s)
	case *scenario.Schedule:
		return false, m.schedule(s)
	case *scenario.Cancel:
		if cancel := m.cancels[s.Name]; cancel != nil {
			cancel()
		}
		return false, nil
	case *scenario.Commit:
		if s.Requested {
			m.host.Commit()
		}
		return false, nil
	case *scenario.Return:
		m.result, err = s.Result.Eval(m.env)
		return true, err
	}
	return false, &value.Fault{Message: m.id + ": unknown statement"}
}

// optional evaluates an expression that may be absent.
func (m *machine) optional(x *expr.Expr, otherwise any) (any, error) {
	if x == nil {
		return otherwise, nil
	}
	return x.Eval(m.env)
}

// doForward sends the current record with members replaced. As in Java the
// copy has headers of its own.
func (m *machine) doForward(s *scenario.Forward) error {
	if m.forward == nil || m.fixedKey && (m.rec == nil || s.Key != nil) {
		return &value.Fault{Message: m.id + ": forward is not available here"}
	}
	var out anyRecord
	var ts any
	if m.rec != nil {
		out, ts = *m.rec, m.rec.Timestamp
	} else {
		ts, _ = m.env.Get("ts")
	}
	key, err := m.optional(s.Key, out.Key)
	if err != nil {
		return err
	}
	val, err := m.optional(s.Value, out.Value)
	if err != nil {
		return err
	}
	if ts, err = m.optional(s.TS, ts); err != nil {
		return err
	}
	if out.Timestamp, err = long(ts); err != nil {
		return err
	}
	return m.forward(m, processor.WithValue(processor.WithKey(out, key), val), s.To)
}

// long is Java's unboxing of a Long.
func long(v any) (int64, error) {
	switch x := v.(type) {
	case int64:
		return x, nil
	case nil:
		return 0, &value.Exception{Class: value.ClassNullPointer, Message: "null is no long"}
	}
	return 0, &value.Exception{Class: value.ClassCast, Message: value.Str(v) + " is no long"}
}

func (m *machine) setHeader(s *scenario.SetHeader) error {
	v, err := s.Value.Eval(m.env)
	if err != nil {
		return err
	}
	if m.headers == nil {
		return &value.Fault{Message: m.id + ": header outside of a record"}
	}
	if v == nil {
		m.headers.Remove(s.Name)
	} else {
		m.headers.Add(s.Name, []byte(value.Str(v)))
	}
	return nil
}

func (m *machine) schedule(s *scenario.Schedule) error {
	kind := processor.StreamTime
	if s.Type == "WALL_CLOCK_TIME" {
		kind = processor.WallClock
	}
	f := func(now int64) error {
		m.clear()
		m.env.Set("ts", now)
		err := m.outside(s.Do)
		m.clear()
		return err
	}
	interval := time.Duration(s.EveryMs) * time.Millisecond
	var err error
	if s.StartMs != nil {
		m.cancels[s.Name], err = m.host.EveryFrom(time.UnixMilli(*s.StartMs), interval, kind, f)
	} else {
		m.cancels[s.Name], err = m.host.Every(interval, kind, f)
	}
	return err
}
