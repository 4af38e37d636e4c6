package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each line of the table of promises in trust.md names tests that exist: functions of a _test.go file, and scripts.
func TestPromisesHaveTests(t *testing.T) {
	page, err := os.ReadFile("trust.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## What is promised against whom?")
	section, _, _ = strings.Cut(section, "\n## ")
	there := testsBelow(t, "..")
	lines := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.HasPrefix(line, "| against") {
			continue
		}
		lines++
		named := regexp.MustCompile("`(Test[A-Za-z]+(?:/[a-z_]+)?)`").FindAllStringSubmatch(cells[2], -1)
		if len(named) == 0 {
			t.Errorf("no test: %s", line)
		}
		for _, name := range named {
			if !there[name[1]] {
				t.Errorf("there is no test %s", name[1])
			}
		}
	}
	if lines < 10 {
		t.Errorf("the table has %d lines, want 10 or more", lines)
	}
}

// testsBelow has the names of all test functions below a directory, and of the scripts of TestScript.
func testsBelow(t *testing.T, dir string) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, name := range function.FindAllSubmatch(text, -1) {
				there[string(name[1])] = true
			}
		case strings.HasSuffix(filepath.Dir(path), filepath.Join("testdata", "script")):
			there["TestScript/"+strings.TrimSuffix(entry.Name(), ".txtar")] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
