package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPicture: the picture and the table in CONTRIBUTING.md show the packages that there are.
func TestPicture(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := draw(root, string(page))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(page) {
		t.Error("the picture and the table in CONTRIBUTING.md do not show the packages; write them with: go run ./tools/house")
	}
}

// An arrow that follows from others is left out, and so is what only tests use.
func TestMermaid(t *testing.T) {
	got, err := survey(lines("cmd/a emulator/b words fmt", "cmd/b/deep words", "cmd/c", "cmd/d", "cmd/e", "emulator/b words", "words", "internal/texttest words", "examples/x words")).mermaid()
	if err != nil {
		t.Fatal(err)
	}
	want := "flowchart TD\n" +
		"    cmd[\"<b>cmd</b><br>a, b, c, d,<br>e\"]\n    emulator[\"<b>emulator</b><br>b\"]\n    words[\"<b>words</b>\"]\n" +
		"    cmd --> emulator\n    emulator --> words\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Folders that import each other are an error, however many there are.
func TestMermaidOfRing(t *testing.T) {
	for _, ring := range []string{lines("a/x b/x", "b/x", "b/y a/y", "a/y"), lines("a/x b/x", "b/x", "b/y c/x", "c/x", "c/y a/y", "a/y")} {
		if got, err := survey(ring).mermaid(); err == nil || !strings.Contains(err.Error(), "a and b import packages of each other") {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// A page without a place for the picture is an error.
func TestDrawWithoutABlock(t *testing.T) {
	for _, page := range []string{"", "# Title\n", begin + "flowchart TD\n", begin + end, begin + end + beginTable} {
		if got, err := draw(".", page); err == nil {
			t.Errorf("%q: got %q", page, got)
		}
	}
}

// A package stands in the table with its purpose, and one without a purpose is an error.
func TestTable(t *testing.T) {
	got, err := table(module + "a/b fmt\tPackage b asks a [Solver] for x|y.\n" + module + "examples/c\tCommand c is copied.\n")
	if want := "| package | purpose |\n|---|---|\n| `a/b` | asks a Solver for x\\|y. |\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if got, err := table(module + "a/b fmt\t\n"); err == nil || !strings.Contains(err.Error(), "package a/b has no doc.go") {
		t.Errorf("got %q, %v", got, err)
	}
}

// lines are those of "go list" for packages of ours, each with its imports.
func lines(packages ...string) string {
	var list strings.Builder
	for _, line := range packages {
		for _, path := range strings.Fields(line) {
			if path != "fmt" {
				path = module + path
			}
			list.WriteString(path + " ")
		}
		list.WriteString("\n")
	}
	return list.String()
}
