package run

import (
	"slices"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
)

// features are the implemented words that are neither ops nor configuration
// keys; scenario.Words explains them.
var features = []string{"plainBuilder", "wrapByHand", "query", "emit", "supplier", "windowSupplier", "plainTable", "headerStores", "versioned",
	"store:lruMap", "store:supplied", "store:versioned", "store:timestampedKeyValueWithHeaders", "store:window", "store:timestampedWindow",
	"store:timestampedWindowWithHeaders", "store:session", "store:sessionWithHeaders"}

// Missing lists the words of a scenario that are not implemented yet.
func (Interpreter) Missing(s *scenario.Scenario) []string {
	return slices.DeleteFunc(s.Words(), implemented)
}

func implemented(word string) bool {
	if key, ok := strings.CutPrefix(word, "config:"); ok {
		return knowsConfig(key)
	}
	return opTable[word] != nil || slices.Contains(features, word)
}

// Words lists what is implemented: ops, features and configuration keys.
func Words() (ops, more, keys []string) {
	for op := range opTable {
		ops = append(ops, op)
	}
	for key := range configKeys {
		keys = append(keys, key)
	}
	slices.Sort(ops)
	slices.Sort(keys)
	return ops, slices.Clone(features), append(keys, topicPrefix+"*")
}
