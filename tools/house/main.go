package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module = "github.com/slurmlab/slurmlab/"
	// begin and end enclose the block in the page.
	begin, end = "```mermaid\n", "```\n"
	// beginTable and endTable enclose the table of packages.
	beginTable, endTable = "<!-- reference: packages by go run ./tools/house -->\n", "<!-- end of reference -->\n"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// run draws the repository in the directory root into its page.
func run(root string) error {
	name := filepath.Join(root, "CONTRIBUTING.md")
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	drawn, err := draw(root, string(page))
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(drawn), 0o644)
}

// draw returns the page with the picture of the repository in the directory root.
func draw(root, page string) (string, error) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}{{"\t"}}{{.Doc}}`, "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("list packages: %w", err)
	}
	picture, err := survey(string(out)).mermaid()
	if err != nil {
		return "", err
	}
	rows, err := table(string(out))
	if err != nil {
		return "", err
	}
	if page, err = fill(page, begin, picture, end); err != nil {
		return "", err
	}
	return fill(page, beginTable, "\n"+rows+"\n", endTable)
}

// fill returns a page with a text in the block between two lines.
func fill(page, begin, text, end string) (string, error) {
	before, after, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(after, end)
	if !found || !closed {
		return "", fmt.Errorf("the page has no block that begins with %q", begin)
	}
	return before + begin + text + end + after, nil
}

// table lists the packages of the lines of "go list", each with the first sentence of its doc.go. Examples are for users.
func table(list string) (string, error) {
	var b strings.Builder
	b.WriteString("| package | purpose |\n|---|---|\n")
	for line := range strings.Lines(list) {
		imports, doc, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		path, _, _ := strings.Cut(strings.TrimPrefix(imports, module), " ")
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

// survey reads a line for each package: its path, and the paths of its imports.
func survey(list string) house {
	h := house{map[string][]string{}, map[string][]string{}}
	for line := range strings.Lines(list) {
		imports, _, _ := strings.Cut(line, "\t")
		paths := strings.Fields(imports)
		parts := strings.Split(strings.TrimPrefix(paths[0], module), "/")
		if slices.ContainsFunc(parts, func(part string) bool { return part == "examples" || strings.HasSuffix(part, "test") }) {
			continue
		}
		folder := parts[0]
		h.rooms[folder] = add(h.rooms[folder], parts[1:]...)
		for _, path := range paths[1:] {
			to, ours := strings.CutPrefix(path, module)
			if to, _, _ = strings.Cut(to, "/"); ours && to != folder {
				h.below[folder] = add(h.below[folder], to)
			}
		}
	}
	return h
}

// add adds the first of some names, if there is one, to a list where it is missing.
func add(list []string, names ...string) []string {
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
