package lint

// Rule is one house rule.
type Rule struct {
	// Name is printed with each problem.
	Name string
	// Check finds the breaches of the rule.
	Check func(*Repo) []Problem
}

// Rules are the rules that need syntax only; [MapRanges] needs types and is
// called on its own.
var Rules = []Rule{
	{"walls", Walls},
	{"modules", Modules},
	{"package-doc", PackageDocs},
	{"exported-doc", ExportedDocs},
	{"size", Sizes},
	{"pure-task", PureTask},
	{"no-print", NoPrint},
	{"no-background", NoBackground},
	{"names", Names},
	{"links", Links},
	{"ci-commands", CICommands},
	{"doc-symbols", DocSymbols},
	{"snippets", Snippets},
	{"places", Places},
}

// Check runs every rule of Rules and returns the problems in order of place.
func Check(r *Repo) []Problem {
	var all []Problem
	for _, rule := range Rules {
		all = append(all, rule.Check(r)...)
	}
	return sortProblems(all)
}
