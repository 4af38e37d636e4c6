//go:build integration

package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Each limit lets one of two jobs run that have room on the nodes. n4 is kept for dora for two hours, and n3 for root
// from the first hour to the third.
const ruledMachine = `name: ruled
groups:
  - {name: thin, count: 4, cores: 8}
qos:
  - {name: debug, limits: {MaxJobsPerUser: 1}}
accounts:
  - {name: physics, limits: {GrpTRES: {cpu: 2}}, users: [{name: anna}, {name: bob}]}
  - {name: astro, parent: physics, users: [{name: anna}]}
licenses: {matlab: 2}
reservations:
  - {name: course, nodes: n4, duration: 2h, users: [dora]}
  - {name: cooling, nodes: n3, start: 1h, duration: 2h, flags: [MAINT]}
`

const ruledJobs = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,user,account,qos,licenses,reservation
1,0,600,1200,0,1,0,0,0,0,qos,carl,,debug,,
2,0,600,1200,0,1,0,0,0,0,qos,carl,,debug,,
3,0,600,1200,0,1,0,0,0,0,qos,dora,,debug,,
4,0,600,1200,0,2,0,0,0,0,account,anna,,,,
5,0,600,1200,0,1,0,0,0,0,account,anna,astro,,,
6,0,600,1200,0,1,0,0,0,0,licence,,,,matlab:2,
7,0,600,1200,0,1,0,0,0,0,licence,,,,matlab:1,
8,0,600,1200,0,1,0,0,0,0,reserved,dora,,,,course
9,4000,600,7200,2,16,8,0,0,0,wide,,,,,
10,4000,600,1200,1,8,8,0,0,0,beside,,,,,
11,4000,600,1200,1,8,8,0,0,0,inside,,,,,cooling
17,5300,60,600,0,1,0,0,0,0,soon,finn,fresh,,,
12,12000,60,600,0,1,0,0,0,0,late,carl,physics,,,
13,12000,60,600,0,1,0,0,0,0,late,,astro,,,
14,12000,60,600,0,1,0,0,0,0,late,erin,fresh,,,
15,12000,60,600,0,1,0,0,0,0,late,,fresh,,,
16,12000,60,600,0,1,0,0,0,0,late,root,root,,,
`

// A run makes what its machine file has before its first job, and Slurm keeps to it.
func TestRulesOfARun(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), file(t, "ruled.yaml", ruledMachine), file(t, "ruled.csv", ruledJobs), policy.WholeQueue, 0)
	c.Dir = run.OwnDir(t, "ruled")
	keepsToRules(t, carriedOut(t, c))
}

// The rules go on with a run that was stopped while jobs ran and one waited for their end, both reservations
// kept nodes, and users had not come yet.
func TestRulesGoOn(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), file(t, "ruled.yaml", ruledMachine), file(t, "ruled.csv", ruledJobs), policy.WholeQueue, 0)
	past := c
	past.Dir, past.StopAt = run.OwnDir(t, "past"), 4300
	past, record := punctual(t, past)
	if record.Status != trace.StatusIncomplete {
		t.Fatalf("stopped run is %s: %s", record.Status, record.Reason)
	}
	checkpoint, err := run.OpenCheckpoint(past.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.From = run.OwnDir(t, "future"), checkpoint
	keepsToRules(t, carriedOut(t, c))
}

// keepsToRules checks a run of ruledJobs on the ruledMachine.
func keepsToRules(t *testing.T, r metric.Result) {
	t.Helper()
	for i, want := range []struct{ account, qos string }{
		{"carl", "debug"}, {"carl", "debug"}, {"dora", "debug"}, {"physics", "normal"}, {"astro", "normal"}, {"root", "normal"}, {"root", "normal"},
		{"dora", "normal"}, {"root", "normal"}, {"root", "normal"}, {"root", "normal"},
		// A user whom the run makes, within an hour after the checkpoint, and others of that kind.
		{"fresh", "normal"},
		{"physics", "normal"}, {"astro", "normal"}, {"fresh", "normal"}, {"fresh", "normal"}, {"root", "normal"},
	} {
		if j := r.Jobs[i]; j.SlurmAccount != want.account || j.SlurmQOS != want.qos {
			t.Errorf("job %d has account %s and QOS %s, want %+v", j.ID, j.SlurmAccount, j.SlurmQOS, want)
		}
	}
	// Slurm looks at its queue every 30 s.
	const look = 60
	for _, j := range r.Jobs {
		waits := slices.Contains([]int{2, 5, 7}, j.ID)
		if waits && j.Waiting() < 600 || !waits && j.ID != 10 && j.Waiting() > look {
			t.Errorf("job %d, %s, waited %g s", j.ID, j.Class, j.Waiting())
		}
		if in := slices.Contains(j.Allocated, 3); j.ID == 8 != in && j.Start < 7200 {
			t.Errorf("job %d, %s, is on %v, want only job 8 on the node that is kept for dora", j.ID, j.Class, j.Allocated)
		}
	}
	// Jobs 9 and 10 want three nodes of two.
	if wide, beside := r.Jobs[8], r.Jobs[9]; beside.Start < wide.Finish || !slices.Equal(r.Jobs[10].Allocated, []int{2}) {
		t.Errorf("job 10 started at %g s on %v, job 9 ended at %g s; the job of the reservation is on %v", beside.Start, beside.Allocated, wide.Finish, r.Jobs[10].Allocated)
	}
	if got := groupNames(*r.Metrics, "qos"); !slices.Equal(got, []string{"debug", "normal"}) {
		t.Errorf("jobs by QOS are %q", got)
	}
}

// Of two users whose jobs want the whole machine the one who has used less comes first, although the other one was earlier.
func TestUsageAtTheStart(t *testing.T) {
	t.Parallel()
	const machine = `groups:
  - {name: thin, count: 2, cores: 8}
accounts:
  - {name: physics, users: [{name: anna, usage: 5000000}]}
  - {name: bio, users: [{name: eve}]}
`
	const jobs = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,user
1,0,600,1200,2,16,8,0,0,0,first,eve
2,10,600,1200,2,16,8,0,0,0,used,anna
3,20,600,1200,2,16,8,0,0,0,unused,eve
`
	c := config(t, backendtest.External(), file(t, "used.yaml", machine), file(t, "used.csv", jobs), policy.Auction, 0)
	c.Policy.Parameters.FairShare = 168 * time.Hour
	c.Dir = run.OwnDir(t, "used")
	if r := carriedOut(t, c); r.Jobs[1].Start < r.Jobs[2].Finish {
		t.Errorf("job 2 of the user with usage started at %g s, job 3 at %g s", r.Jobs[1].Start, r.Jobs[2].Start)
	}
}

// An agent knows limits before it releases a job, whatever program decides, and the auction also licences ("limits on jobs, as
// licences"). So none is released that Slurm leaves pending. Each limit lets one of two jobs run, as in TestRulesOfARun, and the record
// of a job that waits names its limit.
func TestLimitsUnderAnAgent(t *testing.T) {
	t.Parallel()
	machine, _, _ := strings.Cut(ruledMachine, "reservations:")
	for name, waiting := range map[string]map[int]string{
		policy.Auction: {2: "MaxJobsPerUser of QOS debug for carl", 5: "GrpTRES of account physics cpu", 7: ""},
		"exec:easy.py": {2: "MaxJobsPerUser of QOS debug for carl", 5: "GrpTRES of account physics cpu"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows []string
			for row := range strings.Lines(ruledJobs) {
				last := row[strings.LastIndex(row, ",")+1:]
				if licensed := strings.Contains(row, "matlab"); (last == "\n" || last == "reservation\n") && (name == policy.Auction || !licensed) {
					rows = append(rows, row)
				}
			}
			c := config(t, backendtest.External(), file(t, "ruled.yaml", machine), file(t, "ruled.csv", strings.Join(rows, "")), name, 0)
			if name != policy.Auction {
				decidedBy(t, &c, examples+"/easy.py")
			}
			c.Dir = run.OwnDir(t, "limited")
			keepsToLimits(t, carriedOut(t, c), waiting)
		})
	}
}

// keepsToLimits checks that the jobs with a limit waited for the end of another one, which the record of the run says, and no other job did.
func keepsToLimits(t *testing.T, r metric.Result, waiting map[int]string) {
	t.Helper()
	told := map[int]string{}
	for _, cycle := range r.Cycles {
		if len(cycle.Reheld)+len(cycle.Refused) > 0 {
			t.Errorf("cycle %d: held again %+v, refused %+v", cycle.Cycle, cycle.Reheld, cycle.Refused)
		}
		for _, u := range cycle.Unplaced {
			told[u.Job] += u.Reason
		}
	}
	for _, j := range r.Jobs {
		limit, waits := waiting[j.ID]
		if waits && j.Waiting() < 600 || !waits && j.Waiting() >= 600 {
			t.Errorf("job %d, %s, waited %g s", j.ID, j.Class, j.Waiting())
		}
		if !strings.Contains(told[j.ID], limit) || limit == "" && told[j.ID] != "" {
			t.Errorf("job %d: the record says %q, want the limit %q", j.ID, told[j.ID], limit)
		}
	}
	if p := r.Metrics.Placement; p == nil || p.Exact != len(r.Jobs) {
		t.Errorf("placement %+v, want all %d jobs as planned", p, len(r.Jobs))
	}
}
