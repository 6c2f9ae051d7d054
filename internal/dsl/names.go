package dsl

import (
	"fmt"
	"strings"
)

// Prefixes of generated names, as in Java.
const (
	PrefixSource        = "KSTREAM-SOURCE-"
	PrefixSink          = "KSTREAM-SINK-"
	PrefixFilter        = "KSTREAM-FILTER-"
	PrefixKeySelect     = "KSTREAM-KEY-SELECT-"
	PrefixMap           = "KSTREAM-MAP-"
	PrefixMapValues     = "KSTREAM-MAPVALUES-"
	PrefixFlatMap       = "KSTREAM-FLATMAP-"
	PrefixFlatMapValues = "KSTREAM-FLATMAPVALUES-"
	PrefixPeek          = "KSTREAM-PEEK-"
	PrefixForEach       = "KSTREAM-FOREACH-"
	PrefixPrint         = "KSTREAM-PRINTER-"
	PrefixMerge         = "KSTREAM-MERGE-"
	PrefixBranch        = "KSTREAM-BRANCH-"
	PrefixProcess       = "KSTREAM-PROCESSOR-"
	PrefixProcessValues = "KSTREAM-PROCESSVALUES-"
	PrefixRepartition   = "KSTREAM-REPARTITION-"
	PrefixToTable       = "KSTREAM-TOTABLE-"
	PrefixAggregate     = "KSTREAM-AGGREGATE-"
	PrefixReduce        = "KSTREAM-REDUCE-"
	PrefixCogroup       = "COGROUPKSTREAM-AGGREGATE-"
	PrefixCogroupMerge  = "COGROUPKSTREAM-MERGE-"
	PrefixWindowed      = "KSTREAM-WINDOWED-"
	PrefixJoinThis      = "KSTREAM-JOINTHIS-"
	PrefixJoinOther     = "KSTREAM-JOINOTHER-"
	PrefixOuterThis     = "KSTREAM-OUTERTHIS-"
	PrefixOuterOther    = "KSTREAM-OUTEROTHER-"
	PrefixOuterShared   = "KSTREAM-OUTERSHARED-"
	PrefixJoin          = "KSTREAM-JOIN-"
	PrefixLeftJoin      = "KSTREAM-LEFTJOIN-"

	PrefixTableSource          = "KTABLE-SOURCE-"
	PrefixTableFilter          = "KTABLE-FILTER-"
	PrefixTableMapValues       = "KTABLE-MAPVALUES-"
	PrefixTableTransformValues = "KTABLE-TRANSFORMVALUES-"
	PrefixTableToStream        = "KTABLE-TOSTREAM-"
	PrefixTableSelect          = "KTABLE-SELECT-"
	PrefixTableAggregate       = "KTABLE-AGGREGATE-"
	PrefixTableReduce          = "KTABLE-REDUCE-"
	PrefixTableMerge           = "KTABLE-MERGE-"
	PrefixTableJoinThis        = "KTABLE-JOINTHIS-"
	PrefixTableJoinOther       = "KTABLE-JOINOTHER-"
	PrefixTableSuppress        = "KTABLE-SUPPRESS-"
	PrefixTableSink            = "KTABLE-SINK-"
)

const (
	storeInfix        = "STATE-STORE-"
	repartitionSuffix = "-repartition"
	changelogSuffix   = "-changelog"
)

// Name returns the user's name if there is one, else prefix and the next
// counter value. The index is burned in both cases.
func (g *Graph) Name(prefix, user string) string {
	generated := prefix + fmt.Sprintf("%010d", g.index)
	g.index++
	if user != "" {
		return user
	}
	return generated
}

// NameWithSuffix is Name, where a user's name gets a suffix.
func (g *Graph) NameWithSuffix(prefix, user, suffix string) string {
	if user != "" {
		user += suffix
	}
	return g.Name(prefix, user)
}

// StoreName generates the name of a store.
func (g *Graph) StoreName(prefix string) string { return g.Name(prefix+storeInfix, "") }

// unnamed is an internal resource whose name was generated.
type unnamed struct{ store, changelog, repartition string }

// Unnamed notes that a store, a changelog or a repartition topic (without
// "-changelog" the name may be empty) got a generated name, for the check of
// explicit naming.
func (g *Graph) Unnamed(store, changelog, repartition string) {
	g.unnamed = append(g.unnamed, unnamed{store, changelog, repartition})
}

// checkNames is the check of ensure.explicit.internal.resource.naming.
func (g *Graph) checkNames() error {
	if !g.Config.ExplicitNames || len(g.unnamed) == 0 {
		return nil
	}
	var changelogs, stores, repartitions []string
	for _, u := range g.unnamed {
		changelogs = appendNamed(changelogs, u.changelog)
		stores = appendNamed(stores, u.store)
		repartitions = appendNamed(repartitions, u.repartition)
	}
	var b strings.Builder
	for _, line := range []struct {
		what  string
		names []string
	}{{"changelog topic(s)", changelogs}, {"state store(s)", stores}, {"repartition topic(s)", repartitions}} {
		if len(line.names) > 0 {
			fmt.Fprintf(&b, "Following %s has not been named: %s\n", line.what, strings.Join(line.names, ", "))
		}
	}
	return Topologyf("%s", b.String())
}

func appendNamed(list []string, name string) []string {
	if name == "" {
		return list
	}
	return append(list, name)
}
