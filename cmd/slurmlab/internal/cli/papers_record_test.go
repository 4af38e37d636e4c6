package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// record is a folder of kept runs, which has the name of the campaign file that asks for them, with the commands that print
// tables of them.
type record struct {
	folder string
	tables [][]string
}

func recordsOfPapers() []record {
	return []record{
		{"aucsched-table-5", [][]string{{"aucsched", "--table", "5"}}},
		{"aucsched-table-6", [][]string{{"aucsched", "--table", "6", "--rows", "V.1,V.2,V.3"}}},
		{"aucsched-table-7", [][]string{{"aucsched", "--table", "7", "--rows", "V.1,V.2,V.3"}}},
		{"aucsched2-table-3", [][]string{{"aucsched2", "--rows", "1.NC,1.HC,1.FC,2.NC,2.HC,2.FC"}}},
		{"ipsched", [][]string{
			{"ipsched", "--table", "5", "--rows", "1-SLURM,2,3,4-SLURM,5"},
			{"ipsched", "--table", "6", "--rows", "7-SLURM"},
		}},
	}
}

// kept are the archives of the runs.
func (r record) kept(t *testing.T) []string {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(top, "docs", "records", "papers", r.folder, "*.zip"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	return runs
}

// printed are the tables in this form.
func (r record) printed(t *testing.T, form string) []string {
	t.Helper()
	var all []string
	for _, line := range r.tables {
		all = append(all, printed(t, "", slices.Concat([]string{"paper"}, line, []string{"--format", form}, r.kept(t))...))
	}
	return all
}

// printed is what a command of the build with a version prints.
func printed(t *testing.T, version string, line ...string) string {
	t.Helper()
	var out, complaint bytes.Buffer
	s := &State{Context: t.Context(), Stop: func() {}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &complaint, Version: version}
	if code := Main(s, line); code != 0 {
		t.Fatalf("%q: exit code %d: %s", line, code, complaint.String())
	}
	return out.String()
}

// valuesOf maps a workload, a policy and a metric to the values that a table in CSV has of them. There is one in each
// pair of columns, none for a row of a paper's table that has no run (n is 0).
func valuesOf(t *testing.T, table string, columns ...[2]string) map[[3]string][]float64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	found := map[[3]string][]float64{}
	for _, row := range rows[1:] {
		if n := slices.Index(rows[0], "n"); n >= 0 && row[n] == "0" {
			continue
		}
		cell := func(name string) string {
			i := slices.Index(rows[0], name)
			if i < 0 {
				t.Fatalf("got the columns %q, want %s among them", rows[0], name)
			}
			return row[i]
		}
		for _, c := range columns {
			value, err := strconv.ParseFloat(cell(c[1]), 64)
			if err != nil {
				t.Fatalf("%q: %v", row, err)
			}
			key := [3]string{cell("workload"), cell(c[0]), cell("metric")}
			found[key] = append(found[key], value)
		}
	}
	return found
}

// "slurmlab paper aucsched --table 5 and the others from the recorded directories alone, without running anything"
// (issue 17). The kept runs make the tables of docs/records/papers, and notes.txt has the lines below them. UPDATE_RECORDS=1
// writes the tables.
func TestRecordedPapers(t *testing.T) {
	record := os.DirFS(filepath.Join(top, "docs", "records", "papers"))
	notes, err := fs.ReadFile(record, "notes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recordsOfPapers() {
		t.Run(r.folder, func(t *testing.T) {
			r.large(t)
			for i, table := range r.printed(t, "csv") {
				name := tableName(r.tables[i])
				if os.Getenv("UPDATE_RECORDS") != "" {
					if err = os.WriteFile(filepath.Join(top, "docs", "records", "papers", name), []byte(table), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				kept, err := fs.ReadFile(record, name)
				if err != nil {
					t.Fatal(err)
				}
				sameCells(t, name, string(kept), table)
			}
			for _, table := range r.printed(t, "markdown") {
				for want := range strings.Lines(table) {
					if !strings.HasPrefix(want, "|") && !strings.Contains(string(notes), want) {
						t.Errorf("%s: notes.txt lacks %s", r.folder, want)
					}
				}
			}
		})
	}
}

// large skips the record that has most of all kept runs, where short tests are asked for: those of other tables of its paper
// are read by the same code.
func (r record) large(t *testing.T) {
	t.Helper()
	if r.folder == "aucsched-table-5" {
		hosttest.Long(t, "reads the 135 runs of one more table of a paper")
	}
}

// tableName is the file with what a command prints about a table of a paper, of which AUCSCHED2 has one.
func tableName(line []string) string {
	if line[1] == "--table" {
		return line[0] + "-table-" + line[2] + ".csv"
	}
	return line[0] + "-table-3.csv"
}

// sameCells compares two tables; numbers are the same up to what rounding on another processor changes.
func sameCells(t *testing.T, name, kept, table string) {
	t.Helper()
	var rows [2][][]string
	for i, text := range []string{kept, table} {
		var err error
		if rows[i], err = csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if len(rows[0]) != len(rows[1]) {
		t.Fatalf("%s has %d rows, the runs make %d", name, len(rows[0]), len(rows[1]))
	}
	for i, row := range rows[1] {
		if !slices.EqualFunc(rows[0][i], row, sameCell) {
			t.Errorf("%s:%d has %q, the runs make %q", name, i+1, rows[0][i], row)
		}
	}
}

func sameCell(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	return a == b || err == nil && other == nil && math.Abs(x-y) <= 1e-9*math.Max(1, math.Abs(x))
}

// Runs of rows that were not asked for are left out of a table, which standard error says and standard output does not.
func TestRunsOfOtherRows(t *testing.T) {
	kept := record{folder: "ipsched"}.kept(t)
	var out, complaint bytes.Buffer
	s := &State{Context: t.Context(), Stop: func() {}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &complaint}
	code := Main(s, slices.Concat([]string{"paper", "ipsched", "--table", "5", "--format", "csv"}, kept))
	const want = "slurmlab: 1 run of other rows left out: table 6 row 7-SLURM (1 run)\n"
	if code != 0 || complaint.String() != want || strings.Contains(out.String(), "left out") {
		t.Errorf("exit code %d, got %s, want %s", code, complaint.String(), want)
	}
}

// "The papers' tables through one campaign file each, in the repository, and the recorded results rebuilt from them"
// (issue 20). The kept runs are complete runs of the campaign, whose report has the means of the paper's table.
func TestRecordedPapersAreCampaigns(t *testing.T) {
	for _, r := range recordsOfPapers() {
		t.Run(r.folder, r.isCampaign)
	}
}

func (r record) isCampaign(t *testing.T) {
	r.large(t)
	kept := r.kept(t)
	folder := filepath.Join(t.TempDir(), r.folder)
	if err := os.MkdirAll(filepath.Join(folder, "inputs"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{filepath.Join(top, "examples", "papers", r.folder+".yaml"): filepath.Join(folder, "inputs", "campaign.yaml")}
	for _, run := range kept {
		files[run] = filepath.Join(folder, filepath.Base(run))
	}
	for from, to := range files {
		text, err := os.ReadFile(from)
		if filepath.Ext(from) == ".yaml" {
			// The kept runs are of a build whose policies read priorities as ranks.
			text = regexp.MustCompile(`(?m)^policies:.*$`).ReplaceAllFunc(text, func(line []byte) []byte {
				return regexp.MustCompile(`\b(ipsched[a-z-]*|auction2)\b`).ReplaceAll(line, []byte("{policy: $1, name: $1, settings: {priorities: ranks}}"))
			})
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	_, run, err := trace.OpenRun(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	var status struct{ Complete, Broken, Missing int }
	if err := json.Unmarshal([]byte(printed(t, run.ToolVersion, "campaign", "status", folder, "--format", "json")), &status); err != nil {
		t.Fatal(err)
	}
	if status.Complete != len(kept) || status.Broken > 0 {
		t.Errorf("%d runs complete and %d broken, want the %d that are kept", status.Complete, status.Broken, len(kept))
	}
	reported := valuesOf(t, printed(t, run.ToolVersion, "campaign", "report", folder, "--format", "csv"), [2]string{"a", "mean_a"}, [2]string{"b", "mean_b"})
	// A report compares policies: it has nothing of a workload under one of them.
	policies := map[string]map[string]bool{}
	for _, file := range kept {
		_, run, err := trace.OpenRun(file)
		if err != nil {
			t.Fatal(err)
		}
		if policies[run.Workload] == nil {
			policies[run.Workload] = map[string]bool{}
		}
		// Of the strongest backfill the paper has no rows.
		if run.Policy != policy.Backfill {
			policies[run.Workload][run.Policy] = true
		}
	}
	compared := map[[2]string]bool{}
	for _, table := range r.printed(t, "csv") {
		for key, ours := range valuesOf(t, table, [2]string{"policy", "ours"}) {
			// The paper's theoretical runtime is none of the metrics of a report.
			if key[2] == "theoretical_runtime_h" {
				continue
			}
			if len(reported[key]) == 0 && len(policies[key[0]]) > 1 {
				t.Errorf("the report lacks %v", key)
			}
			for _, value := range reported[key] {
				if math.Abs(value-ours[0]) > 1e-6 {
					t.Errorf("%v: the report has %v, the table %v", key, value, ours[0])
				}
			}
			compared[[2]string{key[0], key[1]}] = true
		}
	}
	rows := 0
	for _, of := range policies {
		rows += len(of)
	}
	if len(compared) != rows {
		t.Errorf("compared %d rows of %d", len(compared), rows)
	}
}
