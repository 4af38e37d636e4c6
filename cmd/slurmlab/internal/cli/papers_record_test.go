package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "slurmlab paper aucsched --table 5 and the others from the recorded directories alone,
// without running anything" (issue 17): the tables of docs/experiments/papers.md are those
// that the kept runs make.
func TestRecordedPapers(t *testing.T) {
	const folder = "../../../../docs/experiments/"
	page, err := os.ReadFile(folder + "papers.md")
	if err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob(folder + "papers/aucsched/*.zip")
	if err != nil || len(runs) == 0 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	var out, complaint bytes.Buffer
	line := append([]string{"paper", "aucsched", "--table", "5", "--rows", "V.1,V.2,V.3,IV.2", "--format", "markdown"}, runs...)
	if code := Main(&State{Context: t.Context(), Stop: func() {}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &complaint}, line); code != 0 {
		t.Fatalf("exit code %d: %s", code, complaint.String())
	}
	for want := range strings.Lines(out.String()) {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
