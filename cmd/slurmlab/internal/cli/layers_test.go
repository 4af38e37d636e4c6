package cli_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/slurmlab/slurmlab/"

// goPackage is what "go list" says of a package of ours. Tests of a package are part of it.
type goPackage struct {
	Dir, ImportPath                    string
	Imports, TestImports, XTestImports []string
}

// path is the package's path below the module.
func (p goPackage) path() string { return strings.TrimPrefix(p.ImportPath, module) }

// ours are the packages of this module that it imports, without its tests.
func (p goPackage) ours() []string {
	var paths []string
	for _, path := range p.Imports {
		if below, ours := strings.CutPrefix(path, module); ours {
			paths = append(paths, below)
		}
	}
	return paths
}

// packages lists those of this module, with the files of all build tags.
func packages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-tags", "highs,integration,browser,faults", "-json=Dir,ImportPath,Imports,TestImports,XTestImports", "./...")
	list.Dir, list.Env = repository, append(os.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err = decoder.Decode(&p); err != nil {
			break
		}
		all = append(all, p)
	}
	if !errors.Is(err, io.EOF) || len(all) < 50 {
		t.Fatalf("go list names %d packages: %v", len(all), err)
	}
	return all
}

// TestLayers compares the table of layers in CONTRIBUTING.md with the imports. Each package that the product has is
// below one of its folders, and imports only packages of its own row or of lower ones. Packages for tests are
// imported by tests and by tools.
func TestLayers(t *testing.T) {
	layer := layers(t, documents(t)["CONTRIBUTING.md"])
	for _, p := range packages(t) {
		from := p.path()
		above, known := layer(from)
		switch {
		case ofTests(from):
			continue
		case !known:
			t.Errorf("no row of CONTRIBUTING.md has %s", from)
			continue
		}
		for _, to := range p.ours() {
			if ofTests(to) {
				if !strings.HasPrefix(from, "tools/") {
					t.Errorf("%s imports %s, which is for tests", from, to)
				}
			} else if row, found := layer(to); found && row < above {
				t.Errorf("%s imports %s, which stands above it in CONTRIBUTING.md", from, to)
			}
		}
	}
}

// TestImportClaims holds what each doc.go says about imports against them. A sentence with the word "import" or "imports"
// is one of these claims:
//
//	imports no package of ours
//	imports only packages of A and B      (folders of this module, and what is below them)
//	Only this package imports X and Y     (modules, or C; tests count)
//	Only A imports it                     (tests do not count)
func TestImportClaims(t *testing.T) {
	all, claims := packages(t), 0
	for _, p := range all {
		text, err := os.ReadFile(filepath.Join(p.Dir, "doc.go"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		comment, _, _ := strings.Cut(string(text), "\npackage ")
		comment = strings.Join(strings.Fields(strings.ReplaceAll("\n"+comment, "\n//", " ")), " ")
		for _, sentence := range regexp.MustCompile(`[.;:]( |$)`).Split(comment, -1) {
			if regexp.MustCompile(`\bimports?\b`).MatchString(sentence) {
				claims++
				if fault := falseClaim(p, all, sentence); fault != "" {
					t.Errorf("%s/doc.go says %q: %s", p.path(), sentence, fault)
				}
			}
		}
	}
	if claims < 4 {
		t.Errorf("%d claims about imports, there are more", claims)
	}
}

// falseClaim says what is wrong with a claim about the imports of a package, nothing if it is true.
func falseClaim(p goPackage, all []goPackage, claim string) string {
	if strings.Contains(claim, "imports no package of ours") {
		if ours := p.ours(); len(ours) > 0 {
			return "it imports " + strings.Join(ours, ", ")
		}
		return ""
	}
	if _, folders, is := strings.Cut(claim, "imports only packages of "); is {
		allowed := regexp.MustCompile(`, | and `).Split(folders, -1)
		for _, path := range p.ours() {
			if !slices.ContainsFunc(allowed, func(folder string) bool { return inside(path, folder) }) {
				return "it imports " + path
			}
		}
		return ""
	}
	if _, what, is := strings.Cut(claim, "Only this package imports "); is {
		for path := range strings.SplitSeq(what, " and ") {
			if fault := others(p, all, path); fault != "" {
				return fault
			}
		}
		return ""
	}
	importer := regexp.MustCompile(`^Only (\S+) imports it$`).FindStringSubmatch(claim)
	if importer == nil {
		return "the test knows no such claim"
	}
	for _, other := range all {
		if slices.Contains(other.ours(), p.path()) != (other.path() == importer[1]) {
			return "that is false of " + other.path()
		}
	}
	return ""
}

// others says which other package than p has the import of what or of something below it.
func others(p goPackage, all []goPackage, what string) string {
	for _, other := range all {
		imports := slices.Concat(other.Imports, other.TestImports, other.XTestImports)
		if (other.ImportPath == p.ImportPath) != slices.ContainsFunc(imports, func(path string) bool { return inside(path, what) }) {
			return "that is false of " + other.path()
		}
	}
	return ""
}

// inside says that a path leads to a folder or into it.
func inside(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

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
