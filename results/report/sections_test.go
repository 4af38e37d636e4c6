package report

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// A page has its words, pictures, tables and documents, and what is no HTML is escaped.
func TestPage(t *testing.T) {
	figure, err := NewFigure("picture", func(w io.Writer) error { _, err := io.WriteString(w, "<svg></svg>"); return err })
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Page{Title: "A & B", Lead: []string{"first <b>"}, Sections: []Section{{
		Title: "Section", Words: []string{"words"}, Figures: []Figure{figure},
		Tables: []Table{Table{
			Caption: "table", Rows: [][]Cell{{word("<script>"), number("1.5")}, {word("marked"), number("2")}}, Marked: map[int]bool{1: true},
		}.withHeader("Name", "Value")},
		Parts: []Section{{Title: "Part", Documents: []Document{{"name", "text"}}}},
	}}}.Write(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<h1>A &amp; B</h1>", "first &lt;b&gt;", "<svg></svg>", "&lt;script&gt;", `<td class="number">1.5</td>`, `<tr class="marked"><td>marked</td>`,
		"<h2>Section</h2>", "<h3>Part</h3>", "<pre>text</pre>",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	checkSelfContained(t, parse(t, out.Bytes()), out.String())
	broken := errors.New("broken")
	if _, err := NewFigure("", func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
