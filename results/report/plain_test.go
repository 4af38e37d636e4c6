package report_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/report"
)

// A page has its words, pictures and tables, and what is no HTML is escaped.
func TestWritePlain(t *testing.T) {
	var out strings.Builder
	err := report.WritePlain(&out, report.Plain{Title: "A & B", Lead: []string{"first <b>"}, Sections: []report.Section{{
		Title: "Section", Words: []string{"words"}, Tables: []report.Table{{Caption: "table", Header: []string{"Name", "Value"}, Rows: [][]string{{"<script>", "1.5"}, {"marked", "2"}}, Marked: []int{1}}},
		Figures: []report.Figure{{Caption: "picture", Draw: func(w io.Writer) error { _, err := io.WriteString(w, "<svg></svg>"); return err }}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h1>A &amp; B</h1>", "first &lt;b&gt;", "<svg></svg>", "&lt;script&gt;", `<td class="number">1.5</td>`, `<tr class="marked"><td>marked</td>`, "<h2>Section</h2>"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	broken := errors.New("broken")
	if err := report.WritePlain(io.Discard, report.Plain{Sections: []report.Section{{Figures: []report.Figure{{Draw: func(io.Writer) error { return broken }}}}}}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
