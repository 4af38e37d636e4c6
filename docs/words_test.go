package docs

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// allowedWords is how many words all pages may have that people write.
const allowedWords = 48000

// wordsOf are the budgets of groups of pages: concepts are the explanations of docs/README.md, lists the pages of its
// reference that nothing writes, guides all other pages.
var wordsOf = map[string]int{
	"README.md": 700, "guides": 18_400, "concepts": 5500, "lists": 2000, "design": 12000,
	"glossary": 1500, "CONTRIBUTING.md": 1500, "CHANGELOG.md": 1300,
}

// groupOf is the group of a page of the repository; none of records, which have a budget each, and of what is generated.
func groupOf(page string) string {
	switch dir, name := path.Split(page); {
	case dir == "":
		return name
	case strings.HasPrefix(dir, "docs/records/") || dir == "docs/reference/":
		return ""
	case dir == "docs/design/":
		return "design"
	case name == "glossary.md":
		return "glossary"
	case slices.Contains([]string{"auction.md", "baselines.md", "checkpoints.md", "claims.md", "clock.md", "simulators.md", "trust.md"}, name):
		return "concepts"
	case slices.Contains([]string{"dependencies.md", "go-packages.md", "metrics.md", "run-directory.md"}, name):
		return "lists"
	}
	return "guides"
}

// generated matches what commands and tests write into pages: outputs, tables of records, the reference of plug-ins, the
// picture of the house. Comments are not shown.
var generated = regexp.MustCompile("(?ms)^<!-- (?:output|rows of).*?-->\n+(?:(?:\\|[^\n]*\n)+|```.*?^```$)" +
	"|^<!-- reference: .*?<!-- end of reference -->|^```mermaid$.*?^```$|<!--.*?-->")

// written counts the words of a page that people wrote: what has a letter or digit, commands as well.
func written(page string) int {
	n := 0
	for word := range strings.FieldsSeq(generated.ReplaceAllString(page, "")) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

func TestWritten(t *testing.T) {
	for page, want := range map[string]int{
		"# A page\n\nIt is - as always - [short](b.md).\n":                                       7,
		"```sh\nslurmlab run --seed 1\n```\n":                                                    5,
		"One.\n\n<!-- output: slurmlab version\nany: x -->\n```text\nmany words\n```\nTwo.\n":    2,
		"<!-- output: slurmlab metrics -->\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter\n":          1,
		"<!-- rows of a.csv: b -->\n\n| b |\n|---|\n| 1 |\n\nafter it\n":                         2,
		"<!-- reference: made by Test -->\n### a\n| b |\n<!-- end of reference -->\nx\n":         1,
		"| typed | by hand |\n|---|---|\n| <!-- not shown --> 1 | 2 |\n":                         5,
		"```mermaid\nflowchart TD\n    a --> b\n```\nThe picture.\n":                             2,
		"<!-- picture: make shots -->\n![A run](a.png)\n\n<!-- output: a -->\n```text\nb\n```\n": 2,
	} {
		if got := written(page); got != want {
			t.Errorf("%q: %d words, want %d", page, got, want)
		}
	}
}

// The pages are read by people who have little time: each group of pages has a budget of words, and all have one.
func TestPagesKeepTheirBudget(t *testing.T) {
	tree, words, all, pages := os.DirFS(".."), map[string]int{}, 0, 0
	count := func(name string) error {
		text, err := fs.ReadFile(tree, name)
		if group := groupOf(name); err == nil && group != "" {
			n := written(string(text))
			words[group] += n
			all += n
			pages++
		}
		return err
	}
	err := fs.WalkDir(tree, "docs", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		return count(name)
	})
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		if err == nil {
			err = count(name)
		}
	}
	if err != nil || pages < 70 {
		t.Fatalf("%d pages, %v", pages, err)
	}
	for group, n := range words {
		switch allowed, known := wordsOf[group]; {
		case !known:
			t.Errorf("%s has no budget of words", group)
		case n > allowed:
			t.Errorf("%s: %d words, allowed %d: cut what a page says twice, or what nobody needs", group, n, allowed)
		}
		t.Logf("%s: %d of %d words", group, n, wordsOf[group])
	}
	if all > allowedWords {
		t.Errorf("the pages have %d words together, allowed %d", all, allowedWords)
	}
	t.Logf("%d pages: %d of %d words", pages, all, allowedWords)
}
