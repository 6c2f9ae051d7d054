package dsl

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/millrace/millrace/processor"
)

// Kind is the class of a build error, by which it can be compared with Java's.
type Kind int

// The classes of build errors.
const (
	// KindWrapped is the class of the wrapped error, a
	// [processor.TopologyError] as a rule (Java: TopologyException).
	KindWrapped Kind = iota
	// KindArgument is Java's IllegalArgumentException.
	KindArgument
	// KindNull is Java's NullPointerException at build time.
	KindNull
	// KindConfig is Java's ConfigException.
	KindConfig
	// KindStreams is Java's StreamsException.
	KindStreams
	// KindSerde is a serde that is missing or of another type; Java finds out
	// at run time.
	KindSerde
)

// Error is an error of building a topology. Its text begins with the line of
// user code that called the operator.
type Error struct {
	Pos, Op string
	Kind    Kind
	Err     error
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Pos != "" {
		b.WriteString(e.Pos)
		b.WriteString(": ")
	}
	if e.Op != "" {
		b.WriteString(e.Op)
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Topologyf makes an error of the class of Java's TopologyException.
func Topologyf(format string, args ...any) error {
	return &processor.TopologyError{Msg: fmt.Sprintf(format, args...)}
}

// Errorf makes an error of another class.
func Errorf(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// at adds position and operator to an error that has none.
func at(pos, op string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return &Error{Pos: pos, Op: op, Err: err}
	}
	placed := *e
	if placed.Pos == "" {
		placed.Pos = pos
	}
	if placed.Op == "" {
		placed.Op = op
	}
	return &placed
}

const module = "github.com/millrace/millrace/"

// own are the packages whose frames are not user code.
var own = []string{module + "kstream.", module + "ktable.", module + "with.", module + "internal/dsl."}

// Caller is the position of the nearest frame of user code, as "main.go:15".
// The packages of the DSL are no user code, but their tests are.
func Caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !isOwn(f) {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return ""
		}
	}
}

func isOwn(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, p := range own {
		if strings.HasPrefix(f.Function, p) {
			return true
		}
	}
	return false
}
