package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Each package that people may import has the example that its line names, with an output
// that a test checks.
func TestGoPackagesHaveExamples(t *testing.T) {
	page, err := os.ReadFile("go-packages.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|.*\\| `(Example[A-Za-z]+)` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(lines) < 8 {
		t.Errorf("%d packages, the page has more", len(lines))
	}
	for _, line := range lines {
		files, err := filepath.Glob(filepath.Join("..", line[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		example := regexp.MustCompile(`(?s)\nfunc ` + line[2] + `\(\) \{\n.*?\n\t// Output:(?: \S|\n\t// \S).*?\n\}\n`)
		found := false
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || example.Match(text)
		}
		if !found {
			t.Errorf("%s has no %s with an output", line[1], line[2])
		}
	}
}
