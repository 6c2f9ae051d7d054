package run

import (
	"errors"
	"reflect"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
)

const (
	streamsException  = "StreamsException"
	illegalArgument   = "IllegalArgumentException"
	topologyException = "TopologyException"
)

// kindClasses are the Java classes of the kinds of build errors.
var kindClasses = map[dsl.Kind]string{
	dsl.KindArgument: illegalArgument,
	dsl.KindNull:     "NullPointerException",
	dsl.KindConfig:   "ConfigException",
	dsl.KindStreams:  streamsException,
}

// buildClass is the simple name of the Java exception that an error of
// building or starting stands for. Building may report several errors; Java
// knows only the first. An error without a counterpart shows its Go type.
func buildClass(at string, err error) string {
	if at == "init" {
		return streamsException
	}
	var thrown *value.Exception
	var topology *processor.TopologyError
	var streams *processor.StreamsError
	var built *dsl.Error
	err = first(err)
	switch {
	case errors.As(err, &thrown):
		return simpleName(thrown.Class)
	case errors.As(err, &topology):
		return topologyException
	case errors.As(err, &streams):
		return streamsException
	case errors.As(err, &built):
		for ; ; built = inner(built) {
			if class, ok := kindClasses[built.Kind]; ok {
				return class
			}
			if inner(built) == nil {
				break
			}
		}
	}
	return reflect.TypeOf(err).String() + ": " + err.Error()
}

// inner is the build error inside a build error, nil if there is none.
func inner(e *dsl.Error) *dsl.Error {
	var in *dsl.Error
	if errors.As(e.Err, &in) {
		return in
	}
	return nil
}

// first is the first of joined errors.
func first(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) == 0 {
			return err
		}
		err = joined.Unwrap()[0]
	}
}

// stepClass is the simple name of the Java exception that an error of an input
// step stands for. Almost everything is wrapped in a StreamsException; what a
// program throws in a global store's processor is not.
func stepClass(err error) string {
	if errors.Is(err, testdriver.ErrUnknownTopic) {
		return illegalArgument
	}
	var flush *task.FlushError
	if errors.As(err, &flush) {
		return "ProcessorStateException"
	}
	var failed *processor.FailedError
	var streams *processor.StreamsError
	var unread *task.DeserializationError
	if errors.As(err, &failed) || errors.As(err, &streams) || errors.As(err, &unread) {
		return streamsException
	}
	var thrown *value.Exception
	if errors.As(err, &thrown) {
		return simpleName(thrown.Class)
	}
	if errors.Is(err, window.ErrBounds) {
		return illegalArgument
	}
	if errors.Is(err, statestore.ErrSegments) {
		return "IllegalStateException"
	}
	return streamsException
}

func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
