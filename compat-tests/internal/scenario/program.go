package scenario

import (
	"fmt"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// Program is a processor written in the language.
type Program struct {
	Init, Process, Close []Statement
	// Provides are the stores the program brings itself; HasProvides tells an
	// empty list from an absent one.
	Provides    []*Store
	HasProvides bool
}

// Statement is one of the pointer types below.
type Statement any

// Let sets a variable.
type Let struct {
	Name string
	Be   *expr.Expr
}

// If chooses between two blocks.
type If struct {
	Condition  *expr.Expr
	Then, Else []Statement
}

// Forward sends the current record with the given members replaced; nil keeps
// a member. To is nil for all children.
type Forward struct {
	Key, Value, TS *expr.Expr
	To             *string
}

// SetHeader adds a header to the current record, or removes it when the value
// is null.
type SetHeader struct {
	Name  string
	Value *expr.Expr
}

// Effect shows a text in the golden.
type Effect struct{ Text *expr.Expr }

// Put writes to a store. Which members matter depends on the kind of store.
type Put struct {
	Store                      string
	Key, Value, TS, Start, End *expr.Expr
	Into                       string
}

// PutIfAbsent writes to a key-value store.
type PutIfAbsent struct {
	Store          string
	Key, Value, TS *expr.Expr
	Into           string
}

// Delete deletes from a store.
type Delete struct {
	Store               string
	Key, TS, Start, End *expr.Expr
	Into                string
}

// ScanStore reads a range and runs a block for each entry.
type ScanStore struct {
	Scan
	Do []Statement
}

// Schedule registers a punctuator.
type Schedule struct {
	Name, Type string // STREAM_TIME or WALL_CLOCK_TIME
	EveryMs    int64
	StartMs    *int64
	Do         []Statement
}

// Cancel ends a punctuator.
type Cancel struct{ Name string }

// Commit requests a commit, unless the scenario says false.
type Commit struct{ Requested bool }

// Return ends the block with a result.
type Return struct{ Result *expr.Expr }

func (o *object) program() *Program {
	p := o.needObject("program")
	defer p.done()
	if !p.has("process") {
		p.missing("process")
	}
	out := &Program{Init: p.statements("init"), Process: p.statements("process"), Close: p.statements("close"), HasProvides: p.has("provides")}
	for _, s := range p.objects("provides") {
		out.Provides = append(out.Provides, s.storeSpec())
	}
	return out
}

func (o *object) statements(member string) []Statement {
	var out []Statement
	for i, e := range o.array(member) {
		s := o.r.object(e, fmt.Sprintf("%s.%s[%d]", o.where, member, i))
		out = append(out, s.statement())
		s.done()
	}
	return out
}

// statement tells statements apart by their first word, in the oracle's order.
func (o *object) statement() Statement {
	switch {
	case o.has("if"):
		if !o.has("then") {
			o.missing("then")
		}
		return &If{Condition: o.needExpr("if"), Then: o.statements("then"), Else: o.statements("else")}
	case o.has("let"):
		return &Let{Name: o.need("let"), Be: o.needExpr("be")}
	case o.has("forward"):
		return o.needObject("forward").forward()
	case o.has("header"):
		return &SetHeader{Name: o.need("header"), Value: o.needExpr("value")}
	case o.has("effect"):
		return &Effect{Text: o.needExpr("effect")}
	case o.has("put"):
		return &Put{Store: o.need("put"), Key: o.needExpr("key"), Value: o.needExpr("value"), TS: o.expr("ts"),
			Start: o.expr("start"), End: o.expr("end"), Into: o.str("into")}
	case o.has("putIfAbsent"):
		return &PutIfAbsent{Store: o.need("putIfAbsent"), Key: o.needExpr("key"), Value: o.needExpr("value"), TS: o.expr("ts"), Into: o.str("into")}
	case o.has("delete"):
		return &Delete{Store: o.need("delete"), Key: o.needExpr("key"), TS: o.expr("ts"), Start: o.expr("start"), End: o.expr("end"), Into: o.str("into")}
	case o.has("scan"):
		return o.scan()
	case o.has("schedule"):
		return o.needObject("schedule").schedule()
	case o.has("cancel"):
		return &Cancel{Name: o.need("cancel")}
	case o.has("commit"):
		return &Commit{Requested: o.flag("commit")}
	case o.has("return"):
		return &Return{Result: o.needExpr("return")}
	}
	o.r.fail("%s: unknown statement %s", o.where, tree.Compact(o.node))
	return nil
}

func (o *object) forward() Statement {
	defer o.done()
	return &Forward{Key: o.expr("key"), Value: o.expr("value"), TS: o.expr("ts"), To: o.optional("to")}
}

func (o *object) scan() Statement {
	s := &ScanStore{Scan: Scan{Store: o.need("scan"), Mode: o.needWord("mode", scanModes...)}}
	if !o.has("do") {
		o.missing("do")
	}
	s.Do = o.statements("do")
	o.scanArguments(&s.Scan)
	return s
}

func (o *object) schedule() Statement {
	defer o.done()
	if !o.has("do") {
		o.missing("do")
	}
	return &Schedule{Name: o.need("name"), Type: o.needWord("type", "STREAM_TIME", "WALL_CLOCK_TIME"), EveryMs: o.needLong("everyMs"),
		StartMs: o.long("startMs"), Do: o.statements("do")}
}
