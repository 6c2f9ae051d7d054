package run

import (
	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// raise throws what an expression ended with out of a function that returns no
// error; the framework catches it at the node.
func (r *run) raise(err error) {
	r.note(err)
	panic(err)
}

// eval computes an expression over variables given as names and values in turn.
func (r *run) eval(x *expr.Expr, variables ...any) any {
	v, err := x.Eval(expr.Vars(variables...))
	if err != nil {
		r.raise(err)
	}
	return v
}

func (r *run) predicate(x *expr.Expr) func(k, v any) bool {
	return func(k, v any) bool {
		ok, err := x.Test(expr.Vars("key", k, "value", v))
		if err != nil {
			r.raise(err)
		}
		return ok
	}
}

// ofBoth is a function of key and value.
func (r *run) ofBoth(x *expr.Expr) func(k, v any) any {
	return func(k, v any) any { return r.eval(x, "key", k, "value", v) }
}

// ofValue is a function of the value, to which no key is known.
func (r *run) ofValue(x *expr.Expr) func(v any) any {
	return func(v any) any { return r.eval(x, "value", v) }
}

// pair is a function that makes a key and a value.
func (r *run) pair(key, val *expr.Expr) func(k, v any) (any, any) {
	return func(k, v any) (any, any) {
		return r.eval(key, "key", k, "value", v), r.eval(val, "key", k, "value", v)
	}
}

// list turns a result into the elements of a list; null is told from the empty
// list.
func (r *run) list(v any) (elements []any, null bool) {
	if v == nil {
		return nil, true
	}
	l, ok := v.([]any)
	if !ok {
		r.raise(&value.Exception{Class: value.ClassCast, Message: "not a list: " + value.Str(v)})
	}
	return l, false
}

// partitioner chooses partitions by an expression; null leaves the choice to
// the default, a list is taken ascending and without duplicates.
func (r *run) partitioner(x *expr.Expr) processor.Partitioner[any, any] {
	if x == nil {
		return nil
	}
	return func(topic string, rec processor.Record[any, any], partitions int32) ([]int32, bool) {
		switch p := r.eval(x, "topic", topic, "key", rec.Key, "value", rec.Value, "numPartitions", int64(partitions)).(type) {
		case nil:
			return nil, true
		case int64:
			return []int32{int32(p)}, false
		case []any:
			return r.partitions(p), false
		default:
			r.raise(&value.Fault{Message: "a partitioner gives a long, a list of longs or null"})
			return nil, false
		}
	}
}

func (r *run) partitions(l []any) []int32 {
	out := []int32{}
	for _, e := range l {
		p, ok := e.(int64)
		if !ok {
			r.raise(&value.Fault{Message: "a partitioner gives a long, a list of longs or null"})
		}
		out = append(out, int32(p))
	}
	return sortedPartitions(out)
}

// topicFunc chooses the topic of a record by an expression.
func (r *run) topicFunc(x *expr.Expr) processor.TopicFunc[any, any] {
	return func(rec processor.Record[any, any], c *record.Context) (string, error) {
		v, err := x.Eval(expr.Vars("key", rec.Key, "value", rec.Value, "topic", c.Topic, "ts", c.Timestamp,
			"partition", int64(c.Partition), "offset", c.Offset))
		if err != nil {
			r.note(err)
			return "", err
		}
		if v == nil {
			return "", &value.Exception{Class: value.ClassIllegalArgument, Message: "Topic cannot be null."}
		}
		topic, ok := v.(string)
		if !ok {
			return "", &value.Exception{Class: value.ClassCast, Message: "not a topic: " + value.Str(v)}
		}
		return topic, nil
	}
}

// extractor reads the event time by an expression.
func (r *run) extractor(x *expr.Expr) processor.TimestampExtractor {
	return processor.TimestampFunc(func(m *processor.Message, partitionTime int64) (int64, error) {
		v, err := x.Eval(expr.Vars("key", m.Key, "value", m.Value, "ts", m.Timestamp, "topic", m.Topic,
			"partition", int64(m.Partition), "offset", m.Offset, "partitionTime", partitionTime))
		if err == nil {
			if ts, ok := v.(int64); ok {
				return ts, nil
			}
			err = &value.Fault{Message: "timestamp extractor: not a long: " + value.Str(v)}
		}
		r.note(err)
		return 0, err
	})
}
