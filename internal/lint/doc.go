// Package lint owns the house rules of this repository and runs them as a Go
// test, so that `go test ./...` is the whole truth: import walls, documentation,
// sizes, names, determinism of the core, and links of the documents.
//
// Each rule is a function from a [Repo] to problems; the tests run every rule
// over the repository and over small sources that break it. It refuses to know
// what the packages do.
package lint
