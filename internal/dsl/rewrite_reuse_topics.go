package dsl

// reuseSourceTopics makes the source topics of tables their changelogs.
func (g *Graph) reuseSourceTopics() {
	for _, n := range g.tables {
		n.Table.Reuse = true
	}
}
