package scenario

import "github.com/millrace/millrace/compat-tests/internal/expr"

// WindowedBy is the op windowedBy; Emit is empty, onWindowUpdate or onWindowClose.
type WindowedBy struct {
	In     string
	Window Window
	Emit   string
}

// Window describes windows. A nil grace is the factory without grace.
type Window struct {
	Type                  string // time, unlimited, sliding or session
	SizeMs, DiffMs, GapMs int64
	AdvanceMs, StartMs    *int64
	GraceMs               *int64
}

func (o *object) windowedBy() any {
	w := o.needObject("window")
	spec := &WindowedBy{In: o.need("in"), Emit: o.word("emit", "onWindowUpdate", "onWindowClose"),
		Window: Window{Type: w.needWord("type", "time", "unlimited", "sliding", "session"), GraceMs: w.long("graceMs")}}
	switch spec.Window.Type {
	case "time":
		spec.Window.SizeMs, spec.Window.AdvanceMs = w.needLong("sizeMs"), w.long("advanceMs")
	case "unlimited":
		spec.Window.StartMs = w.long("startMs")
	case "sliding":
		spec.Window.DiffMs = w.needLong("diffMs")
	case "session":
		spec.Window.GapMs = w.needLong("gapMs")
	}
	w.done()
	return spec
}

// Count is the op count.
type Count struct {
	In           string
	Name         *string
	Materialized *Materialized
}

func (o *object) count() any {
	return &Count{In: o.need("in"), Name: o.optional("name"), Materialized: o.materialized()}
}

// Reduce is the op reduce; Subtract belongs to grouped tables.
type Reduce struct {
	In            string
	Add, Subtract *expr.Expr
	Name          *string
	Materialized  *Materialized
}

func (o *object) reduce() any {
	return &Reduce{In: o.need("in"), Add: o.needExpr("add"), Subtract: o.expr("subtract"), Name: o.optional("name"),
		Materialized: o.materialized()}
}

// Aggregate is the op aggregate. Add is absent for cogrouped streams, Subtract
// belongs to grouped tables, Merge to sessions.
type Aggregate struct {
	In                         string
	Init, Add, Subtract, Merge *expr.Expr
	Name                       *string
	Materialized               *Materialized
}

func (o *object) aggregate() any {
	return &Aggregate{In: o.need("in"), Init: o.needExpr("init"), Add: o.expr("add"), Subtract: o.expr("subtract"),
		Merge: o.expr("merge"), Name: o.optional("name"), Materialized: o.materialized()}
}

// Cogroup is the op cogroup.
type Cogroup struct{ Streams []CogroupPart }

// CogroupPart is one grouped stream of a cogroup.
type CogroupPart struct {
	In  string
	Add *expr.Expr
}

func (o *object) cogroup() any {
	c := &Cogroup{}
	for _, p := range o.objects("streams") {
		c.Streams = append(c.Streams, CogroupPart{In: p.need("in"), Add: p.needExpr("add")})
		p.done()
	}
	if len(c.Streams) == 0 {
		o.missing("streams")
	}
	return c
}

// ToStream is the op toStream.
type ToStream struct {
	In   string
	Name *string
	Key  *expr.Expr
}

func (o *object) toStream() any {
	return &ToStream{In: o.need("in"), Name: o.optional("name"), Key: o.expr("key")}
}

// Suppress is the op suppress. Full is empty, emitEarly or shutDown.
type Suppress struct {
	In                   string
	Until                string // windowCloses or timeLimit
	TimeMs               int64
	MaxRecords, MaxBytes *int64
	Full                 string
	Logging              *Logging
	Name                 *string
}

func (o *object) suppress() any {
	s := &Suppress{In: o.need("in"), Until: o.needWord("until", "windowCloses", "timeLimit"), Name: o.optional("name")}
	if s.Until == "timeLimit" {
		s.TimeMs = o.needLong("timeMs")
	}
	if b := o.object("buffer"); b != nil {
		s.MaxRecords, s.MaxBytes = b.long("maxRecords"), b.long("maxBytes")
		s.Full, s.Logging = b.word("full", "emitEarly", "shutDown"), b.logging()
		b.done()
	}
	return s
}

// TransformValues is the op transformValues.
type TransformValues struct {
	In           string
	Program      *Program
	Stores       []string
	Name         *string
	Materialized *Materialized
}

func (o *object) transformValues() any {
	return &TransformValues{In: o.need("in"), Program: o.program(), Stores: o.strings("stores"), Name: o.optional("name"),
		Materialized: o.materialized()}
}

// TableJoin is the op tableJoin.
type TableJoin struct {
	In, With     string
	Type         string // inner, left or outer
	Joiner       *expr.Expr
	Name         *string
	Materialized *Materialized
}

func (o *object) tableJoin() any {
	return &TableJoin{In: o.need("in"), With: o.need("with"), Type: o.needWord("type", "inner", "left", "outer"),
		Joiner: o.needExpr("joiner"), Name: o.optional("name"), Materialized: o.materialized()}
}

// FKJoin is the op fkJoin.
type FKJoin struct {
	In, With     string
	Type         string // inner or left
	ForeignKey   *expr.Expr
	WithKey      bool
	Joiner       *expr.Expr
	TableJoined  *TableJoined
	Materialized *Materialized
}

func (o *object) fkJoin() any {
	return &FKJoin{In: o.need("in"), With: o.need("with"), Type: o.needWord("type", "inner", "left"),
		ForeignKey: o.needExpr("foreignKey"), WithKey: o.flag("withKey"), Joiner: o.needExpr("joiner"),
		TableJoined: o.tableJoined(), Materialized: o.materialized()}
}

// JoinStream is the op joinStream. A nil grace is the factory without grace.
type JoinStream struct {
	In, With                   string
	Type                       string // inner, left or outer
	Joiner                     *expr.Expr
	WithKey                    bool
	DiffMs                     int64
	GraceMs, BeforeMs, AfterMs *int64
	StreamJoined               *StreamJoined
}

func (o *object) joinStream() any {
	j := &JoinStream{In: o.need("in"), With: o.need("with"), Type: o.needWord("type", "inner", "left", "outer"),
		Joiner: o.needExpr("joiner"), WithKey: o.flag("withKey"), StreamJoined: o.streamJoined()}
	w := o.needObject("window")
	j.DiffMs, j.GraceMs, j.BeforeMs, j.AfterMs = w.needLong("diffMs"), w.long("graceMs"), w.long("beforeMs"), w.long("afterMs")
	w.done()
	return j
}

// JoinTable is the op joinTable.
type JoinTable struct {
	In, With string
	Type     string // inner or left
	Joiner   *expr.Expr
	WithKey  bool
	Joined   *Joined
}

func (o *object) joinTable() any {
	return &JoinTable{In: o.need("in"), With: o.need("with"), Type: o.needWord("type", "inner", "left"),
		Joiner: o.needExpr("joiner"), WithKey: o.flag("withKey"), Joined: o.joined()}
}

// JoinGlobal is the op joinGlobal.
type JoinGlobal struct {
	In, With         string
	Type             string // inner or left
	Selector, Joiner *expr.Expr
	WithKey          bool
	Name             *string
}

func (o *object) joinGlobal() any {
	return &JoinGlobal{In: o.need("in"), With: o.need("with"), Type: o.needWord("type", "inner", "left"),
		Selector: o.needExpr("selector"), Joiner: o.needExpr("joiner"), WithKey: o.flag("withKey"), Name: o.optional("name")}
}
