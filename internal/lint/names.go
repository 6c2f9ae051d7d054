package lint

import (
	"path"
	"strings"
)

// A name that says only that things were put together collects what belongs
// elsewhere.
var bannedNames = map[string]bool{
	"util": true, "utils": true, "common": true, "helper": true, "helpers": true,
	"misc": true, "types": true, "errors": true,
}

// Names checks that no package and no file is a dumping ground.
func Names(r *Repo) []Problem {
	var ps []Problem
	seen := map[string]bool{}
	for _, f := range r.Files {
		file := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.Path), ".go"), "_test")
		if bannedNames[file] {
			ps = append(ps, Problem{Rule: "names", Path: f.Path, Text: "name the file by its role"})
		}
		if name := strings.TrimSuffix(f.AST.Name.Name, "_test"); bannedNames[name] && !seen[f.Dir] {
			seen[f.Dir] = true
			ps = append(ps, Problem{Rule: "names", Path: f.Dir, Text: "name the package by its role, not " + name})
		}
	}
	return ps
}
