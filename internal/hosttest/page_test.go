package hosttest

import (
	"regexp"
	"strings"
	"testing"
)

// A page with one output of each kind, and a marker that is shown as code.
const examplePage = "# Page\n\n" +
	"```sh\nfirst --out one\n```\n\n" +
	"<!-- output -->\n```text\nall of it\n```\n\n" +
	"<!-- output by shape: | head -n 3\nrows: Waiting h; Packing\nany: backfill$|auction$ -->\n```text\nold\nlines\n```\n\n" +
	"<!-- output: second one --format markdown -->\n| a |\n|---|\n| 1 |\n\n" +
	"<!-- picture: one/gantt.svg -->\n![Nodes](img/x.svg)\n\n" +
	"<!-- picture: make shots -->\n![Page](img/y.png)\n\n" +
	"    <!-- output: no marker -->\n"

func TestMarked(t *testing.T) {
	outputs, pictures, err := Marked(examplePage)
	if err != nil || len(outputs) != 3 || len(pictures) != 2 {
		t.Fatalf("got %+v, %+v, %v", outputs, pictures, err)
	}
	for i, want := range []Output{
		{Line: 7, Shown: 8, Text: "all of it\n"},
		{Line: 12, Shown: 15, Command: "| head -n 3", Rows: []string{"Waiting h", "Packing"}, Shape: true, Any: regexp.MustCompile("(?m)backfill$|auction$"), Text: "old\nlines\n"},
		{Line: 20, Shown: 21, Command: "second one --format markdown", Text: "| a |\n|---|\n| 1 |\n"},
	} {
		got := outputs[i]
		anys := [2]string{}
		for k, any := range []*regexp.Regexp{got.Any, want.Any} {
			if any != nil {
				anys[k] = any.String()
			}
		}
		if got.Line != want.Line || got.Shown != want.Shown || got.Command != want.Command || got.Shape != want.Shape || got.Text != want.Text ||
			strings.Join(got.Rows, ";") != strings.Join(want.Rows, ";") || anys[0] != anys[1] {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if pictures[0] != (Picture{Line: 25, Shown: 26, Made: "one/gantt.svg", File: "img/x.svg"}) || pictures[1].Made != "make shots" {
		t.Errorf("got %+v", pictures)
	}
}

func TestMarkersWithFaults(t *testing.T) {
	for page, want := range map[string]string{
		"text\n\n<!-- output: a -->\n\n```text\nb\n```\n": "line 3: want a block of code or a table in the line after the marker",
		"<!-- output: a\ncolumns: b -->\n```\nc\n```\n":   `line 1: want rows: or any: in a marker, got "columns: b"`,
		"<!-- output roughly: a -->\n```\nc\n```\n":       `line 1: want "output: COMMAND" or "output by shape: COMMAND", got "output roughly: a"`,
		"<!-- output: a\nany: ( -->\n```\nc\n```\n":       "line 1: error parsing regexp",
		"<!-- picture: a -->\ntext\n":                     "line 1: want <!-- picture: FILE --> above a picture",
	} {
		if _, _, err := Marked(page); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", page, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	got, err := Write(examplePage, map[int]string{7: "one\ntwo\n", 20: "| b |\n|---|\n"})
	want := strings.Replace(strings.Replace(examplePage, "all of it\n", "one\ntwo\n", 1), "| a |\n|---|\n| 1 |\n", "| b |\n|---|\n", 1)
	if err != nil || got != want {
		t.Errorf("got %v\n%s", err, got)
	}
}
