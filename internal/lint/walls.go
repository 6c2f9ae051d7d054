package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// row is one layer of the table, each side from left to right. A package may
// import its left neighbours, its own subfolders and parents, and what lies
// below, but never across the wall between what and how: the DSL describes,
// the runtime runs, and they meet in the processor package. Shared packages of
// a row above the processor may import only shared ones, unless the row
// joins both sides.
type row struct {
	shared, what, how []string
	joins             bool
}

// table is the architecture from the bottom up.
var table = []row{
	{shared: []string{"record"}},
	{shared: []string{"serde", "serde/registry", "serde/avro", "serde/protobuf", "serde/jsonschema", "window", "order"}},
	{shared: []string{"statestore", "statestore/memstore", "statestore/pebblestore"}},
	{shared: []string{"processor"}},
	{
		shared: []string{"internal/viz"},
		what:   []string{"internal/dsl", "with", "internal/ops", "keyed"},
		how:    []string{"internal/metrics", "changelog", "internal/task"},
	},
	{what: []string{"ktable"}, how: []string{"internal/kafka", "internal/assign", "internal/topics"}},
	{what: []string{"kstream"}, how: []string{"internal/runtime"}},
	{shared: []string{"testdriver", ".", "monitor"}, joins: true},
}

// leaves import only the record package and may be imported by every row.
var leaves = []string{"internal/murmur", "internal/javaorder", "internal/storebytes"}

// top are programs and suites over everything; nothing imports them.
var top = []string{"cmd", "examples", "compat-tests", "bench"}

// apart are packages for the top and for tests: no row imports them.
var apart = []string{"internal/devcluster", "internal/lint", "statestore/storetest"}

type side int

const (
	shared side = iota
	what
	how
)

// place is where a package stands in the table.
type place struct {
	row, pos int
	side     side
	joins    bool
}

// placeOf finds a package in the table; a package in another one's internal
// folder stands where its owner does.
func placeOf(dir string) (place, bool) {
	dir, _, _ = strings.Cut(dir, "/internal/")
	for i, r := range table {
		for s, names := range [][]string{r.shared, r.what, r.how} {
			if pos := slices.Index(names, dir); pos >= 0 {
				return place{row: i, pos: pos, side: side(s), joins: r.joins}, true
			}
		}
	}
	return place{}, false
}

// Walls checks the imports of one package by another against the table. Test
// files, the top and the packages that stand apart may import anything.
func Walls(r *Repo) []Problem {
	var ps []Problem
	names, byDir := r.dirs()
	for _, dir := range names {
		if within(dir, top...) || within(dir, apart...) {
			continue
		}
		if _, ok := placeOf(dir); !ok && !slices.Contains(leaves, dir) {
			ps = append(ps, Problem{Rule: "walls", Path: dir, Text: "package has no place in the table of internal/lint"})
			continue
		}
		for _, f := range byDir[dir] {
			for _, imp := range f.AST.Imports {
				target, ok := r.ownPackage(unquote(imp.Path.Value))
				if !ok {
					continue
				}
				if why := forbidden(dir, target); why != "" {
					ps = append(ps, r.at("walls", imp.Pos(), "%s must not import %s: %s", dir, target, why))
				}
			}
		}
	}
	return ps
}

// ownPackage returns the folder of an import path of this module.
func (r *Repo) ownPackage(importPath string) (string, bool) {
	if importPath == r.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, r.Module+"/")
}

// forbidden says why a package of the table or a leaf may not import another
// one, or nothing when it may.
func forbidden(from, to string) string {
	switch {
	case slices.Contains(leaves, to) && to != from:
		return ""
	case within(to, top...):
		return "nothing imports programs and suites"
	case within(to, apart...):
		return "it is for programs and tests"
	case slices.Contains(leaves, from):
		if to == "record" {
			return ""
		}
		return "a leaf imports only record"
	}
	a, _ := placeOf(from)
	b, ok := placeOf(to)
	if !ok {
		return "it has no place in the table"
	}
	// A package and its subfolders are one unit; the compiler forbids cycles.
	if within(from, to) && to != "." || within(to, from) && from != "." {
		return ""
	}
	return crossing(a, b)
}

func crossing(a, b place) string {
	if !a.joins && b.side != shared && a.side != b.side {
		return "the DSL and the runtime meet only in processor"
	}
	switch {
	case b.row > a.row:
		return fmt.Sprintf("it lies above (row %d over row %d)", b.row, a.row)
	case b.row < a.row:
		return ""
	case a.side == b.side && b.pos > a.pos:
		return "it is a right neighbour"
	default:
		return ""
	}
}

func unquote(literal string) string {
	s, err := strconv.Unquote(literal)
	if err != nil {
		return literal
	}
	return s
}
