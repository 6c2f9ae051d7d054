package with

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
)

// Name names the operator's node (Java: Named.as and the names of Consumed,
// Produced, Grouped, Joined and the like). Where the operator makes several
// nodes or a topic, their names begin with it. Generated names change with
// every operator added before them, and with them the names of internal
// topics: name what must survive a change of the program.
//
// A name consists of ASCII letters, digits, '.', '_' and '-' and is at most 249
// long.
func Name(name string) NameOption { return NameOption{name} }

// NameOption is the option made by [Name].
type NameOption struct{ name string }

func (o NameOption) set(to *dsl.Options) {
	if err := processor.ValidateName(o.name); err != nil {
		to.Refuse(err)
	}
	to.Name = o.name
}

// ForNode implements [Node].
func (o NameOption) ForNode(to *dsl.Options) { o.set(to) }

// ForSource implements [Source].
func (o NameOption) ForSource(to *dsl.Options) { o.set(to) }

// ForTableSource implements [TableSource].
func (o NameOption) ForTableSource(to *dsl.Options) { o.set(to) }

// ForSink implements [Sink].
func (o NameOption) ForSink(to *dsl.Options) { o.set(to) }

// ForGroup implements [Group].
func (o NameOption) ForGroup(to *dsl.Options) { o.set(to) }

// ForAggregation implements [Aggregation].
func (o NameOption) ForAggregation(to *dsl.Options) { o.set(to) }

// ForTable implements [Table].
func (o NameOption) ForTable(to *dsl.Options) { o.set(to) }

// ForRepartition implements [Repartition].
func (o NameOption) ForRepartition(to *dsl.Options) { o.set(to) }

// ForProcess implements [Process].
func (o NameOption) ForProcess(to *dsl.Options) { o.set(to) }

// ForPrint implements [Print].
func (o NameOption) ForPrint(to *dsl.Options) { o.set(to) }

// ForJoin implements [Join].
func (o NameOption) ForJoin(to *dsl.Options) { o.set(to) }

// ForTableJoin implements [TableJoin].
func (o NameOption) ForTableJoin(to *dsl.Options) { o.set(to) }

// ForForeignJoin implements [ForeignJoin].
func (o NameOption) ForForeignJoin(to *dsl.Options) { o.set(to) }
