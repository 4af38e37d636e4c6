package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if err := conclude(&State{Stdout: &printed, Stderr: &warned, Columns: 120}, form{format: textFormat}, out, dirs); err != nil {
		t.Fatal(err)
	}
	return printed.String(), warned.String(), out
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
		"no difference shown", "[0.176, 0.176]    [0.161, 0.161]", "Range of\n", "Repetitions")
	if strings.Contains(stdout, "interval") {
		t.Errorf("there is an interval:\n%s", stdout)
	}
	contains(t, "standard error", stderr,
		"warning: S-V.2-auction-seed1: The limit on bids dropped 252 bids", "warning: S-V.2-auction-seed2: The limit on bids dropped 252 bids")
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), "interval_low,interval_high,better,sure,verdict,replicas_needed,replica,",
		",,,auction,false,no difference shown,4,repetition,")
	contains(t, "comparison.md", textOf(t, out, "comparison.md"), "2 repetitions of the same jobs", "\n\n| Metric")
	contains(t, "report.html", textOf(t, out, "report.html"), "4 runs, 2 of each policy, of workload V.2 (11 jobs)",
		"Shown one by one are those of seed 1.", "The runs of seed 1 alone", "S-V.2-auction-seed2: The limit on bids")
}

func TestOnePairHasNoVerdict(t *testing.T) {
	stdout, _, out := concluded(t, "1")
	contains(t, "standard output", stdout, "One pair of runs of workload V.2 on machine S: it shows how these two runs went, not which policy is\nbetter.\n\n",
		"n=1, no interval", "one pair, no verdict")
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
	if err := conclude(&State{Stdout: &printed, Stderr: &warned, Columns: 120}, form{format: textFormat}, out, dirs); err != nil {
		t.Fatal(err)
	}
	contains(t, "standard output", printed.String(), "Over 2 windows of workload V.2 on machine S: ", "95 % interval")
	contains(t, "runs.csv", textOf(t, out, "runs.csv"), "machine,workload,policy,seed,window,clock", "S,V.2,auction,1,2,scaled")
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), ",window,")
	contains(t, "report.html", textOf(t, out, "report.html"), "Shown one by one are those of window 1 of 2.", "Workload V.2, window 1 of 2, machine S")
}

// Two kinds of cluster are the sides of a comparison under one policy: tables, pictures and
// report name them and not the policy, and tell how far the starts are apart (issue 15,
// "The same answers").
func TestKindsAreCompared(t *testing.T) {
	out := t.TempDir()
	var dirs []string
	for _, slurm := range []string{"24.11", "26.05"} {
		path := recordedRun(t, filepath.Join(out, slurm), "backfill", "1")
		edit(t, filepath.Join(path, "run.json"), `"seed": 1,`, `"seed": 1, "slurm": "`+slurm+`",`)
		edit(t, filepath.Join(path, "run.json"), `-seed1",`, "-"+slurm+`-seed1",`)
		dirs = append(dirs, path)
	}
	var printed, warned bytes.Buffer
	if err := conclude(&State{Stdout: &printed, Stderr: &warned, Columns: 120}, form{format: textFormat}, out, dirs); err != nil {
		t.Fatal(err)
	}
	contains(t, "standard output", printed.String(), "One pair of runs of workload V.2 on machine S under policy backfill: it shows how these",
		"Slurm 24.11", "Slurm 26.05", "Of 11 jobs, 11 started in the same second on both sides (100 %)", "starts.csv, runs.csv")
	contains(t, "starts.csv", textOf(t, out, "starts.csv"), "replica,jobs,left_out,equal_percent,median_s,p95_s,max_s\nseed 1,11,0,100,0,0,0\nall,11,0,100,0,0,0\n")
	contains(t, "runs.csv", textOf(t, out, "runs.csv"), "machine,workload,policy,seed,slurm,clock", "S,V.2,backfill,1,26.05,scaled")
	contains(t, "comparison.csv", textOf(t, out, "comparison.csv"), "metric,n,Slurm 24.11,Slurm 26.05,difference", "elapsed_error_max_s,1,")
	contains(t, "gantt.svg", textOf(t, out, "gantt.svg"), "Slurm 26.05")
	contains(t, "report.html", textOf(t, out, "report.html"), "Slurm 24.11 and Slurm 26.05 on machine S, workload V.2, policy backfill",
		"Slurm 26.05 against Slurm 24.11", "One run of each kind of cluster: only replicas")
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
