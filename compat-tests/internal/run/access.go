package run

import (
	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/record"
)

// store looks a store up through the context, as every use does.
func (m *machine) store(name string) (access, error) {
	s, err := m.host.Store(name)
	if err != nil {
		return nil, err
	}
	a := accessTo(s)
	if a == nil {
		return nil, &value.Exception{Class: value.ClassCast, Message: "store " + name + " cannot be used by programs"}
	}
	return a, nil
}

// write holds the evaluated arguments of a statement that writes.
type write struct {
	key, value     any
	ts, start, end any // nil when absent or null
	headers        *record.Headers
}

func (m *machine) put(s *scenario.Put) error {
	st, err := m.store(s.Store)
	if err != nil {
		return err
	}
	w, err := m.write(s.Key, s.Value, s.TS, s.Start, s.End)
	if err != nil {
		return err
	}
	result, has, err := st.put(w)
	if err == nil && has && s.Into != "" {
		m.env.Set(s.Into, result)
	}
	return err
}

func (m *machine) write(key, val, ts, start, end *expr.Expr) (w write, err error) {
	w.headers = m.headers
	for _, p := range []struct {
		to *any
		x  *expr.Expr
	}{{&w.key, key}, {&w.value, val}, {&w.ts, ts}, {&w.start, start}, {&w.end, end}} {
		if *p.to, err = m.optional(p.x, nil); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (m *machine) putIfAbsent(s *scenario.PutIfAbsent) error {
	st, err := m.store(s.Store)
	if err != nil {
		return err
	}
	w, err := m.write(s.Key, s.Value, s.TS, nil, nil)
	if err != nil {
		return err
	}
	old, ok, err := st.putIfAbsent(w)
	m.keep(s.Into, old, ok, err)
	return err
}

// keep sets the variable that gets the previous value, null for none.
func (m *machine) keep(into string, old row, ok bool, err error) {
	if into == "" || err != nil {
		return
	}
	if !ok {
		old.value = nil
	}
	m.env.Set(into, old.value)
}

func (m *machine) delete(s *scenario.Delete) error {
	st, err := m.store(s.Store)
	if err != nil {
		return err
	}
	w, err := m.write(s.Key, nil, s.TS, s.Start, s.End)
	if err != nil {
		return err
	}
	old, ok, err := st.delete(w)
	m.keep(s.Into, old, ok, err)
	return err
}

// scan reads everything first and then runs the body for each entry.
func (m *machine) scan(s *scenario.ScanStore) (returned bool, err error) {
	st, err := m.store(s.Store)
	if err != nil {
		return false, err
	}
	a, err := scanArguments(&s.Scan, m.env)
	if err != nil {
		return false, err
	}
	found, err := st.scan(s.Mode, a)
	if err != nil {
		return false, err
	}
	for _, e := range found {
		m.env.Set("itKey", e.key)
		if w, ok := e.key.(value.Windowed); ok {
			m.env.Set("itKey", w.Key)
			m.env.Set("itStart", w.Start)
			m.env.Set("itEnd", w.End)
		}
		m.env.Set("itValue", e.value)
		m.env.Set("itTs", nil)
		if e.ts != nil {
			m.env.Set("itTs", *e.ts)
		}
		if returned, err := m.block(s.Do); returned || err != nil {
			return returned, err
		}
	}
	return false, nil
}
