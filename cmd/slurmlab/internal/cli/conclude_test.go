package cli

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// recordedRun copies a recorded run of seed 1 into dir, as one of another seed: the
// pairs of a workload that is a list are alike but for this number.
func recordedRun(t *testing.T, dir, policy, seed string) string {
	t.Helper()
	path := filepath.Join(dir, "S-V.2-"+policy+"-seed"+seed)
	if err := os.CopyFS(path, os.DirFS("testdata/runs/S-V.2-"+policy+"-seed1")); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(path, "run.json"), `"seed": 1,`, `"seed": `+seed+`,`)
	edit(t, filepath.Join(path, "run.json"), `-seed1",`, `-seed`+seed+`",`)
	return path
}

// concluded is what compare prints about pairs of recorded runs with these seeds, and
// the directory of its tables and report.
func concluded(t *testing.T, seeds ...string) (stdout, stderr, out string) {
	t.Helper()
	out = t.TempDir()
	var dirs []string
	for _, seed := range seeds {
		for _, policy := range []string{"backfill", "auction"} {
			dirs = append(dirs, recordedRun(t, out, policy, seed))
		}
	}
	var printed, warned bytes.Buffer
	if err := conclude(&State{Stdout: &printed, Stderr: &warned, Columns: 120}, form{table.Form{Format: table.TextFormat}}, "", out, loaded(t, dirs...)); err != nil {
		t.Fatal(err)
	}
	return printed.String(), warned.String(), out
}

// loaded are complete runs as a comparison reads them.
func loaded(t *testing.T, dirs ...string) []metric.Result {
	t.Helper()
	runs, err := metric.LoadAll(metric.Load, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q is not in\n%s", what, part, text)
		}
	}
}

func textOf(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Equal jobs under two seeds are repetitions: no interval and no sure winner, and the
// noise from run to run (issue 14, line 1).
func TestRepetitionsAreToldAsSuch(t *testing.T) {
	stdout, stderr, out := concluded(t, "1", "2")
	contains(t, "standard output", stdout, "2 repetitions of the same jobs", "about other jobs: at least 4 are needed to tell",
		"no difference shown", "[10.567, 10.567]    [9.667, 9.667]", "Range of\n", "Repetitions")
	if strings.Contains(stdout, "interval") {
		t.Errorf("there is an interval:\n%s", stdout)
	}
	contains(t, "standard error", stderr,
		"warning: S-V.2-auction-seed1: The limit on bids dropped 252 bids", "warning: S-V.2-auction-seed2: The limit on bids dropped 252 bids")
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), "better,verdict,replicas_needed,",
		",repetition,", ",auction,no difference shown,4,")
	contains(t, "comparison.md", textOf(t, out, "comparison.md"), "2 repetitions of the same jobs", "\n\n| Metric")
	contains(t, "report.html", textOf(t, out, "report.html"), "4 runs, 2 of each policy, of workload V.2 (11 jobs)",
		"Shown one by one are those of seed 1.", "The runs of seed 1 alone", "S-V.2-auction-seed2: The limit on bids")
}

// More than two policies are compared with the first in one table and one report, and nothing
// else in the directory is.
func TestVariantsAreComparedWithTheFirst(t *testing.T) {
	out := t.TempDir()
	dirs := []string{recordedRun(t, out, "backfill", "1"), recordedRun(t, out, "auction", "1")}
	wide := filepath.Join(out, "S-V.2-wide-seed1")
	if err := os.CopyFS(wide, os.DirFS(dirs[1])); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(wide, "run.json"), `"policy": "auction"`, `"policy": "wide"`)
	edit(t, filepath.Join(wide, "run.json"), `auction-seed1`, `wide-seed1`)
	recordedRun(t, out, "auction", "2")
	policies := []policy.Policy{{Name: "auction"}, {Name: "backfill"}, {Name: "wide"}}
	// The recorded backfill has another name today.
	policies[1].Name = recordOf(t, dirs[0]).Policy
	var printed, warned bytes.Buffer
	if err := concludeVariants(&State{Stdout: &printed, Stderr: &warned, Columns: 200}, form{table.Form{Format: table.TextFormat}}, "", out, loaded(t, dirs[0], dirs[1], wide), policies, nil); err != nil {
		t.Fatal(err)
	}
	text := textOf(t, out, "comparison.csv")
	contains(t, "comparison.csv", text, "auction,backfill,", "auction,wide,")
	if strings.Contains(text, "backfill,wide") || strings.Contains(textOf(t, out, "runs.csv"), "seed2") {
		t.Errorf("more is compared:\n%s", text)
	}
	contains(t, "standard output", printed.String(), "report.html")
	contains(t, "report.html", textOf(t, out, "report.html"), "Comparison ", "wide")
	contains(t, "standard error", warned.String(), "warning: S-V.2-wide-seed1: ")

	printed.Reset()
	if err := concludeVariants(&State{Stdout: &printed, Stderr: &warned, Columns: 200}, form{table.Form{Format: table.TextFormat}}, "gpu", out, loaded(t, dirs[0], dirs[1], wide), policies, nil); err != nil {
		t.Fatal(err)
	}
	contains(t, "standard output with --by", printed.String(), "Jobs by gpu", "auction beside backfill", "by-gpu.csv")
	// Each kind of jobs has the rows of both pairs, and policies with the same runs do not differ.
	groups := textOf(t, out, "by-gpu.csv")
	contains(t, "by-gpu.csv", groups, "gpu,policy_a,policy_b,", ",auction,backfill")
	rows := 0
	for line := range strings.Lines(groups) {
		if strings.Contains(line, ",auction,wide,") {
			rows++
			if !strings.Contains(line, ",0,") {
				t.Errorf("auction and its copy differ: %s", line)
			}
		}
	}
	if rows == 0 || rows != strings.Count(groups, ",auction,backfill") {
		t.Errorf("%d rows of auction and wide:\n%s", rows, groups)
	}
}

func recordOf(t *testing.T, dir string) trace.Run {
	t.Helper()
	_, record, err := trace.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// With --by the means over the jobs of each group are compared, printed and written beside the other files. The
// groups of a run are its metrics' groups, so that both tables have the same numbers.
func TestComparisonByGroups(t *testing.T) {
	out := t.TempDir()
	var dirs []string
	for _, policy := range []string{"backfill", "auction"} {
		dirs = append(dirs, recordedRun(t, out, policy, "1"))
	}
	for _, by := range metric.GroupBys() {
		if by == "qos" || by == "gpu-type" || by == "busy-span" {
			// These runs do not tell the QOS of their jobs, nor the types of their GPUs, and are never too small for their jobs.
			continue
		}
		var printed, warned bytes.Buffer
		s := &State{Stdout: &printed, Stderr: &warned, Columns: 120}
		if err := conclude(s, form{table.Form{Format: table.CSVFormat}}, by, out, loaded(t, dirs...)); err != nil {
			t.Fatal(err)
		}
		if text := textOf(t, out, "by-"+by+".csv"); text != printed.String() || !strings.HasPrefix(text, by+",jobs,metric,n,backfill,auction,difference,") {
			t.Errorf("by %s: printed\n%swritten\n%s", by, printed.String(), text)
		}
		contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), ",no events,,policy,backfill,auction,")
		rows, err := csv.NewReader(&printed).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		runs, err := metric.LoadAll(metric.Load, dirs...)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for _, row := range rows[1:] {
			for side, r := range runs {
				for _, g := range r.Metrics.Groups {
					if g.By != by || g.Name != row[0] || row[2] != "waiting_mean_h" {
						continue
					}
					compared++
					got, err := strconv.ParseFloat(row[4+side], 64)
					if want := g.Waiting.Mean / 3600; err != nil || math.Abs(got-want) > 1e-9 || row[1] != strconv.Itoa(g.Jobs) {
						t.Errorf("by %s: %s waits %s h, want %g, %v", by, row[0], row[4+side], want, err)
					}
				}
			}
		}
		if compared < 2 {
			t.Errorf("by %s: no waiting times in\n%v", by, rows)
		}
	}
}

func TestOnePairHasNoVerdict(t *testing.T) {
	stdout, _, out := concluded(t, "1")
	contains(t, "standard output", stdout, "One pair of runs of workload V.2 on machine S: it shows how these two runs went, not which policy is\nbetter.\n\n")
	if table := strings.Split(stdout, "\n\n")[1]; strings.Contains(table, "verdict") || strings.Contains(table, "interval") {
		t.Errorf("the rows of one pair have a verdict, which the sentence above them has said already:\n%s", table)
	}
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), "one pair, no verdict")
	contains(t, "report.html", textOf(t, out, "report.html"), "2 runs of workload V.2", "One run of each policy: only replicas")
}

// Windows of a trace are replicas: they have an interval, and the tables and the report
// name them.
func TestWindowsAreReplicas(t *testing.T) {
	out := t.TempDir()
	var dirs []string
	for _, window := range []string{"1", "2"} {
		for _, policy := range []string{"backfill", "auction"} {
			path := recordedRun(t, filepath.Join(out, window), policy, "1")
			edit(t, filepath.Join(path, "run.json"), `"seed": 1,`, `"seed": 1, "window": `+window+`, "windows": 2,`)
			edit(t, filepath.Join(path, "workload.csv"), "job_id", "# window "+window+"\njob_id")
			dirs = append(dirs, path)
		}
	}
	var printed, warned bytes.Buffer
	if err := conclude(&State{Stdout: &printed, Stderr: &warned, Columns: 120}, form{table.Form{Format: table.TextFormat}}, "", out, loaded(t, dirs...)); err != nil {
		t.Fatal(err)
	}
	contains(t, "standard output", printed.String(), "Over 2 windows of workload V.2 on machine S: ", "95 % interval")
	contains(t, "runs.csv", textOf(t, out, "runs.csv"), "machine,workload,policy,seed,window,clock", "S,V.2,auction,1,2,scaled")
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), ",window,")
	contains(t, "report.html", textOf(t, out, "report.html"), "Shown one by one are those of window 1 of 2.", "Workload V.2, window 1 of 2, machine S")
}

// Two backends are the sides of a comparison under one policy. Tables, pictures and report name them and not the
// policy, and say how far the starts are apart (issue 15, "The same answers").
func TestBackendsAreCompared(t *testing.T) {
	out := t.TempDir()
	var dirs []string
	for _, slurm := range []string{"24.11", "26.05"} {
		path := recordedRun(t, filepath.Join(out, slurm), "backfill", "1")
		edit(t, filepath.Join(path, "run.json"), `"seed": 1,`, `"seed": 1, "slurm": "`+slurm+`",`)
		edit(t, filepath.Join(path, "run.json"), `-seed1",`, "-"+slurm+`-seed1",`)
		dirs = append(dirs, path)
	}
	var printed, warned bytes.Buffer
	if err := conclude(&State{Stdout: &printed, Stderr: &warned, Columns: 120}, form{table.Form{Format: table.TextFormat}}, "", out, loaded(t, dirs...)); err != nil {
		t.Fatal(err)
	}
	contains(t, "standard output", printed.String(), "One pair of runs of workload V.2 on machine S under policy backfill: it shows how these",
		"frontend-24.11", "external-26.05", "Of 11 jobs, 11 started in the same second on both sides (100 %)", "comparison.csv, starts.csv,")
	contains(t, "starts.csv", textOf(t, out, "starts.csv"), "replica,jobs,left_out,equal_percent,median_s,p95_s,max_s\nseed 1,11,0,100,0,0,0\nall,11,0,100,0,0,0\n")
	contains(t, "runs.csv", textOf(t, out, "runs.csv"), "machine,workload,policy,seed,backend,slurm,clock", "S,V.2,backfill,1,external,26.05,scaled")
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), "S,V.2,,,no events,backfill,backend,frontend-24.11,external-26.05,elapsed_error_max_s,1,")
	contains(t, "gantt.svg", textOf(t, out, "gantt.svg"), "external-26.05")
	contains(t, "report.html", textOf(t, out, "report.html"), "frontend-24.11 and external-26.05 on machine S, workload V.2, policy backfill",
		"external-26.05 against frontend-24.11", "One run of each backend: only replicas")
}

func edit(t *testing.T, file, from, to string) {
	t.Helper()
	text := textOf(t, file)
	if !strings.Contains(text, from) {
		t.Fatalf("%s has no %s", file, from)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(text, from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// People see the important metrics and how many more the file has; the file has all.
func TestConclusionShowsFewMetrics(t *testing.T) {
	stdout, _, out := concluded(t, "1", "2", "3")
	text, err := os.ReadFile(filepath.Join(out, "comparison.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(rows[0], "metric")
	shown, more := 0, 0
	for _, m := range metric.Measures() {
		for _, row := range rows {
			if row[column] != m.Column {
				continue
			}
			if _, important := m.Rank(); important {
				shown++
				contains(t, "the table", stdout, "\n"+m.Name)
			} else {
				more++
			}
		}
	}
	if shown == 0 || more == 0 {
		t.Fatalf("comparison.csv has %d important metrics and %d others, want some of both", shown, more)
	}
	contains(t, "the end of the table", stdout, strconv.Itoa(more)+" more metrics: ")
}
