package lint

import (
	"io/fs"
	"strings"
)

// Snippets checks that what documents show as Go is Go that compiles: the lines
// of each Go block stand, in order and without others between them, in a Go
// file of the repository. Indentation and empty lines do not count.
func Snippets(r *Repo) []Problem {
	var ps []Problem
	var sources []string
	for _, f := range r.Files {
		src, err := fs.ReadFile(r.FS, f.Path)
		if err != nil {
			return append(ps, Problem{Rule: "snippets", Path: f.Path, Text: err.Error()})
		}
		sources = append(sources, squeeze(strings.Split(string(src), "\n")))
	}
	for _, p := range r.Markdown {
		lines, err := r.markdown(p)
		if err != nil {
			ps = append(ps, Problem{Rule: "snippets", Path: p, Text: err.Error()})
			continue
		}
		for _, block := range goBlocks(lines) {
			if !containedInAny(sources, squeeze(block.lines)) {
				ps = append(ps, Problem{Rule: "snippets", Path: p, Line: block.first, Text: "this Go stands in no file of the repository, so that nothing compiles it"})
			}
		}
	}
	return ps
}

// goBlock is a fenced block of Go and the number of its first line.
type goBlock struct {
	first int
	lines []string
}

func goBlocks(lines []markdownLine) []goBlock {
	var blocks []goBlock
	last := -1
	for _, l := range lines {
		if !l.code || l.fence != "go" {
			continue
		}
		if l.number != last+1 {
			blocks = append(blocks, goBlock{first: l.number})
		}
		last = l.number
		b := &blocks[len(blocks)-1]
		b.lines = append(b.lines, l.text)
	}
	return blocks
}

// squeeze joins the lines without indentation and empty ones, each with a line
// feed at both ends.
func squeeze(lines []string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func containedInAny(sources []string, block string) bool {
	for _, s := range sources {
		if strings.Contains(s, block) {
			return true
		}
	}
	return false
}
