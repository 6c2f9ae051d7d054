package run

import (
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/statestore"
)

// subscriptions is the store of a foreign-key join. Its keys are bytes, its
// values of no type of the language.
type subscriptions struct {
	statestore.HeadersKeyValue[[]byte, ops.SubscriptionRow]
}

func (subscriptions) kind() string { return "timestampedKeyValueWithHeaders" }

func (s subscriptions) all() ([]row, error) {
	var out []row
	for e, err := range s.All() {
		if err != nil {
			return nil, err
		}
		out = append(out, row{key: e.Key, value: opaque{}, ts: &e.Value.Timestamp, headers: listOf(e.Value.Headers)})
	}
	return out, nil
}

func (subscriptions) read(op string, _ []any) (row, bool, error) { return row{}, false, wrongKind(op) }

func (subscriptions) scan(mode string, _ arguments) ([]row, error) { return nil, wrongKind(mode) }

func (subscriptions) put(write) (any, bool, error) { return nil, false, wrongKind("put") }

func (subscriptions) putIfAbsent(write) (row, bool, error) {
	return row{}, false, wrongKind("putIfAbsent")
}

func (subscriptions) delete(write) (row, bool, error) { return row{}, false, wrongKind("delete") }
