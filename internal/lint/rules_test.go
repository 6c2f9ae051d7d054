package lint

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// source is a repository in one text: "-- path" begins a file.
type source string

func (s source) load(t *testing.T) *Repo {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module example.com/m\n\ngo 1.26\n")}}
	for part := range strings.SplitSeq(string(s), "\n-- ") {
		name, text, _ := strings.Cut(strings.TrimPrefix(part, "-- "), "\n")
		if name != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	r, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ruleCase is a source with the problems a rule must find in it, as "path:line
// text"; text may be a part of the whole.
type ruleCase struct {
	name   string
	rule   func(*Repo) []Problem
	source source
	want   []string
}

func (c ruleCase) run(t *testing.T) {
	t.Helper()
	got := sortProblems(c.rule(c.source.load(t)))
	for i, p := range got {
		line := p.String()
		if i >= len(c.want) {
			t.Errorf("unexpected: %s", line)
			continue
		}
		where, text, _ := strings.Cut(c.want[i], " ")
		if !strings.HasPrefix(line, where+": ") || !strings.Contains(line, text) {
			t.Errorf("got  %s\nwant %s", line, c.want[i])
		}
	}
	for _, missing := range c.want[min(len(got), len(c.want)):] {
		t.Errorf("not found: %s", missing)
	}
}

var wallCases = []ruleCase{
	{"what lies below", Walls, `-- processor/p.go
package processor
import _ "example.com/m/statestore"
import _ "example.com/m/record"
import _ "example.com/m/internal/javaorder"
-- statestore/s.go
package statestore
import _ "example.com/m/statestore/memstore"
-- internal/javaorder/j.go
package javaorder
-- record/r.go
package record
-- statestore/memstore/s.go
package memstore`, nil},
	{"above", Walls, `-- statestore/s.go
package statestore
import _ "example.com/m/processor"`, []string{"statestore/s.go:2 it lies above"}},
	{"neighbours", Walls, `-- internal/ops/o.go
package ops
import _ "example.com/m/with"
-- with/w.go
package with
import _ "example.com/m/internal/ops"`, []string{"with/w.go:2 right neighbour"}},
	{"DSL to runtime", Walls, `-- kstream/k.go
package kstream
import _ "example.com/m/internal/task"`, []string{"kstream/k.go:2 meet only in processor"}},
	{"runtime to DSL", Walls, `-- internal/runtime/r.go
package runtime
import _ "example.com/m/internal/ops"`, []string{"internal/runtime/r.go:2 meet only in processor"}},
	{"shared package between the sides", Walls, `-- internal/viz/v.go
package viz
import _ "example.com/m/processor"
import _ "example.com/m/internal/dsl"`, []string{"internal/viz/v.go:3 meet only in processor"}},
	{"the app joins both sides", Walls, `-- app.go
package m
import _ "example.com/m/kstream"
import _ "example.com/m/internal/runtime"`, nil},
	{"leaf", Walls, `-- internal/murmur/m.go
package murmur
import _ "example.com/m/record"
import _ "example.com/m/serde"`, []string{"internal/murmur/m.go:3 a leaf imports only record"}},
	{"programs", Walls, `-- processor/p.go
package processor
import _ "example.com/m/cmd/millrace"
import _ "example.com/m/internal/devcluster"`, []string{"processor/p.go:2 nothing imports programs", "processor/p.go:3 for programs and tests"}},
	{"inner packages", Walls, `-- statestore/internal/scan/s.go
package scan
import _ "example.com/m/serde"
import _ "example.com/m/processor"
-- statestore/s.go
package statestore
import _ "example.com/m/statestore/internal/scan"`, []string{"statestore/internal/scan/s.go:3 it lies above"}},
	{"free of the table", Walls, `-- cmd/millrace/main.go
package main
import _ "example.com/m/internal/devcluster"
-- processor/p_test.go
package processor
import _ "example.com/m/kstream"`, nil},
	{"unknown package", Walls, `-- extra/e.go
package extra
-- processor/p.go
package processor
import _ "example.com/m/extra"`, []string{"extra:0 no place in the table", "processor/p.go:2 no place"}},
	{"modules", Modules, `-- internal/kafka/k.go
package kafka
import _ "github.com/twmb/franz-go/pkg/kgo"
import _ "github.com/twmb/franz-go/pkg/kfake"
-- internal/runtime/r.go
package runtime
import _ "github.com/twmb/franz-go/pkg/kmsg"
import _ "golang.org/x/sync/errgroup"
import _ "net/http"
-- internal/runtime/r_test.go
package runtime
import _ "github.com/twmb/franz-go/pkg/kfake"`, []string{
		"internal/kafka/k.go:3 belongs to internal/devcluster",
		"internal/runtime/r.go:2 belongs to internal/kafka",
		"internal/runtime/r.go:3 has no home"}},
}

var docCases = []ruleCase{
	{"package doc", PackageDocs, `-- a/a.go
package a
-- b/b.go
// Package b is.
package b
-- c/c.go
// Package c owns the letter and refuses to know words.
package c
-- c/d.go
// Package c has it twice, which go doc shows in a row.
package c
-- d/d.go
// Package d owns the letter and refuses to know words.
package d
-- d/d_test.go
package d`, []string{"a:0 no doc", "b:0 says nothing", "c:0 several files"}},
	{"exported", ExportedDocs, `-- a/a.go
package a
func F() {}
// G is explained.
func G() {}
type T struct{ Field int }
func (T) M() {}
func (T) String() string { return "" }
func (*u[K]) M() {}
type u[K any] struct{}
const C = 1
const (
	D = 1
	E = 2 // E is explained.
)
// The letters.
var (
	X = 1
	Y = 2
)
-- a/a_test.go
package a
func H() {}
-- examples/e/e.go
package e
func F() {}
-- cmd/c/main.go
package main
func F() {}`, []string{"a/a.go:2 F has", "a/a.go:5 T has", "a/a.go:6 M has", "a/a.go:10 C has", "a/a.go:12 D has"}},
}

var sizeCases = []ruleCase{
	{"file", Sizes, source("-- a/a.go\npackage a\n" + strings.Repeat("\n", 600) + "\n-- a/b.go\npackage a\n" + strings.Repeat("\n", 590)),
		[]string{"a/a.go:0 601 lines"}},
	{"function", Sizes, source("-- a/a.go\npackage a\nfunc F() {\n" + strings.Repeat("\t_ = 1\n", 78) + "}\nfunc G() {\n" + strings.Repeat("\t_ = 1\n", 79) + "}\n"),
		[]string{"a/a.go:82 G has 81 lines"}},
	{"switch", Sizes, source("-- a/a.go\npackage a\nfunc F() {\n\tswitch {\n" + strings.Repeat("\tcase true:\n\t\t_ = 1\n", 60) + "\t}\n}\n" +
		"func G() {\n\tswitch {\n" + strings.Repeat("\tcase true:\n\t\t_ = 1\n", 75) + "\t}\n}\n"),
		[]string{"a/a.go:126 G has 154 lines"}},
	{"generated", Sizes, source("-- a/a.go\n// Code generated by x. DO NOT EDIT.\n\npackage a\n" + strings.Repeat("\n", 700)), nil},
	{"names", Names, `-- util/x.go
package util
-- a/types.go
package a
-- a/helpers_test.go
package a
-- a/role.go
package a`, []string{"a/helpers_test.go:0 by its role", "a/types.go:0 by its role", "util:0 not util"}},
}

var callCases = []ruleCase{
	{"pure task", PureTask, `-- internal/task/t.go
package task
import (
	"net/http"
	"os"
	clock "time"
)
var _ = http.StatusOK
func F(now func() int) {
	go F(nil)
	_ = clock.Now
	_ = clock.Second
	_ = os.Args
	now()
}
-- internal/task/t_test.go
package task
import "time"
var _ = time.Now
-- internal/runtime/r.go
package runtime
import "time"
var _ = time.Now`, []string{"internal/task/t.go:3 import net/http", "internal/task/t.go:4 import os",
		"internal/task/t.go:9 no goroutine", "internal/task/t.go:10 time.Now"}},
	{"print", NoPrint, `-- a/a.go
package a
import (
	"fmt"
	"log"
	"os"
)
func F() {
	fmt.Println()
	fmt.Fprintln(os.Stderr)
	log.Printf("")
	println()
}
-- cmd/c/main.go
package main
import "fmt"
func F() { fmt.Println() }`, []string{"a/a.go:8 does not print", "a/a.go:10 does not print", "a/a.go:11 println"}},
	{"background", NoBackground, `-- a/a.go
package a
import "context"
var _ = context.Background()
var _ = context.TODO()
var _ = context.WithoutCancel(nil)
-- a/a_test.go
package a
import "context"
var _ = context.Background()
-- examples/x/main.go
package main
import "context"
var _ = context.Background()`, []string{"a/a.go:3 from the caller", "a/a.go:4 from the caller"}},
}

var documentCases = []ruleCase{
	{"links", Links, "-- README.md\n# Title\n[a](docs/a.md) [b](docs/b.md) ![c](c.png)\n[d](https://example.com/x) `[e](e.md)`\n" +
		"[f](docs/a.md#two-words) [g](docs/a.md#no) [h](#title)\n```\n[i](i.md)\n```\n[ref]: gone.md\n" +
		"-- docs/a.md\n## Two *Words*\n[up](../README.md) [down](x/y.md)",
		[]string{"README.md:2 c.png", "README.md:2 docs/b.md", "README.md:4 no such heading", "README.md:8 gone.md", "docs/a.md:2 x/y.md"}},
	{"ci commands", CICommands, "-- README.md\ngo test ./nothing\n```sh\ngo test ./...   # all of it\n$ go run ./examples/a\ngo get example.com/m\ngo vet ./b\n```\n```go\ngo run . \n```\n" +
		"-- .ci/run\n#!/bin/sh\nrun go test ./...\ngo run ./examples/a -once\n",
		[]string{"README.md:6 go vet ./b"}},
	{"no ci script", CICommands, "-- README.md\n", []string{".ci/run:0 .ci/run"}},
	{"snippets", Snippets, "-- a/a.go\npackage a\n\nfunc f() int {\n\tif true {\n\t\treturn 1\n\t}\n\n\treturn 2\n}\n" +
		"-- README.md\n```go\nif true {\n\treturn 1\n}\nreturn 2\n```\ntext\n```go\nif true {\n}\n```\n```sh\nls\n```\n```go\nreturn\n```\n",
		[]string{"README.md:9 stands in no file", "README.md:16 stands in no file"}},
	{"places", Places, "-- a/a.go\npackage a\nfunc f() {}\nfunc (t *T[K]) m() {}\ntype T[K any] struct{}\nvar v int\n" +
		"-- README.md\n`a/a.go:f` `a/a.go:T.m` `a/a.go:T` `a/a.go:v`\n`a/a.go:m` and `a/b.go:f`\n",
		[]string{"README.md:2 a/a.go does not declare m", "README.md:2 there is no file a/b.go"}},
	{"symbols", DocSymbols, "-- with/w.go\npackage with\nfunc Store() {}\ntype Node struct{}\nconst A, B = 1, 2\nfunc (Node) Method() {}\n" +
		"-- internal/x/x.go\npackage x\n" +
		"-- README.md\n`with.Store` `with.Gone(1)` with.Plain `x.Y` `fmt.Println` `with.B`\n```go\nwith.Node{}.Method(with.Missing)\n```\n```java\nwith.Java\n```\n",
		[]string{"README.md:1 with.Gone", "README.md:3 with.Missing"}},
}

// TestRules shows that every rule finds what breaks it and leaves alone what
// does not.
func TestRules(t *testing.T) {
	for _, cases := range [][]ruleCase{wallCases, docCases, sizeCases, callCases, documentCases} {
		for _, c := range cases {
			t.Run(c.name, c.run)
		}
	}
}

func TestMapRangeRule(t *testing.T) {
	r := source(`-- internal/dsl/d.go
package dsl
import (
	"maps"
	"slices"
)
type named map[string]int
func F[M ~map[K]V, K comparable, V any](m M, n named, s []int) {
	for range m {
	}
	for k := range n {
		_ = k
	}
	for range maps.Keys(n) {
	}
	for range slices.Sorted(maps.Keys(n)) {
	}
	for range s {
	}
}
-- internal/dsl/d_test.go
package dsl
func g(m map[int]int) {
	for range m {
	}
}
-- kstream/k.go
package kstream
func g(m map[int]int) {
	for range m {
	}
}
-- processor/p.go
package processor
var X = undefined`).load(t)
	imports, err := ExportData(r.Fset, ".", "maps", "slices")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range MapRanges(r, imports) {
		got = append(got, p.String())
	}
	want := []string{
		"internal/dsl/d.go:8: map-range: the order of a map must not show; sort its keys or keep a slice",
		"internal/dsl/d.go:10: map-range: the order of a map must not show; sort its keys or keep a slice",
		"internal/dsl/d.go:13: map-range: the order of a map must not show; use slices.Sorted",
		"processor:0: map-range: type check: processor/p.go:2:9: undefined: undefined",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoad(t *testing.T) {
	r := source("-- a.go\npackage a\n-- newer.go\n//go:build go1.99\n\npackage a\n\nnonsense\n" +
		"-- older.go\n//go:build go1.20 && linux\n\npackage a\n-- testdata/x.go\nnonsense\n-- .hidden/x.go\nnonsense\n").load(t)
	var got []string
	for _, f := range r.Files {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"a.go", "older.go"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []fstest.MapFS{{}, {"go.mod": {}}, {"go.mod": {Data: []byte("module m")}, "a.go": {Data: []byte("nonsense")}}} {
		if _, err := Load(bad); err == nil {
			t.Errorf("%v was loaded", bad)
		}
	}
	if _, err := ExportData(r.Fset, ".", "./no/such/package"); err == nil {
		t.Error("export data of a package that does not exist")
	}
}
