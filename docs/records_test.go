package docs

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// block is a table of a page that is made from a CSV file, seen from the page: "rows of FILE where
// COLUMN=VALUE|VALUE and ...: COLUMN; COLUMN~DIGITS; COLUMN as HEADING; ...", and the table below.
var block = regexp.MustCompile(`<!-- rows of (\S+\.csv)(?: where (.+?))?: (.+?) -->\n\n((?:\|.*\n)*)`)

// readCSV returns the columns of a file by name, and its rows.
func readCSV(t *testing.T, file string) (columns map[string]int, rows [][]string) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if rows, err = csv.NewReader(in).ReadAll(); err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, %v", file, len(rows), err)
	}
	columns = map[string]int{}
	for i, name := range rows[0] {
		columns[name] = i
	}
	return columns, rows[1:]
}

// holds tells whether a row has the values that a block asks for.
func holds(columns map[string]int, row []string, conditions string) bool {
	for condition := range strings.SplitSeq(conditions, " and ") {
		column, values, _ := strings.Cut(condition, "=")
		i, known := columns[column]
		if conditions != "" && (!known || !slices.Contains(strings.Split(values, "|"), row[i])) {
			return false
		}
	}
	return true
}

// tableOf makes the table of a block.
func tableOf(t *testing.T, file, conditions, wanted string) string {
	t.Helper()
	columns, rows := readCSV(t, file)
	head, line := "|", "|"
	names, digits := []string{}, []int{}
	for asked := range strings.SplitSeq(wanted, "; ") {
		column, title, titled := strings.Cut(asked, " as ")
		name, rounded, found := strings.Cut(column, "~")
		n := -1
		if found {
			n, _ = strconv.Atoi(rounded)
		}
		if _, known := columns[name]; !known {
			t.Fatalf("%s has no column %q", file, name)
		}
		names, digits = append(names, name), append(digits, n)
		if !titled {
			title = name
		}
		head += " " + title + " |"
		line += "---|"
	}
	table, count := head+"\n"+line+"\n", 0
	for _, row := range rows {
		if !holds(columns, row, conditions) {
			continue
		}
		count++
		table += "|"
		for i, name := range names {
			cell := row[columns[name]]
			if value, err := strconv.ParseFloat(cell, 64); err == nil && digits[i] >= 0 {
				cell = strconv.FormatFloat(value, 'f', digits[i], 64)
			}
			table += " " + cell + " |"
		}
		table += "\n"
	}
	if count == 0 {
		t.Errorf("%s has no rows where %s", file, conditions)
	}
	return table
}

// Tables of the records, and of pages that show records, are rows of CSV files: UPDATE_RECORDS=1 writes them.
func TestTablesOfRecords(t *testing.T) {
	pages, err := filepath.Glob("records/*/README.md")
	if err != nil || len(pages) < 16 {
		t.Fatalf("%d records, %v", len(pages), err)
	}
	guides, err := filepath.Glob("*.md")
	if err != nil || len(guides) < 20 {
		t.Fatalf("%d pages, %v", len(guides), err)
	}
	notes, err := filepath.Glob("design/*.md")
	if err != nil || len(notes) < 20 {
		t.Fatalf("%d design notes, %v", len(notes), err)
	}
	pages = slices.Concat(pages, guides, notes, []string{"../README.md"})
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		made := string(text)
		for _, found := range block.FindAllStringSubmatch(made, -1) {
			table := tableOf(t, filepath.Join(filepath.Dir(page), found[1]), found[2], found[3])
			if found[4] == "" {
				table += "\n"
			}
			made = strings.Replace(made, found[0], strings.TrimSuffix(found[0], found[4])+table, 1)
		}
		if made == string(text) {
			continue
		}
		if os.Getenv("UPDATE_RECORDS") == "" {
			t.Errorf("%s has other tables than its CSV files", page)
		} else if err = os.WriteFile(page, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// prose is a page without tables, commands, code and the targets of links.
func prose(page string) string {
	for _, not := range []string{"(?s)```.*?```", "(?m)^\\|.*$", "(?s)<!--.*?-->", "`[^`]*`", `\]\([^)]*\)`} {
		page = regexp.MustCompile(not).ReplaceAllString(page, " ")
	}
	return page
}

// numbersOf are the numbers in the data of a record.
func numbersOf(t *testing.T, folder string) []float64 {
	t.Helper()
	var all []float64
	number := regexp.MustCompile(`\d+(?:\.\d+)?(?:[eE]-?\d+)?`)
	for _, ending := range []string{"csv", "json", "jsonl", "txt"} {
		for _, depth := range []string{"*.", "*/*."} {
			files, err := filepath.Glob(filepath.Join(folder, depth+ending))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, found := range number.FindAllString(string(text), -1) {
					if value, err := strconv.ParseFloat(found, 64); err == nil {
						all = append(all, value)
					}
				}
			}
		}
	}
	return all
}

// A record is at most 300 words, says how it was made, and has its decimal numbers from its data, rounded.
func TestRecordsStateTheirData(t *testing.T) {
	pages, err := filepath.Glob("records/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	// Versions of Slurm, and the numbers of tables and sections, are no figures.
	versions := regexp.MustCompile(`\b(?:24\.11|26\.05)(?:\.\d)?\b|\bV?I*V?\.\d\b|\b\d\.(?:NC|HC|FC)\b`)
	decimal := regexp.MustCompile(`\d+\.(\d+)`)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"**Setting.**", "**Result.**", "**Not shown.**", "**Recompute.**"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s", page, want)
			}
		}
		words := prose(string(text))
		if n := len(strings.Fields(words)); n > 300 {
			t.Errorf("%s has %d words, allowed 300", page, n)
		}
		data := numbersOf(t, filepath.Dir(page))
		for _, found := range decimal.FindAllStringSubmatch(versions.ReplaceAllString(words, " "), -1) {
			value, err := strconv.ParseFloat(found[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			half := 0.5000001 * math.Pow(10, -float64(len(found[1])))
			if !slices.ContainsFunc(data, func(d float64) bool { return math.Abs(d-value) <= half }) {
				t.Errorf("%s: no file beside it has %s", page, found[0])
			}
		}
	}
}

// A clone stays small: no file of the records is above 1 MiB.
func TestRecordsAreSmall(t *testing.T) {
	err := filepath.WalkDir("records", func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() > 1<<20 {
			err = fmt.Errorf("%s has %d bytes, allowed 1 MiB", name, info.Size())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
