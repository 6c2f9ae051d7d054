package main

import (
	"time"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// Trip is the end of a driver's trip; the record's key is the trip.
type Trip struct{ EndedAt time.Time }

// Payment is the receipt for a trip; the record's key is the trip.
type Payment struct{ PaidAt time.Time }

// Verdict is what the detector makes of a payment.
type Verdict struct {
	// Orphan says that the payment is for a trip that nobody knows.
	Orphan bool
	PaidAt time.Time
}

// topics are the names of the topics of one run.
type topics struct{ trips, payments, verdicts string }

// detector looks up the trip of each payment when the payment comes. That is
// how one writes it first; what it gets wrong is the point of the example.
func detector(cfg processor.Config, names topics) (*processor.Topology, error) {
	b := kstream.NewBuilder(cfg)

	trips := kstream.Table[string, Trip](b, names.trips, with.ValueSerde(serde.JSON[Trip]()), with.Store("trips"))
	payments := kstream.From[string, Payment](b, names.payments, with.ValueSerde(serde.JSON[Payment]()))
	verdicts := kstream.LeftJoinTable(payments, trips, func(p Payment, _ Trip, known bool) Verdict {
		return Verdict{Orphan: !known, PaidAt: p.PaidAt}
	})
	verdicts.To(names.verdicts, with.ValueSerde(serde.JSON[Verdict]()))

	return b.Build(cfg)
}
