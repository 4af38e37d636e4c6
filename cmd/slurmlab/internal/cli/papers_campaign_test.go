package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The campaign files of the papers ask for the runs that "slurmlab paper" asks for, with the papers' numbers of
// repetitions. The directories have the same names, so that either goes on with what the other made. One seed is
// planned, as the others differ in its number alone.
func TestPapersCampaigns(t *testing.T) {
	for file, paper := range map[string]struct {
		seeds string
		args  []string
	}{
		"aucsched-table-5.yaml":  {"seeds: 1..7", []string{"aucsched --table 5 --strongest"}},
		"aucsched-table-6.yaml":  {"seeds: 1..7", []string{"aucsched --table 6 --strongest"}},
		"aucsched-table-7.yaml":  {"seeds: 1..7", []string{"aucsched --table 7 --strongest"}},
		"aucsched-table-8.yaml":  {"seeds: 1..7", []string{"aucsched --table 8"}},
		"aucsched2-table-3.yaml": {"seeds: 1..27", []string{"aucsched2 --strongest"}},
		"ipsched.yaml":           {"seeds: 1..3", []string{"ipsched --table 5", "ipsched --table 6"}},
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "examples", "papers", file))
			if err != nil {
				t.Fatal(err)
			}
			whole := string(text)
			for _, line := range []string{paper.seeds, "slurm: 26.05"} {
				if !strings.Contains(whole, "\n"+line+"\n") {
					t.Errorf("the file has not %s", line)
				}
			}
			t.Chdir(t.TempDir())
			if err := os.WriteFile(file, []byte(strings.Replace(whole, paper.seeds, "seeds: 1", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			got := directories(t, "campaign", "plan", file, "--out", "out", "--format", "csv")
			var want []string
			for _, args := range paper.args {
				want = append(want, directories(t, strings.Fields("paper "+args+" --replicas 1 --out out --dry-run --format csv")...)...)
			}
			slices.Sort(want)
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("the campaign has %d runs, the paper %d:\n%q\n%q", len(got), len(want), got, want)
			}
		})
	}
}

// directories are the names in the column directory of a table.
func directories(t *testing.T, args ...string) []string {
	t.Helper()
	var out, complaint bytes.Buffer
	code := Main(&State{Context: context.Background(), Stop: func() {}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &complaint}, args)
	rows, err := csv.NewReader(&out).ReadAll()
	if code != 0 || err != nil || len(rows) == 0 {
		t.Fatalf("%v: exit code %d, %v, %s", args, code, err, complaint.String())
	}
	column := slices.Index(rows[0], "directory")
	if column < 0 {
		t.Fatalf("%v: got the columns %v, want directory among them", args, rows[0])
	}
	var names []string
	for _, row := range rows[1:] {
		names = append(names, filepath.Base(row[column]))
	}
	slices.Sort(names)
	return names
}
