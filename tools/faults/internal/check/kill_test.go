package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
	"github.com/slurmlab/slurmlab/workloads"
)

// invariants are the numbers of what is broken.
func invariants(broken []check.Broken) []int {
	var got []int
	for _, b := range broken {
		got = append(got, b.Invariant)
	}
	return got
}

// Whatever was killed, and when: each job once, none started twice, no core given twice, and a status that is true
// (issue 41).
func TestJudgeRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*played)
		want   []int
	}{
		{"nothing", func(*played) {}, nil},
		{"a failed run", func(p *played) { p.fail("slurmctld died") }, nil},
		{"a job not in sacct", func(p *played) { p.write("run/sacct.txt", accounting[:strings.Index(accounting, "12|2|")]) }, []int{2, 6}},
		{"a job started twice", func(p *played) {
			p.write("run/logs/slurmctld.log", ctldLog+"[2025-01-01T00:01:10.000] sched: Allocate JobId=12 NodeList=n1 #CPUs=4 Partition=main\n")
		}, []int{3}},
		{"metrics of a failed run", func(p *played) {
			p.fail("slurmctld died")
			p.write("run/metrics.json", "{}")
		}, []int{6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := play(t, killed(check.Slurmctld))
			tt.change(p)
			r, err := check.JudgeRun(p.path(check.RunName), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := invariants(r.Broken); !slices.Equal(got, tt.want) {
				t.Errorf("broken: %v, want invariants %v", r.Broken, tt.want)
			}
			if r.Status != p.run.Status || r.Reason != p.run.Reason || r.Ended || r.Failed {
				t.Errorf("got %+v of %+v", r, p.run)
			}
		})
	}
	if _, err := check.JudgeRun(t.TempDir(), ""); err == nil {
		t.Error("a directory without run.json is judged")
	}
	failed := play(t, killed(check.Slurmctld))
	failed.run.Ended, failed.run.FailedJobs = true, &trace.FailedJobs{Count: 1, First: []trace.FailedJob{{ID: 1, State: "FAILED"}}}
	failed.fail("1 of 2 jobs did not end as planned: job 1 FAILED")
	if r, err := check.JudgeRun(failed.path(check.RunName), ""); err != nil || !r.Ended || !r.Failed {
		t.Errorf("got %+v, %v, want an end with failed jobs", r, err)
	}
}

// Jobs of a cluster of "up" are in the accounting once each, with their ends, on cores that no other has.
func TestJudgeUp(t *testing.T) {
	const a = "a|COMPLETED|2025-01-01T00:00:03|2025-01-01T00:00:23|8|n[1-2]\n"
	for _, tt := range []struct {
		name, sacct string
		want        []int
	}{
		{"two one after the other", a + "b|COMPLETED|2025-01-01T00:00:23|2025-01-01T00:00:43|4|n1\n", nil},
		{"one is missing", a, []int{2}},
		{"one is there twice", a + a + "b|COMPLETED|2025-01-01T00:00:23|2025-01-01T00:00:43|4|n1\n", []int{2, 4}},
		{"one is somebody else's", a + "b|COMPLETED|2025-01-01T00:00:23|2025-01-01T00:00:43|4|n1\nc|COMPLETED|2025-01-01T00:00:43|2025-01-01T00:00:53|4|n1\n", []int{2}},
		{"one failed", a + "b|FAILED|2025-01-01T00:00:23|2025-01-01T00:00:43|4|n1\n", []int{5}},
		{"one never started", a + "b|CANCELLED|Unknown|2025-01-01T00:00:43|4|None assigned\n", []int{5}},
		{"both have the cores", a + "b|COMPLETED|2025-01-01T00:00:13|2025-01-01T00:00:43|4|n1\n", []int{4}},
	} {
		broken, err := check.JudgeUp(tt.sacct, []string{"a", "b"}, workloads.Machine{Nodes: 2, Cores: 4})
		if got := invariants(broken); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: broken: %v, %v, want invariants %v", tt.name, broken, err, tt.want)
		}
	}
	for _, bad := range []string{"a|COMPLETED\n", "a|COMPLETED|2025-01-01T00:00:03|2025-01-01T00:00:23|many|n1\n", "a|COMPLETED|2025-01-01T00:00:03|2025-01-01T00:00:23|8|n[1\n"} {
		if _, err := check.JudgeUp(bad, nil, workloads.Machine{}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
