package cli_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/slurmlab/slurmlab/"

// TestLayers holds the table of layers in CONTRIBUTING.md against the imports: each package that the product has is below
// one of its folders, and imports only packages of its own row or of lower ones.
func TestLayers(t *testing.T) {
	layer := layers(t, documents(t)["CONTRIBUTING.md"])
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Dir = repository
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(packages) < 50 {
		t.Fatalf("go list names %d packages", len(packages))
	}
	for _, line := range packages {
		words := strings.Fields(line)
		from := strings.TrimPrefix(words[0], module)
		above, known := layer(from)
		switch {
		case ofTests(from):
			continue
		case !known:
			t.Errorf("no row of CONTRIBUTING.md has %s", from)
			continue
		}
		for _, path := range words[1:] {
			to, ours := strings.CutPrefix(path, module)
			if !ours || ofTests(to) {
				continue
			}
			if below, found := layer(to); found && below < above {
				t.Errorf("%s imports %s, which stands above it in CONTRIBUTING.md", from, to)
			}
		}
	}
}

// ofTests says that only tests use a package, or that it is an example for others to copy.
func ofTests(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool {
		return strings.HasSuffix(part, "test") || part == "examples"
	})
}

// layers returns a function that finds the row of a package in the table of layers, counted from 0 at the top. The longest
// folder in backticks that the package lies in decides.
func layers(t *testing.T, page string) func(path string) (row int, known bool) {
	t.Helper()
	_, table, found := strings.Cut(page, "| layer | packages |\n|---|---|\n")
	if !found {
		t.Fatal("CONTRIBUTING.md has no table of layers")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	folder := regexp.MustCompile("`([a-z][a-z0-9/-]*)`")
	rows := map[string]int{}
	for i, line := range strings.Split(table, "\n") {
		for _, match := range folder.FindAllStringSubmatch(line, -1) {
			rows[match[1]] = i
		}
	}
	return func(path string) (int, bool) {
		for folder := path; ; {
			if row, known := rows[folder]; known {
				return row, true
			}
			last := strings.LastIndexByte(folder, '/')
			if last < 0 {
				return 0, false
			}
			folder = folder[:last]
		}
	}
}
