package with

import (
	"time"

	"github.com/millrace/millrace/internal/dsl"
)

// TableJoinOption is an option of joins of a stream with a table only.
type TableJoinOption struct{ set func(*dsl.Options) }

// ForTableJoin implements [TableJoin].
func (o TableJoinOption) ForTableJoin(to *dsl.Options) { o.set(to) }

// TableGrace lets the records of the stream wait until the stream's time is d,
// in whole milliseconds, later than theirs, so that they meet updates of the
// table that come late. The table must be versioned, with a history of at least
// d. Records that come later than d are joined at once (KIP-923, Java:
// Joined.withGracePeriod).
func TableGrace(d time.Duration) TableJoinOption {
	return TableJoinOption{func(to *dsl.Options) { to.Grace = &d }}
}

// ForeignJoinOption is an option of foreign-key joins only.
type ForeignJoinOption struct{ set func(*dsl.Options) }

// ForForeignJoin implements [ForeignJoin].
func (o ForeignJoinOption) ForForeignJoin(to *dsl.Options) { o.set(to) }

// OtherPartitioner chooses the partition to which a foreign-key join sends what
// it asks the right table, as that table's topic is partitioned: a
// processor.Partitioner of the right table's keys and struct{}, whose records
// have no value. It must choose exactly one partition (Java:
// TableJoined.withOtherPartitioner).
func OtherPartitioner(p any) ForeignJoinOption {
	return ForeignJoinOption{func(to *dsl.Options) { to.OtherPartitioner = p }}
}
