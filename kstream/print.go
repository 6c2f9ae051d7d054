package kstream

import (
	"fmt"
	"io"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Print writes each record to w as a line "[label]: key, value" and ends the
// stream; null prints as null. Nothing is locked: tasks of several workers that
// print to one writer need one that is safe for concurrent use.
func (s Stream[K, V]) Print(w io.Writer, opts ...with.Print) {
	c := s.use("Print")
	o := dsl.Collect(c.Graph, "Print", opts, with.Print.ForPrint)
	u := printer[K, V]{w: w, label: o.Label}
	if u.label == "" {
		u.label = c.Name
	}
	if o.Format != nil {
		f, ok := o.Format.(func(K, V) string)
		if !ok {
			c.Graph.Fail("Print", dsl.Errorf(dsl.KindArgument, "the format is a %T, want a %T", o.Format, f))
		}
		u.format = f
	}
	c.Below(plain(c.Graph.Name(dsl.PrefixPrint, o.Name), func() processor.Unit { one := u; return &one }))
}

type printer[K, V any] struct {
	processor.Out[K, V]
	args[K, V]
	w      io.Writer
	label  string
	format func(K, V) string
}

// Receive implements processor.Receiver.
func (u *printer[K, V]) Receive(rec processor.Record[K, V]) error {
	if u.format != nil {
		if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
			return err
		}
		_, err := fmt.Fprintf(u.w, "[%s]: %s\n", u.label, u.format(rec.Key, rec.Value))
		return err
	}
	_, err := fmt.Fprintf(u.w, "[%s]: %s, %s\n", u.label, text(rec.Key, rec.KeyNull), text(rec.Value, rec.ValueNull))
	return err
}

func text(v any, null bool) string {
	if null {
		return "null"
	}
	return fmt.Sprint(v)
}
