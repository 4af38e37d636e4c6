package table

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/internal/text"
)

// drawn is a table of words and numbers with headings, ranks, details and identities at random.
func drawn(t *rapid.T) Table {
	rows := rapid.SliceOfN(rapid.IntRange(0, 2), 0, 4).Draw(t, "rows")
	columns := rapid.IntRange(1, 8).Draw(t, "columns")
	var fields []Field[int]
	var list []Column
	for c := range columns {
		name := strings.Repeat("x", c+1)
		texts := rapid.SliceOfN(rapid.StringMatching(`-|[a-z×作]{0,12}`), 3, 3).Draw(t, "texts")
		fields = append(fields, Word(name, func(row int) string { return texts[row] }))
		column := Words(rapid.StringMatching(`[A-Z][a-z×%]{0,5}([ -][a-z×%]{1,6}){0,3}`).Draw(t, "title")+" "+name, name)
		column.Rank = rapid.IntRange(0, 3).Draw(t, "rank")
		column.Detail = rapid.Bool().Draw(t, "detail")
		column.Identity = rapid.Bool().Draw(t, "identity")
		list = append(list, column)
	}
	frame, err := NewFrame(rows, fields...)
	if err != nil {
		t.Fatal(err)
	}
	table, err := New(frame, list...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func textOf(t *rapid.T, view View) []string {
	var b bytes.Buffer
	if err := view.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// No line is wider than the screen unless the view is a single column, a wider screen
// shows at least the same columns, and every column is shown, told above or counted.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawn(t)
		width := rapid.IntRange(1, 120).Draw(t, "width")
		view := table.Fit(width)
		for _, line := range textOf(t, view) {
			if text.Width(line) > width && len(view.Header()) > 1 {
				t.Fatalf("wider than %d: %q", width, line)
			}
		}
		shown := map[string]bool{}
		for _, title := range table.Fit(width + rapid.IntRange(1, 40).Draw(t, "more")).Header() {
			shown[title] = true
		}
		for _, title := range view.Header() {
			if !shown[title] {
				t.Fatalf("a wider screen does not show %q", title)
			}
		}
		told := 0
		if view.Common != "" {
			told = strings.Count(view.Common, ", ") + 1
		}
		known := func(view View) int {
			n := 0
			for _, texts := range view.texts {
				if !nothingKnown(texts) {
					n++
				}
			}
			return n
		}
		if got, want := known(view)+told+view.Left, known(table.Wide()); got != want {
			t.Fatalf("%d columns shown, %d told and %d left out, want %d together", known(view), told, view.Left, want)
		}
	})
}

// Broken headings lose only spaces, and what a heading says does not depend on the width.
func TestBrokenTitle(t *testing.T) {
	for _, c := range []struct {
		title, want string
		width       int
	}{
		{"Largest elapsed error s", "Largest|elapsed|error s", 7},
		{"Largest elapsed error s", "Largest elapsed|error s", 15},
		{"CPU util %", "CPU|util %", 6},
		{"auction1-5s-5b-noslurm", "auction1-|5s-5b-|noslurm", 9},
		{"1: backfill-default, seed 1", "1:|backfill-|default,|seed 1", 9},
		{"n", "n", 1},
	} {
		if got := strings.Join(brokenTitle(c.title, c.width), "|"); got != c.want {
			t.Errorf("%q in %d: got %s, want %s", c.title, c.width, got, c.want)
		}
	}
}

// A symbol that all rows share stands for its word above the table: "A = backfill", in its own case.
func TestSymbolsStandForTheirWords(t *testing.T) {
	rows := []string{"x", "y"}
	frame, err := NewFrame(rows,
		Word("machine", func(string) string { return "S" }), Word("a", func(string) string { return "backfill" }), Word("metric", func(r string) string { return r }))
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(frame, Words("Machine", "machine").AsIdentity(), Words("A", "a").AsSymbol(), Words("Metric", "metric"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := made.Fit(80).Common, "Machine S, A = backfill"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
