package lint

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
)

var (
	linkPattern   = regexp.MustCompile(`\]\(([^)\s]+)(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s+(\S+)`)
	codeSpan      = regexp.MustCompile("`[^`]*`")
	schemePattern = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
	headingMark   = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	symbolPattern = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.([A-Z]\w*)`)
)

// markdownLine is a line of a document with what surrounds it.
type markdownLine struct {
	number int
	text   string
	// fence is the language of the code block the line stands in; code tells
	// whether it stands in one.
	fence string
	code  bool
}

func (r *Repo) markdown(p string) ([]markdownLine, error) {
	data, err := fs.ReadFile(r.FS, p)
	if err != nil {
		return nil, err
	}
	var lines []markdownLine
	fence, code, n := "", false, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if mark, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			fence, code = strings.TrimSpace(mark), !code
			continue
		}
		lines = append(lines, markdownLine{number: n, text: line, fence: fence, code: code})
	}
	return lines, nil
}

// Links checks that every relative link of a document leads to a file of the
// repository, and every anchor to a heading.
func Links(r *Repo) []Problem {
	var ps []Problem
	for _, p := range r.Markdown {
		lines, err := r.markdown(p)
		if err != nil {
			ps = append(ps, Problem{Rule: "links", Path: p, Text: err.Error()})
			continue
		}
		for _, l := range lines {
			if l.code {
				continue
			}
			for _, m := range linkPattern.FindAllStringSubmatch(codeSpan.ReplaceAllString(l.text, "``"), -1) {
				if why := r.brokenLink(p, m[1]+m[2]); why != "" {
					ps = append(ps, Problem{Rule: "links", Path: p, Line: l.number, Text: why})
				}
			}
		}
	}
	return ps
}

func (r *Repo) brokenLink(from, target string) string {
	if schemePattern.MatchString(target) {
		return ""
	}
	file, anchor, _ := strings.Cut(target, "#")
	to := from
	if file != "" {
		to = path.Join(path.Dir(from), file)
	}
	if _, err := fs.Stat(r.FS, to); err != nil {
		return fmt.Sprintf("link %s leads nowhere", target)
	}
	if anchor != "" && strings.HasSuffix(to, ".md") && !r.hasAnchor(to, anchor) {
		return fmt.Sprintf("link %s: %s has no such heading", target, to)
	}
	return ""
}

func (r *Repo) hasAnchor(p, anchor string) bool {
	lines, err := r.markdown(p)
	if err != nil {
		return false
	}
	for _, l := range lines {
		if m := headingMark.FindStringSubmatch(l.text); m != nil && !l.code && slug(m[1]) == anchor {
			return true
		}
	}
	return false
}

// slug is the anchor that GitHub makes of a heading.
func slug(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		default:
			return -1
		}
	}, heading)
}

const ciScript = ".ci/run"

// CICommands checks that the commands README.md tells its reader to run are run
// by the CI script, word for word.
func CICommands(r *Repo) []Problem {
	lines, err := r.markdown("README.md")
	if err != nil {
		return nil // no README, nothing promised
	}
	script, err := fs.ReadFile(r.FS, ciScript)
	if err != nil {
		return []Problem{{Rule: "ci-commands", Path: ciScript, Text: err.Error()}}
	}
	var ps []Problem
	for _, l := range lines {
		command := strings.TrimPrefix(strings.TrimSpace(l.text), "$ ")
		if !l.code || !isShell(l.fence) || !runnable(command) {
			continue
		}
		command, _, _ = strings.Cut(command, "  #")
		if command = strings.TrimSpace(command); !strings.Contains(string(script), command) {
			ps = append(ps, Problem{Rule: "ci-commands", Path: "README.md", Line: l.number, Text: fmt.Sprintf("%s does not run %q", ciScript, command)})
		}
	}
	return ps
}

func isShell(fence string) bool {
	return fence == "sh" || fence == "bash" || fence == "shell" || fence == "console"
}

func runnable(command string) bool {
	for _, p := range []string{"go test", "go run .", "go vet", "go build", "./", ".ci/"} {
		if strings.HasPrefix(command, p) {
			return true
		}
	}
	return false
}

// DocSymbols checks that what documents write as `package.Name` is an exported
// name of that package, for the public packages of this module.
func DocSymbols(r *Repo) []Problem {
	exported := r.exportedNames()
	var ps []Problem
	for _, p := range r.Markdown {
		lines, err := r.markdown(p)
		if err != nil {
			ps = append(ps, Problem{Rule: "doc-symbols", Path: p, Text: err.Error()})
			continue
		}
		for _, l := range lines {
			for _, code := range codeOf(l) {
				for _, m := range symbolPattern.FindAllStringSubmatch(code, -1) {
					if names, ok := exported[m[1]]; ok && !names[m[2]] {
						ps = append(ps, Problem{Rule: "doc-symbols", Path: p, Line: l.number, Text: m[0] + " does not exist"})
					}
				}
			}
		}
	}
	return ps
}

// codeOf returns the Go text of a line: all of it in a Go block, else its code
// spans.
func codeOf(l markdownLine) []string {
	if !l.code {
		return codeSpan.FindAllString(l.text, -1)
	}
	if l.fence == "go" {
		return []string{l.text}
	}
	return nil
}

// exportedNames maps the names of this module's packages to what they export.
// Packages that share their name with the standard library's are left out.
func (r *Repo) exportedNames() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, f := range r.Files {
		if peripheral(f) || within(f.Dir, "internal") {
			continue
		}
		names := all[f.AST.Name.Name]
		if names == nil {
			names = map[string]bool{}
			all[f.AST.Name.Name] = names
		}
		for _, d := range f.AST.Decls {
			for _, id := range declared(d) {
				names[id.Name] = true
			}
		}
	}
	return all
}

func declared(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var ids []*ast.Ident
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				ids = append(ids, s.Name)
			case *ast.ValueSpec:
				ids = append(ids, s.Names...)
			}
		}
		return ids
	}
	return nil
}
