package docs

import (
	"strings"
	"testing"
)

// The words that the program prints and only the papers explain have an entry each
// (issue 14, line 18), and no entry keeps what only a browser can follow. Each has an
// example or names the page that says more.
func TestGlossary(t *testing.T) {
	entries := map[string]string{}
	for _, e := range Glossary() {
		if strings.Contains(e.Text, "](") || strings.Contains(e.Text, "\n") || !strings.Contains(e.Text, "Example: ") && !strings.Contains(e.Text, "(docs/") {
			t.Errorf("%s: want one line without links of Markdown, with an example or a page, got %q", e.Word, e.Text)
		}
		entries[e.Word] = e.Text
	}
	for _, word := range []string{"bid", "class A bid", "conservative backfill", "EASY backfill", "FGD", "packing", "spread", "window"} {
		if entries[word] == "" {
			t.Errorf("no entry %q", word)
		}
	}
	if want := "design note 006 (docs/design/006-value-objective.md)"; !strings.Contains(entries["value"], want) {
		t.Errorf("value: got %q, want the link as %q", entries["value"], want)
	}
}
