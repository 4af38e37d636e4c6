package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// repository is the root of this module, seen from this package.
const repository = "../../../.."

// documents reads README.md, CONTRIBUTING.md, CHANGELOG.md and all pages below
// docs, by their paths from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/records/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(text)
		}
	}
	if len(pages) < 15 {
		t.Fatalf("found %d pages, want README, CONTRIBUTING, CHANGELOG and those of docs", len(pages))
	}
	return pages
}

// TestLinksResolve: a relative link of a page leads to a file of the repository.
func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	for name, text := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := strings.Join(strings.Fields(match[1]), " ")
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
			}
		}
	}
}

// TestPathsExist checks what stands between backticks, or in an indented or fenced block of commands. If it begins
// with a directory of the repository, it is a file, a directory or a pattern of the repository.
func TestPathsExist(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```|`[^`]+`|\n    [^\n]+")
	path := regexp.MustCompile(`(?:^|[\s("'=])(?:\./)?((?:cmd|containers|docs|emulator|examples|plugin-bridge|results|slurmctl|tools|workloads)/[\w./*-]+)`)
	checked := 0
	for name, text := range documents(t) {
		for _, block := range code.FindAllString(text, -1) {
			for _, match := range path.FindAllStringSubmatch(strings.ReplaceAll(block, "`", " "), -1) {
				target := strings.TrimRight(strings.TrimSuffix(match[1], "/..."), "./")
				if found, err := filepath.Glob(filepath.Join(repository, target)); err != nil || len(found) == 0 {
					t.Errorf("%s names %s, which is not there", name, target)
				}
				checked++
			}
		}
	}
	if checked < 30 {
		t.Errorf("checked %d paths; the pages name more", checked)
	}
}

// TestBenchmarksExist: each "-bench X ... ./package" of a page names benchmarks of
// that package.
func TestBenchmarksExist(t *testing.T) {
	command := regexp.MustCompile(`-bench\s+'?(\w+)\$?'?\s[^` + "`" + `]*?\./([\w/-]+)`)
	for name, text := range documents(t) {
		for _, match := range command.FindAllStringSubmatch(text, -1) {
			benchmark := regexp.MustCompile(`func Benchmark\w*` + strings.TrimPrefix(match[1], "Benchmark"))
			files, _ := filepath.Glob(filepath.Join(repository, match[2], "*_test.go"))
			if !slices.ContainsFunc(files, func(file string) bool {
				source, err := os.ReadFile(file)
				return err == nil && benchmark.Match(source)
			}) {
				t.Errorf("%s: no benchmark %s in %s", name, match[1], match[2])
			}
		}
	}
}

// TestGlossary: one heading a word, sorted and unique, each with one paragraph, so that
// a program can print an entry. The page is short: a term that needs a paragraph more
// has a page of its own.
func TestGlossary(t *testing.T) {
	const most = 1500 // words
	page := documents(t)["docs/glossary.md"]
	if n := len(strings.Fields(page)); n > most {
		t.Errorf("the page has %d words, want at most %d", n, most)
	}
	entries := strings.Split(page, "\n## ")[1:]
	before := ""
	for _, entry := range entries {
		word, text, _ := strings.Cut(entry, "\n")
		if text = strings.TrimSpace(text); text == "" || strings.Contains(text, "\n\n") {
			t.Errorf("%q: want one paragraph, got %q", word, text)
		}
		if key := strings.ToLower(word); key <= before {
			t.Errorf("%q after %q, want each word once in alphabetical order", key, before)
		} else {
			before = key
		}
	}
	if len(entries) < 35 || len(entries) > 45 {
		t.Errorf("%d entries, want about 40", len(entries))
	}
}
