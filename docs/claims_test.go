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
)

// A proof binds a part of a claim to its data: "<!-- WORD VALUE: FILE where CONDITIONS: COLUMN / DIVISOR -->".
var proof = regexp.MustCompile(`<!-- (?:(largest|least|says|spans|holds|given) )?([^:]+): (.+?) -->`)

// claimed are the numbers of a claim.
var claimed = regexp.MustCompile(`\d+(?:\.\d+)?`)

// unlinked has the texts of links without their targets.
func unlinked(text string) string {
	return regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(text, "$1")
}

// inWords is a text without targets of links, with single spaces.
func inWords(text string) string { return strings.Join(strings.Fields(unlinked(text)), " ") }

// Each claim of claims.md says test, margin, sample, build and command, stands in the page that it names, and has its numbers
// from its data. Sentences of README about results are claims.
func TestClaims(t *testing.T) {
	page, err := os.ReadFile("claims.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(page), "\n## ")[1:]
	if len(sections) < 7 {
		t.Errorf("got %d claims, want 7 or more", len(sections))
	}
	quoted := ""
	for _, section := range sections {
		title, _, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) { quoted += checkClaim(t, section) })
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"The auction against tuned backfill", "Speed and trust"} {
		_, section, _ := strings.Cut(string(readme), "## "+name)
		section, _, _ = strings.Cut(section, "\n## ")
		for sentence := range strings.SplitSeq(strings.ReplaceAll(inWords(prose(unlinked(section))), "95 %", ""), ". ") {
			if claimed.MatchString(sentence) && !claimsOf(quoted, sentence) {
				t.Errorf("README, %s: claims.md has no claim %q", name, sentence)
			}
		}
	}
}

// claimsOf says whether a quoted claim is in the sentence.
func claimsOf(quoted, sentence string) bool {
	return slices.ContainsFunc(strings.Split(quoted, "\n"), func(claim string) bool {
		return claim != "" && strings.Contains(sentence, strings.TrimSuffix(claim, "."))
	})
}

// checkClaim returns the quoted sentences of a section, a line each.
func checkClaim(t *testing.T, section string) (quoted string) {
	t.Helper()
	for _, field := range []string{"Said in", "Test", "Margin", "Over", "Build", "Command"} {
		if !strings.Contains(section, "\n- **"+field+":** ") {
			t.Errorf("it lacks %s", field)
		}
	}
	said := regexp.MustCompile(`\*\*Said in:\*\* \[[^\]]*\]\(([^)#]+)`).FindStringSubmatch(section)
	if said == nil {
		t.Fatal("it names no page")
	}
	text, err := os.ReadFile(said[1])
	if err != nil {
		t.Fatal(err)
	}
	proved := map[string]bool{}
	proofs := proof.FindAllStringSubmatch(section, -1)
	if len(proofs) == 0 {
		t.Error("it has no data")
	}
	for _, p := range proofs {
		proved[p[2]] = true
		if err := prove(t, p[1], p[2], p[3]); err != nil {
			t.Error(err)
		}
	}
	for line := range strings.Lines(section) {
		claim, is := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !is {
			continue
		}
		quoted += claim + "\n"
		if !strings.Contains(inWords(string(text)), inWords(claim)) {
			t.Errorf("%s does not say %q", said[1], claim)
		}
		for _, number := range claimed.FindAllString(claim, -1) {
			if name := regexp.MustCompile(`\w\.` + number + `\b`); !proved[number] && !name.MatchString(claim) {
				t.Errorf("nothing proves %s of %q", number, claim)
			}
		}
	}
	if quoted == "" {
		t.Error("it quotes no claim")
	}
	return quoted
}

// prove compares a value with its data: one number, the largest or the least of a column, how a text begins, an interval that
// spans it, a text that a file holds. A given value is explained, not measured.
func prove(t *testing.T, how, value, data string) error {
	t.Helper()
	if how == "given" {
		return nil
	}
	of, column, _ := strings.Cut(data, ": ")
	file, conditions, _ := strings.Cut(of, " where ")
	if how == "holds" {
		text, err := os.ReadFile(file)
		if err == nil && !strings.Contains(string(text), value) {
			err = fmt.Errorf("%s does not hold %q", file, value)
		}
		return err
	}
	column, divisor, _ := strings.Cut(column, " / ")
	columns, rows := readCSV(t, filepath.FromSlash(file))
	at, known := columns[column]
	if !known {
		return fmt.Errorf("%s has no column %q", file, column)
	}
	rows = slices.DeleteFunc(rows, func(row []string) bool { return !holds(columns, row, conditions) })
	if want := 1 + strings.Count(conditions, "|"); len(rows) < want {
		return fmt.Errorf("%s has %d rows where %s, want %d or more", file, len(rows), conditions, want)
	}
	var values []float64
	for _, row := range rows {
		switch how {
		case "says":
			if !strings.HasPrefix(row[at], value) {
				return fmt.Errorf("%s where %s: %s is %q, want %q", file, conditions, column, row[at], value)
			}
		case "spans":
			ends := regexp.MustCompile(`-?\d+(?:\.\d+)?`).FindAllString(row[at], -1)
			if len(ends) != 2 || number(t, ends[0]) > number(t, value) || number(t, ends[1]) < number(t, value) {
				return fmt.Errorf("%s where %s: %s is %q, which does not span %s", file, conditions, column, row[at], value)
			}
		default:
			v := number(t, row[at])
			if divisor != "" {
				v /= number(t, divisor)
			}
			values = append(values, v)
		}
	}
	if how == "says" || how == "spans" {
		return nil
	}
	got := slices.Max(values)
	if how == "least" {
		got = slices.Min(values)
	}
	if how == "" && slices.Min(values) != got {
		return fmt.Errorf("%s where %s: %s has several values", file, conditions, column)
	}
	_, decimals, _ := strings.Cut(value, ".")
	if math.Abs(got-number(t, value)) > 0.5000001*math.Pow(10, -float64(len(decimals))) {
		return fmt.Errorf("%s where %s: %s is %s, the claim says %s", file, conditions, column, strconv.FormatFloat(got, 'g', -1, 64), value)
	}
	return nil
}
