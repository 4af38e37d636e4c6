package docs

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
)

var (
	// unwritten is what of a page is no sentence: what is generated, blocks, commands, comments, code and targets of links.
	unwritten = regexp.MustCompile("(?ms)" + generated.String() + "|^ *```.*?^ *```$|^    [^\n]*|`[^`\n]*`|\\]\\([^)\n]*\\)")
	// named are numbers within names: versions, workloads, years, sections, identifiers, addresses, numbers of jobs.
	named = regexp.MustCompile(`(?m)\b(?:24\.11|26\.05|0\.1\.0|\d\.(?:NC|HC|FC)|[IV]+\.\d|20[0-2]\d|\d\dth|127\.0\.0\.1|10\.\d{4}/\S+|LNCS \d+|record \d+|HPCC[^)]*|SHA-256|IEEE \w+|Apache-2\.0)\b` +
		`|\b(?:Python|Debian|[vV]ersion|[Nn]otes?|tables?|equations?|[Jj]obs?|promises|seeds from) \[?\d+\b(?:\.\d+)?(?:(?:,| and| to) \[?\d+\b)*|\[\d{3}\b|^\| \d+ \|`)
	// figure is a number with a decimal point or a unit, or one of two digits or more.
	figure = regexp.MustCompile(`\b(\d[\d,]*\d(?:\.\d+)?|\d\.\d+|\d(?: ?%| (?:s|h|ns|ms|[KMG]iB|[kMG]B|minutes|seconds|hours|times)\b))`)
)

// blanked is a page with spaces in place of what is no figure of a sentence, so that offsets stay.
func blanked(page string) string {
	for _, pattern := range []*regexp.Regexp{unwritten, named} {
		text := []byte(page)
		for _, at := range pattern.FindAllStringIndex(page, -1) {
			for i := at[0]; i < at[1]; i++ {
				if text[i] != '\n' {
					text[i] = ' '
				}
			}
		}
		page = string(text)
	}
	return page
}

// pagesWithFigures are README, guides, concepts and tutorials, seen from the repository. The index has none, and TestClaims
// holds the claims.
func pagesWithFigures(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"../README.md", "*.md", "tutorials/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			if slices.Contains([]string{"README.md", "glossary.md", "claims.md", "dependencies.md"}, file) {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(filepath.Join("docs", file))] = string(text)
		}
	}
	if len(texts) < 35 {
		t.Fatalf("%d pages", len(texts))
	}
	return texts
}

// holdsFigure says whether a figure follows from what figures.csv names:
//
//	code FILE: TEXT    a file of the repository has this text; spaces count as one
//	rows FILE          a CSV file has so many rows
//	lines FILE         a file of the repository has so many lines, without empty ones and comments
//	is FORMULA         it is the value of the formula, rounded
//	test NAME          this test compares it
//	given WHY          an example, a definition, or a fact of others
//	FILE where ...     a cell of a record, as claims.md has it
func holdsFigure(t *testing.T, tests map[string]bool, figure, from string) error {
	t.Helper()
	kind, source, _ := strings.Cut(from, " ")
	switch kind {
	case "given":
		return nil
	case "test":
		if !tests[source] {
			return fmt.Errorf("there is no test %s", source)
		}
		return nil
	case "code":
		file, want, _ := strings.Cut(source, ": ")
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		spaced := func(text string) string { return strings.Join(strings.Fields(text), " ") }
		// 1000 is not in 10000.
		has := regexp.MustCompile(regexp.QuoteMeta(spaced(want)) + `(?:\D|$)`)
		if err == nil && (want == "" || !has.MatchString(spaced(string(text)))) {
			err = fmt.Errorf("%s does not have %q", file, want)
		}
		return err
	case "lines":
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(source)))
		if n := len(regexp.MustCompile(`(?m)^[^#\n].*$`).FindAllString(string(text), -1)); err == nil && strconv.Itoa(n) != figure {
			err = fmt.Errorf("%s has %d lines", source, n)
		}
		return err
	case "is":
		value, err := expr.Eval(source, nil)
		if err != nil {
			return err
		}
		return rounds(t, fmt.Sprint(value), strings.Fields(figure)[0])
	case "rows":
		_, rows := readCSV(t, filepath.FromSlash(source))
		if strconv.Itoa(len(rows)) != figure {
			return fmt.Errorf("%s has %d rows", source, len(rows))
		}
		return nil
	}
	return prove(t, "", figure, from)
}

// rounds says whether a figure is a value rounded to its decimals.
func rounds(t *testing.T, value, figure string) error {
	t.Helper()
	figure = strings.ReplaceAll(figure, ",", "")
	_, decimals, _ := strings.Cut(figure, ".")
	if math.Abs(number(t, value)-number(t, figure)) > 0.5000001*math.Pow(10, -float64(len(decimals))) {
		return fmt.Errorf("it is %s, and the page says %s", value, figure)
	}
	return nil
}

// Each figure in a sentence of README, guides, concepts and tutorials follows from code or a record, by a row of figures.csv:
// a page (or * for all), words of it, one of the figures in these words (or none for all), and what it follows from.
func TestFigures(t *testing.T) {
	columns, rows := readCSV(t, "figures.csv")
	cell := func(row []string, name string) string { return row[columns[name]] }
	texts, tests := pagesWithFigures(t), testsBelow(t, "..")
	kinds := map[string]int{}
	for i, row := range rows {
		page, text, figure, from := cell(row, "page"), cell(row, "text"), cell(row, "figure"), cell(row, "from")
		found := 0
		for name, page := range texts {
			if cell(row, "page") == "*" || cell(row, "page") == name {
				found += strings.Count(page, text)
			}
		}
		switch {
		case found == 0:
			t.Errorf("figures.csv:%d: %s does not say %q", i+2, page, text)
		case !strings.Contains(text, figure):
			t.Errorf("figures.csv:%d: %q has no %s", i+2, text, figure)
		}
		if err := holdsFigure(t, tests, figure, from); err != nil {
			t.Errorf("figures.csv:%d: %s: %q: %v", i+2, page, text, err)
		}
		kind, _, _ := strings.Cut(from, " ")
		if !slices.Contains([]string{"code", "is", "lines", "rows", "test", "given"}, kind) {
			kind = "record"
		}
		kinds[kind]++
	}
	quoted := quotedClaims(t)
	all := 0
	for name, page := range texts {
		for _, at := range figure.FindAllStringSubmatchIndex(blanked(page), -1) {
			all++
			covered := slices.ContainsFunc(quoted, func(claim string) bool { return within(page, at, claim) })
			for _, row := range rows {
				if covered {
					break
				}
				one, of := cell(row, "figure"), cell(row, "page")
				covered = (of == "*" || of == name) && (one == "" || one == page[at[2]:at[3]]) && within(page, at, cell(row, "text"))
			}
			if !covered {
				line := 1 + strings.Count(page[:at[0]], "\n")
				t.Errorf("%s:%d: no row of docs/figures.csv says what %q follows from: %q", name, line, page[at[2]:at[3]],
					page[max(0, at[0]-40):min(len(page), at[1]+40)])
			}
		}
	}
	t.Logf("%d figures; rows of figures.csv by kind: %v", all, kinds)
}

// within says whether a part of a page lies in an occurrence of a text.
func within(page string, at []int, text string) bool {
	for from := 0; text != ""; {
		i := strings.Index(page[from:], text)
		if i < 0 {
			return false
		}
		if from+i <= at[0] && at[1] <= from+i+len(text) {
			return true
		}
		from += i + 1
	}
	return false
}

// quotedClaims are the sentences of claims.md, as pages have them.
func quotedClaims(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("claims.md")
	if err != nil {
		t.Fatal(err)
	}
	var quoted []string
	for _, found := range regexp.MustCompile(`(?m)^> (.+)$`).FindAllStringSubmatch(string(page), -1) {
		quoted = append(quoted, strings.TrimSuffix(found[1], "."))
	}
	return quoted
}
