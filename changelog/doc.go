// Package changelog owns what an application writes to a broker besides its
// users' own records: the names and configs of changelog and repartition
// topics, the metadata committed with offsets, and the names under which
// clients and transactions appear. All of it equals Kafka Streams 4.3.1, so that
// a JVM and a Go instance can share one application; docs/formats/ describes
// every byte.
//
// It refuses to know goroutines, consumers and producers: everything here is a
// function of its arguments.
package changelog
