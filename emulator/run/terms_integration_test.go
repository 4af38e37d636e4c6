//go:build integration

package run_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

const termsHeader = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,user,account,nice,priority,begin_after_s,dependency\n"

// Of jobs 1 to 5, which take three of the four nodes, one runs at a time. The fourth node is free for the others, so
// that only their terms keep these from starting. Job 9 depends on one that Slurm has forgotten (MinJobAge).
const termsJobs = termsHeader + `1,0,300,600,3,24,8,0,0,0,wide,eve,astro,0,0,0,
2,5,60,600,3,24,8,0,0,0,wide,eve,astro,0,0,0,
3,6,60,600,3,24,8,0,0,0,wide,bob,,-1000,0,0,
4,7,60,600,3,24,8,0,0,0,wide,bob,bio,0,5,0,
5,8,60,600,3,24,8,0,0,0,wide,,,0,0,0,
6,10,60,600,1,1,1,0,0,0,later,eve,bio,0,0,3600,
7,11,60,600,1,1,1,0,0,0,ok,eve,bio,100,0,0,afterok:1
8,12,60,600,1,1,1,0,0,0,begun,eve,bio,0,0,0,after:4
10,13,60,600,1,1,1,0,0,0,both,eve,bio,0,0,900,afterany:5
9,5000,60,600,1,1,1,0,0,0,long,eve,bio,0,0,0,afterok:1
`

// The real Slurm charges the account, keeps to begin times and dependencies, and orders by nice value and priority.
func TestTerms(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\n"), file(t, "terms.csv", termsJobs), policy.WholeQueue, 0)
	c.Dir = run.OwnDir(t, "terms")
	r := carriedOut(t, c)
	proven(t, r.Run, nil)
	_, rows, err := mustOpen(t, c.Dir).Accounting()
	if err != nil {
		t.Fatal(err)
	}
	checkTerms(t, r.Jobs, rows)
	for by, want := range map[string][]string{
		"account": {"astro", "bio", "bob", "root"}, "user": {"bob", "eve", "root"}, "partition": {"main"},
	} {
		if got := groupNames(*r.Metrics, by); !slices.Equal(got, want) {
			t.Errorf("jobs by %s are %q, want %q", by, got, want)
		}
	}
}

func groupNames(m metric.Metrics, by string) []string {
	var names []string
	for _, g := range m.Groups {
		if g.By == by {
			names = append(names, g.Name)
		}
	}
	return names
}

// checkTerms looks at what Slurm accounted for the jobs.
func checkTerms(t *testing.T, all []trace.FinishedJob, rows []accounting.Row) {
	t.Helper()
	jobs := map[int]trace.FinishedJob{}
	for _, j := range all {
		jobs[j.ID] = j
	}
	for id, want := range map[int]string{1: "astro", 2: "astro", 3: "bob", 4: "bio", 5: "root", 6: "bio", 7: "bio", 9: "bio"} {
		if got := jobs[id].SlurmAccount; got != want {
			t.Errorf("job %d is charged to %s, want %s", id, got, want)
		}
	}
	// Job 3 passes by its nice value, job 4 stays behind by its priority.
	order := []int{1, 3, 2, 5, 4}
	for i, id := range order[1:] {
		if before := jobs[order[i]]; jobs[id].Start < before.Finish {
			t.Errorf("job %d started at %g s, job %d ended at %g s, want it later: the order is %v", id, jobs[id].Start, before.ID, before.Finish, order)
		}
	}
	for _, c := range []struct {
		job, other int
		from       float64
	}{{7, 1, jobs[1].Finish}, {8, 4, jobs[4].Start}, {10, 5, jobs[5].Finish}} {
		if jobs[c.job].Start < c.from {
			t.Errorf("job %d, %s of job %d, started at %g s, want %g s or later", c.job, jobs[c.job].Dependency, c.other, jobs[c.job].Start, c.from)
		}
	}
	for _, row := range rows {
		id, err := strconv.Atoi(row.JobName)
		if err != nil {
			t.Fatal(err)
		}
		begin := row.Submit.Add(time.Duration(jobs[id].BeginAfter) * time.Second)
		// The begin time counts from the arrival, which may be a second before the submission.
		if jobs[id].BeginAfter > 0 && (row.Eligible.Before(begin.Add(-2*time.Second)) || row.Start.Before(begin.Add(-2*time.Second))) {
			t.Errorf("job %d was submitted at %v, eligible at %v and started at %v, want %d s later", id, row.Submit, row.Eligible, row.Start, jobs[id].BeginAfter)
		}
	}
	// A free node and a dependency on what has ended long ago: nothing is waited for but Slurm's own interval (30 s).
	const interval = 60
	if late := jobs[9]; late.Waiting() > interval {
		t.Errorf("job 9 waited %g s for a job that had ended long before", late.Waiting())
	}
}

// The agent knows accounts, nice values and begin times.
func TestTermsUnderAnAgent(t *testing.T) {
	t.Parallel()
	const jobs = termsHeader + `1,0,300,600,4,32,8,0,0,0,wide,eve,astro,0,0,0,
2,5,60,600,4,32,8,0,0,0,wide,eve,astro,0,0,0,
3,6,60,600,1,1,1,0,0,0,later,bob,bio,-5,0,4500,
`
	c := config(t, backendtest.External(), file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\n"), file(t, "agent.csv", jobs), policy.Auction, 0)
	c.Dir = run.OwnDir(t, "agent")
	r := carriedOut(t, c)
	for i, want := range []string{"astro", "astro", "bio"} {
		if got := r.Jobs[i].SlurmAccount; got != want {
			t.Errorf("job %d is charged to %s, want %s", i+1, got, want)
		}
	}
	if last := r.Jobs[2]; last.Waiting() < 4500-2 {
		t.Errorf("job 3 started after %g s, want 4500 s", last.Waiting())
	}
}
