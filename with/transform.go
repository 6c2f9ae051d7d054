package with

import "github.com/millrace/millrace/internal/dsl"

// Transform options fit TransformValues of tables (Java: Named, Materialized
// and the names of stores).
type Transform interface{ ForTransform(*dsl.Options) }

// ForTransform implements [Transform].
func (o NameOption) ForTransform(to *dsl.Options) { o.set(to) }

// ForTransform implements [Transform].
func (o StoreOption) ForTransform(to *dsl.Options) { o.materialize(to) }

// ForTransform implements [Transform].
func (o MaterializedOption) ForTransform(to *dsl.Options) { o.materialize(to) }

// ForTransform implements [Transform].
func (o SerdeOption) ForTransform(to *dsl.Options) { o.materialize(to) }

// ForTransform implements [Transform].
func (o ProcessOption) ForTransform(to *dsl.Options) { o.set(to) }
