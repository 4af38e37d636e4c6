package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// whatIf are two days of a base and of a scenario in which a job of eve waits for two hours longer and one never starts.
func whatIf(t *testing.T) compare.WhatIf {
	t.Helper()
	run := func(day string, waits ...float64) compare.ScenarioRun {
		r := compare.ScenarioRun{Day: day}
		for i, wait := range waits {
			j := trace.FinishedJob{
				Job: workloads.Job{ID: i + 1, Cores: 1, User: []string{"ann", "eve <b>"}[i%2], Runtime: 60, Limit: 60}, State: "COMPLETED",
				SlurmPartition: "main", Start: wait, Finish: wait + 60, Allocated: []int{0}, AllocCores: 1,
			}
			if wait < 0 {
				j.State, j.Start, j.Finish, j.Allocated, j.AllocCores = "CANCELLED", trace.NeverStarted, 900, nil, 0
			}
			r.Jobs = append(r.Jobs, j)
		}
		r.Run.Status, r.Run.Machine = trace.StatusComplete, workloads.Machine{Name: "m", Nodes: 1, Cores: 4}
		return r
	}
	w, err := compare.NewWhatIf([]compare.Scenario{
		{Name: "base", Runs: []compare.ScenarioRun{run("mon", 0, 0, 60), run("tue", 0, 600, 60)}},
		{Name: "less", Runs: []compare.ScenarioRun{run("mon", 0, 7200, -1), run("tue", 0, 7900, 60)}, Notes: []string{"2 jobs clipped"}},
	}, compare.WhatIfOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The page has the table, a curve of each scenario and who is hurt; the files have all columns.
func TestWriteWhatIf(t *testing.T) {
	folder := t.TempDir()
	files, err := report.WriteWhatIf(folder, whatIf(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(files, " "); got != "report.html whatif.csv whatif-users.csv" {
		t.Errorf("got %s", got)
	}
	read := func(name string) string {
		data, readErr := os.ReadFile(filepath.Join(folder, name))
		if readErr != nil {
			t.Fatal(readErr)
		}
		return string(data)
	}
	page := read("report.html")
	for _, part := range []string{
		"What changes", "How long jobs wait", "Who is hurt", "less: wait, job by job", "2 jobs clipped", "1 jobs never started", "95 % interval",
		"eve &lt;b&gt;", "less, median", "Student's over days",
	} {
		if !strings.Contains(strings.ReplaceAll(page, "&#39;", "'"), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	for name, want := range map[string]string{"whatif.csv": "\nall jobs,less,", "whatif-users.csv": "\nless,eve <b>,2,2,0,", "whatif.md": "| less"} {
		if !strings.Contains(read(name), want) {
			t.Errorf("%s lacks %q:\n%s", name, want, read(name))
		}
	}
}
