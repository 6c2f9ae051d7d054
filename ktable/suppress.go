package ktable

import (
	"time"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/with"
)

// Suppression says how long Suppress holds updates back (Java: Suppressed). It
// is made by [UntilWindowCloses] or [UntilTimeLimit].
type Suppression struct {
	spec ops.Suppression
	// full says that a limit's consequence was chosen.
	full bool
	err  error
}

// UntilWindowCloses holds the updates of a windowed table back until the window
// ends and its grace period is over, so that only the final result of each
// window is sent. The buffer is unbounded unless it is given limits, which must
// come with [ShutDown]: a result that is not final must not be sent.
func UntilWindowCloses(limits ...Limit) Suppression {
	s := suppression(limits)
	s.spec.WindowEnd = true
	if s.spec.EmitEarly {
		s.err = dsl.Errorf(dsl.KindArgument, "UntilWindowCloses cannot send results early: give its limits together with ktable.ShutDown()")
	}
	return s
}

// UntilTimeLimit holds an update back until time has passed its timestamp by d,
// which is rounded down to milliseconds; of several updates of a key within that
// time only the last is sent, when the first one's time is over. The buffer is
// unbounded unless it is given limits; a full one sends early unless
// [ShutDown] says otherwise.
func UntilTimeLimit(d time.Duration, limits ...Limit) Suppression {
	s := suppression(limits)
	s.spec.WaitMs = d.Milliseconds()
	return s
}

// Limit is a limit of a suppression's buffer (Java: BufferConfig).
type Limit func(*Suppression)

// MaxRecords limits how many keys have an update in the buffer.
func MaxRecords(n int64) Limit {
	return func(s *Suppression) { s.spec.MaxRecords, s.spec.EmitEarly = n, s.spec.EmitEarly || !s.full }
}

// MaxBytes limits the bytes in the buffer, counted as Java does: keys, values
// and record contexts.
func MaxBytes(n int64) Limit {
	return func(s *Suppression) { s.spec.MaxBytes, s.spec.EmitEarly = n, s.spec.EmitEarly || !s.full }
}

// Unbounded takes the limits away.
func Unbounded() Limit {
	return func(s *Suppression) { *s = suppression(nil) }
}

// EmitEarly makes a full buffer send the updates whose time comes next.
func EmitEarly() Limit {
	return func(s *Suppression) { s.spec.EmitEarly, s.full = true, true }
}

// ShutDown makes the task fail when the buffer is full (Java:
// shutDownWhenFull).
func ShutDown() Limit {
	return func(s *Suppression) { s.spec.EmitEarly, s.full = false, true }
}

func suppression(limits []Limit) Suppression {
	s := Suppression{spec: ops.Suppression{MaxRecords: ops.NoLimit, MaxBytes: ops.NoLimit}}
	for _, l := range limits {
		l(&s)
	}
	return s
}

// Suppress holds updates back: of those of a key that come meanwhile only the
// last is sent (Java: suppress). What is held back is kept in memory and in a
// changelog topic. The time it waits for is that of the records that come here:
// a table that gets no more updates sends nothing either. Versioned tables
// cannot be suppressed.
func (t Table[K, V]) Suppress(s Suppression, opts ...with.Suppress) Table[K, V] {
	const op = "Suppress"
	c := t.use(op)
	g := c.Graph
	o := dsl.Collect(g, op, opts, with.Suppress.ForSuppress)
	if c.Node.Output == dsl.Versioned {
		g.Fail(op, dsl.Topologyf("suppress() is only supported for non-versioned KTables"))
	}
	name := o.Name
	if name == "" {
		name = g.Name(dsl.PrefixTableSuppress, "")
	}
	if s.err != nil {
		g.Fail(op, s.err)
	}
	if s.spec.WindowEnd {
		s.spec.WaitMs = windowGrace[K](c.Base, op)
	}
	logged := o.Logging != dsl.Off
	store := name + "-store"
	if o.Name == "" {
		store = g.StoreName(dsl.PrefixTableSuppress)
		if logged {
			g.Unnamed("", store+"-changelog", "")
		}
	}
	c.EnableOldValues(true)
	plan := ops.NewSuppress(c.Supplier, s.spec, store)
	n := ops.SuppressNode(name, plan, ops.SuppressBuffer[K, V]{Key: c.Key, Value: c.Value, Logged: logged, ChangelogConfig: o.ChangelogConfig})
	c.Below(n)
	return Table[K, V]{&dsl.Table[K, V]{
		Base: dsl.Base{Graph: g, Node: n, Name: name, Sources: []string{c.Name}},
		Key:  c.Key, Value: c.Value, Supplier: plan}}
}

// windowGrace is the grace period of the windows above; their keys must have
// windows still.
func windowGrace[K any](b dsl.Base, op string) int64 {
	grace, err := b.Node.WindowGrace()
	if err == nil && !ops.HasWindows[K]() {
		err = dsl.Errorf(dsl.KindArgument, "a table of keys %T has no windows that could close", *new(K))
	}
	if err != nil {
		b.Graph.Fail(op, err)
	}
	return grace
}
