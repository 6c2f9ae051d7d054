package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// event is one record of the input.
type event struct {
	payment bool
	trip    string
	// second is when it happened, in seconds after the start.
	second int
}

// arrivals are trips and payments in the order in which they arrive. Of the
// payments only t3 has no trip. t1's receipt overtakes the end of its trip, t4's
// clock is a second slow, and t6's trip is 71 seconds late.
var arrivals = []event{
	{true, "t1", 13}, {false, "t1", 11},
	{false, "t2", 20}, {true, "t2", 21},
	{true, "t3", 25},
	{false, "t4", 30}, {true, "t4", 29},
	{false, "t5", 40},
	{true, "t6", 41}, {false, "t6", -30},
	{false, "t7", 70}, {true, "t7", 71},
	{false, "t8", 100},
}

func (e event) kind() string {
	if e.payment {
		return "pay"
	}
	return "trip"
}

// at is the time of the event.
func (e event) at(start time.Time) time.Time { return start.Add(time.Duration(e.second) * time.Second) }

// value is the record's value.
func (e event) value(start time.Time) ([]byte, error) {
	var v any = Trip{EndedAt: e.at(start)}
	if e.payment {
		v = Payment{PaidAt: e.at(start)}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", e.kind(), e.trip, err)
	}
	return b, nil
}

// tripOf is the number, from 1, of the record that tells of a trip, and 0 if
// none ever does.
func tripOf(trip string) int {
	return 1 + slices.IndexFunc(arrivals, func(e event) bool { return !e.payment && e.trip == trip })
}
