// Package compat compares this implementation with Kafka Streams in Java. It
// owns the corpus of scenarios with the goldens that Java wrote for them, the
// Java oracle that writes and judges them (folder oracle), and the command that
// runs both (cmd/compat). It refuses to know how the implementation works: it
// sees what a user of the public API sees.
package compat
