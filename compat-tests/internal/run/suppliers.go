package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/with"
)

// supplier makes a store supplier.
func supplier(s *scenario.Supplier) (with.Supplier, error) {
	return nil, &value.Fault{Message: "store supplier " + s.Kind + " is not implemented"}
}
