// Package live compares applications that run on a real broker: the same
// program in Java and here leaves the same bytes in the topics, and one
// program can be killed, restarted, or taken over by the other. It owns the
// programs, how they are run as processes, and what is read back from the
// broker. It refuses to know how either side works inside.
package live
