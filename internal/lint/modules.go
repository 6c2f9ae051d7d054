package lint

import "strings"

// home is the folder in which an outside module, or one package of it, may be
// imported. The longest prefix counts.
type home struct{ module, folder string }

var homes = []home{
	{"github.com/twmb/franz-go/pkg/kfake", "internal/devcluster"},
	{"github.com/twmb/franz-go/pkg/kversion", "internal/kafka"},
	{"github.com/twmb/franz-go/pkg/kversion", "internal/devcluster"}, // caps what kfake claims to speak
	{"github.com/twmb/franz-go/pkg/sr", "serde/registry"},
	{"github.com/twmb/franz-go/plugin", "internal/metrics"},
	{"github.com/twmb/franz-go", "internal/kafka"},
	{"github.com/twmb/avro", "serde/avro"},
	{"github.com/linkedin/goavro", "serde/avro"},
	{"google.golang.org/protobuf", "serde/protobuf"},
	{"github.com/santhosh-tekuri/jsonschema", "serde/jsonschema"},
	{"github.com/cockroachdb/pebble", "statestore/pebblestore"},
	{"github.com/tidwall/btree", "statestore/memstore"},
	{"github.com/prometheus/client_golang", "internal/metrics"},
	{"go.opentelemetry.io", "internal/metrics"},
}

// Modules checks that every outside module is imported in its one home only, so
// that it can be replaced there. Test files, examples, bench and compat-tests
// are free.
func Modules(r *Repo) []Problem {
	var ps []Problem
	for _, f := range r.Files {
		if f.Test || within(f.Dir, "examples", "bench", "compat-tests") {
			continue
		}
		for _, imp := range f.AST.Imports {
			p := unquote(imp.Path.Value)
			first, _, _ := strings.Cut(p, "/")
			if _, own := r.ownPackage(p); own || !strings.Contains(first, ".") {
				continue
			}
			folders := homesOf(p)
			switch {
			case len(folders) == 0:
				ps = append(ps, r.at("modules", imp.Pos(), "%s has no home in the table of internal/lint", p))
			case !within(f.Dir, folders...):
				ps = append(ps, r.at("modules", imp.Pos(), "%s belongs to %s", p, strings.Join(folders, " or ")))
			}
		}
	}
	return ps
}

// homesOf returns the folders of the longest entry that covers an import path.
func homesOf(importPath string) []string {
	var folders []string
	longest := 0
	for _, h := range homes {
		switch n := len(h.module); {
		case !within(importPath, h.module) || n < longest:
		case n == longest:
			folders = append(folders, h.folder)
		default:
			longest, folders = n, []string{h.folder}
		}
	}
	return folders
}
