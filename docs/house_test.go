package docs_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	modulePath = "github.com/slurmlab/slurmlab/"
	// pictureBegins and pictureEnds enclose the picture in CONTRIBUTING.md.
	pictureBegins, pictureEnds = "```mermaid\n", "```\n"
	// tableBegins and tableEnds enclose the table of packages.
	tableBegins, tableEnds = "<!-- reference: packages by UPDATE_HOUSE=1 go test ./docs -->\n", "<!-- end of reference -->\n"
)

// The picture in CONTRIBUTING.md shows the folders that have packages, with an arrow from each to those whose packages it uses.
// The table has the packages with the first sentences of their doc.go. UPDATE_HOUSE=1 writes both. Two folders that use each
// other, directly or through others, are an error.
func TestHouse(t *testing.T) {
	name := filepath.Join("..", "CONTRIBUTING.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := drawHouse("..", string(page))
	if err != nil {
		t.Fatal(err)
	}
	if want == string(page) {
		return
	}
	if os.Getenv("UPDATE_HOUSE") == "" {
		t.Error("the picture and the table in CONTRIBUTING.md do not show the packages; write them with: UPDATE_HOUSE=1 go test ./docs")
	} else if err = os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// An arrow that follows from others is left out, and so is what only tests use.
func TestMermaid(t *testing.T) {
	got, err := surveyHouse(packageLines("cmd/a emulator/b words fmt", "cmd/b/deep words", "cmd/c", "cmd/d", "cmd/e", "emulator/b words", "words", "internal/texttest words", "examples/x words")).mermaid()
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
	for _, ring := range []string{packageLines("a/x b/x", "b/x", "b/y a/y", "a/y"), packageLines("a/x b/x", "b/x", "b/y c/x", "c/x", "c/y a/y", "a/y")} {
		if got, err := surveyHouse(ring).mermaid(); err == nil || !strings.Contains(err.Error(), "a and b import packages of each other") {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// A page without a place for the picture is an error.
func TestHouseWithoutABlock(t *testing.T) {
	for _, page := range []string{"", "# Title\n", pictureBegins + "flowchart TD\n", pictureBegins + pictureEnds, pictureBegins + pictureEnds + tableBegins} {
		if got, err := drawHouse(".", page); err == nil {
			t.Errorf("%q: got %q", page, got)
		}
	}
}

// A package stands in the table with its purpose, and one without a purpose is an error.
func TestTableOfPackages(t *testing.T) {
	got, err := packageTable(modulePath + "a/b fmt\tPackage b asks a [Solver] for x|y.\n" + modulePath + "examples/c\tCommand c is copied.\n")
	if want := "| package | purpose |\n|---|---|\n| `a/b` | asks a Solver for x\\|y. |\n"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if got, err := packageTable(modulePath + "a/b fmt\t\n"); err == nil || !strings.Contains(err.Error(), "package a/b has no doc.go") {
		t.Errorf("got %q, %v", got, err)
	}
}

// packageLines are those of "go list" for packages of ours, each with its imports.
func packageLines(packages ...string) string {
	var list strings.Builder
	for _, line := range packages {
		for _, path := range strings.Fields(line) {
			if path != "fmt" {
				path = modulePath + path
			}
			list.WriteString(path + " ")
		}
		list.WriteString("\n")
	}
	return list.String()
}

// drawHouse returns the page with the picture of the repository in the directory root.
func drawHouse(root, page string) (string, error) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}{{"\t"}}{{.Doc}}`, "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("list packages: %w", err)
	}
	picture, err := surveyHouse(string(out)).mermaid()
	if err != nil {
		return "", err
	}
	rows, err := packageTable(string(out))
	if err != nil {
		return "", err
	}
	if page, err = fillBlock(page, pictureBegins, picture, pictureEnds); err != nil {
		return "", err
	}
	return fillBlock(page, tableBegins, "\n"+rows+"\n", tableEnds)
}

// fillBlock returns a page with a text in the block between two lines.
func fillBlock(page, begin, text, end string) (string, error) {
	before, after, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(after, end)
	if !found || !closed {
		return "", fmt.Errorf("the page has no block that begins with %q", begin)
	}
	return before + begin + text + end + after, nil
}

// packageTable lists the packages of the lines of "go list", each with the first sentence of its doc.go. Examples are for users.
func packageTable(list string) (string, error) {
	var b strings.Builder
	b.WriteString("| package | purpose |\n|---|---|\n")
	for line := range strings.Lines(list) {
		imports, doc, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		path, _, _ := strings.Cut(strings.TrimPrefix(imports, modulePath), " ")
		if strings.HasPrefix(path, "examples/") {
			continue
		}
		if doc == "" {
			return "", fmt.Errorf("package %s has no doc.go that says what it is for", path)
		}
		// "Package conf renders ..." stands beside its name.
		words := strings.SplitN(doc, " ", 3)
		doc = strings.NewReplacer("|", "\\|", "[", "", "]", "").Replace(words[len(words)-1])
		fmt.Fprintf(&b, "| `%s` | %s |\n", path, doc)
	}
	return b.String(), nil
}

// house has the top-level folders that have packages.
type house struct {
	// rooms are the names of the folders in each of them.
	rooms map[string][]string
	// below are the other folders from which each imports packages.
	below map[string][]string
}

// surveyHouse reads a line for each package: its path, and the paths of its imports.
func surveyHouse(list string) house {
	h := house{map[string][]string{}, map[string][]string{}}
	for line := range strings.Lines(list) {
		imports, _, _ := strings.Cut(line, "\t")
		paths := strings.Fields(imports)
		parts := strings.Split(strings.TrimPrefix(paths[0], modulePath), "/")
		if slices.ContainsFunc(parts, func(part string) bool { return part == "examples" || strings.HasSuffix(part, "test") }) {
			continue
		}
		folder := parts[0]
		h.rooms[folder] = addRoom(h.rooms[folder], parts[1:]...)
		for _, path := range paths[1:] {
			to, ours := strings.CutPrefix(path, modulePath)
			if to, _, _ = strings.Cut(to, "/"); ours && to != folder {
				h.below[folder] = addRoom(h.below[folder], to)
			}
		}
	}
	return h
}

// addRoom adds the first of some names, if there is one, to a list where it is missing.
func addRoom(list []string, names ...string) []string {
	if len(names) == 0 || slices.Contains(list, names[0]) {
		return list
	}
	return append(list, names[0])
}

// roomsInALine keeps the boxes of the picture narrow.
const roomsInALine = 4

// mermaid draws the house: a box for each folder with its name and its rooms, and an arrow to each folder that it stands on.
func (h house) mermaid() (string, error) {
	var boxes, arrows strings.Builder
	boxes.WriteString("flowchart TD\n")
	for _, folder := range slices.Sorted(maps.Keys(h.rooms)) {
		label, separator := "<b>"+folder+"</b>", "<br>"
		for rooms := range slices.Chunk(slices.Sorted(slices.Values(h.rooms[folder])), roomsInALine) {
			label += separator + strings.Join(rooms, ", ")
			separator = ",<br>"
		}
		fmt.Fprintf(&boxes, "    %s[\"%s\"]\n", folder, label)
		below := slices.Sorted(slices.Values(h.below[folder]))
		for _, to := range below {
			if h.reaches(to, folder, nil) {
				return "", fmt.Errorf("%s and %s import packages of each other", folder, to)
			}
			if !slices.ContainsFunc(below, func(other string) bool { return other != to && h.reaches(other, to, nil) }) {
				fmt.Fprintf(&arrows, "    %s --> %s\n", folder, to)
			}
		}
	}
	return boxes.String() + arrows.String(), nil
}

// reaches says whether a folder imports another one, directly or through others, without those that have been seen.
func (h house) reaches(from, to string, seen []string) bool {
	seen = append(seen, from)
	return slices.ContainsFunc(h.below[from], func(next string) bool {
		return next == to || !slices.Contains(seen, next) && h.reaches(next, to, seen)
	})
}
