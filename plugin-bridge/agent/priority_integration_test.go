//go:build integration

package agent_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Jobs with GPUs, blocks and all ways to ask for nodes.
const requests = `-n 8
-n 9
-n 64
-n 1
-N 4
-N 4 -n 16
-N 4 -n 16 --ntasks-per-node=4
-n 16 --ntasks-per-node=4
-n 16 --ntasks-per-node=4 --gres=gpu:2
-n 20 --gres=gpu:2
-N 2 --ntasks-per-node=3
-N 3 -n 7 --contiguous
-n 30 --contiguous
-N 2 -n 5 --gres=gpu:1-2
`

// The agent gives held jobs the priorities that sprio of the real Slurm shows of the same jobs once they are not
// held. Under priority/multifactor the jobs start in the order in which the agent releases them.
func TestMultifactorOnSlurm(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, testMultifactor)
}

func testMultifactor(t *testing.T, on backend.Backend) {
	t.Parallel()
	client, r := boot(t, on, slurm.WithMachine(8, 8, 2), slurm.WithPriority(priority.Multifactor))
	cluster := agent.NewSlurm(client, client).WithMultifactor()

	// Jobs that exclude each other, the least urgent ones first.
	r.shell(t, "submit 2 -J small -n 8 -t 10\n"+
		"submit 2 -J half -n 32 -t 10\nsubmit 2 -J all -n 64 -t 10\n")
	if _, err := cluster.State(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for i, request := range []machine.Request{{Tasks: 8, MinCores: 1}, {Tasks: 32, MinCores: 4}, {Tasks: 64, MinCores: 8}} {
		if err := cluster.Release(t.Context(), i+1, agent.Plan{Nodes: all, Request: request}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the jobs end", func() bool { return r.shell(t, "squeue -h\n") == "" })
	details, err := client.JobDetails(t.Context(), 1, 2, 3)
	if err != nil || len(details) != 3 {
		t.Fatalf("%+v, %v", details, err)
	}
	// The two that fit side by side may start together, the third may not.
	if a, b, c := details[0].Start, details[1].Start, details[2].Start; b.Before(a) || !c.After(b) {
		t.Errorf("the jobs started at %v, %v and %v, want the order of their release", a, b, c)
	}

	// A job that keeps all others waiting.
	r.release(t, strings.TrimSpace(r.shell(t, "submit 3000 --parsable -J blocker -n 64 -t 60\n")))
	until(t, "the blocker runs", func() bool { return r.shell(t, "squeue -h -t R -o %j\n") == "blocker\n" })
	var submit strings.Builder
	for line := range strings.Lines(requests) {
		fmt.Fprintf(&submit, "submit 3 -J job -t 10 %s", line)
	}
	r.shell(t, submit.String())
	state, err := cluster.State(t.Context())
	if err != nil || len(state.Held) != strings.Count(requests, "\n") {
		t.Fatalf("%d jobs are held, %v", len(state.Held), err)
	}
	for _, h := range state.Held {
		r.release(t, strconv.Itoa(h.ID))
	}

	// Slurm recomputes priorities once a minute; until then all ages are 0.
	shown, ages := map[int]int{}, map[int]time.Duration{}
	until(t, "all jobs have aged", func() bool {
		clear(shown)
		aged := 0
		for line := range strings.Lines(r.shell(t, "sprio -h -o '%i %Y %a'\n")) {
			var id, p int
			var factor float64
			if _, err := fmt.Sscan(line, &id, &p, &factor); err != nil {
				t.Fatalf("sprio: %q: %v", line, err)
			}
			// Seven digits of a week are seconds.
			shown[id], ages[id] = p, time.Duration(math.Round(factor*priority.IPSCHED().MaxAge.Seconds()))*time.Second
			if factor > 0 {
				aged++
			}
		}
		return aged == len(state.Held)
	})
	c := &odd{nodes: state.Nodes, held: state.Held}
	for i := range c.held {
		c.held[i].Submit = epoch.Add(-ages[c.held[i].ID])
		c.held[i].Job = c.held[i].ID
	}
	s, _ := decided(t, c, agent.Settings{
		Auction: auctiontest.Options(),
		Window:  len(c.held), Priority: priority.Multifactor, Now: func() time.Time { return epoch },
	}, auction.Result{})
	for _, j := range s.Jobs {
		if int(j.Priority) != shown[j.ID] {
			t.Errorf("job %d (%+v) after %v has priority %g, Slurm says %d", j.ID, j, ages[j.ID], j.Priority, shown[j.ID])
		}
	}
	t.Logf("priorities of sprio: %v", shown)
}

// sized are ways to ask for cores and nodes with what Slurm makes of them: the least
// number of nodes, the cores, and the limit in whole minutes.
var sized = []struct {
	request string
	nodes   int
	cores   int
	minutes int
}{
	{"-n 8 -t 10", 1, 8, 10},
	{"-n 9 -t 10", 1, 9, 10},
	{"-n 64 -t 1", 1, 64, 1},
	{"-n 1 -t 1-0", 1, 1, 1440},
	{"-N 4 -t 17", 4, 4, 17},
	{"-N 4 -n 16 -t 0:20", 4, 16, 1},
	{"-N 4 -n 16 -t 1:30", 4, 16, 2},
	{"-N 2 --ntasks-per-node=3 -t 45", 2, 6, 45},
	{"-N 8 -n 8 -t 7", 8, 8, 7},
	{"-n 33 -t 0:59:59", 1, 33, 60},
}

// PriorityFlags=SMALL_RELATIVE_TO_TIME: sprio of the real Slurm shows the whole numbers of
// priority.RelativeSize, for sizes in cores and in nodes and for limits that are no whole
// minutes.
func TestSizeByTimeOnSlurm(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, testSizeByTime)
}

func testSizeByTime(t *testing.T, on backend.Backend) {
	t.Parallel()
	if on == backendtest.FrontEnd() {
		hosttest.Long(t, "compares priorities by size and time limit on a front end")
	}
	p, err := policy.Find(policy.Backfill)
	if err != nil {
		t.Fatal(err)
	}
	r := runner{backendtest.Start(t, on, slurm.WithMachine(8, 8, 0), slurm.WithScheduler(p.Scheduler), slurm.WithPriority(p.Priority))}
	r.shell(t, "submit 3000 -J blocker -n 64 -t 60\n")
	until(t, "the blocker runs", func() bool { return r.shell(t, "squeue -h -t R -o %j\n") == "blocker\n" })
	var submit strings.Builder
	for i, job := range sized {
		fmt.Fprintf(&submit, "submit 3 -J %d %s\n", i, job.request)
	}
	r.shell(t, submit.String())
	index := map[int]int{}
	for line := range strings.Lines(r.shell(t, "squeue -h -t PD -o '%i %j'\n")) {
		var id, i int
		if _, err := fmt.Sscan(line, &id, &i); err != nil {
			t.Fatalf("squeue: %q: %v", line, err)
		}
		index[id] = i
	}
	if len(index) != len(sized) {
		t.Fatalf("%d jobs wait, want %d", len(index), len(sized))
	}
	weights, m := priority.RelativeSize(), priority.Machine{Nodes: 8, Cores: 64}
	// Slurm recomputes priorities once a minute.
	until(t, "all jobs have aged", func() bool {
		aged := 0
		for line := range strings.Lines(r.shell(t, "sprio -h -o '%i %Y %a'\n")) {
			var id, shown int
			var factor float64
			if _, err := fmt.Sscan(line, &id, &shown, &factor); err != nil {
				t.Fatalf("sprio: %q: %v", line, err)
			}
			job := sized[index[id]]
			// Seven digits of a day are less than a second.
			age := time.Duration(math.Round(factor*weights.MaxAge.Seconds())) * time.Second
			if got := weights.Of(priority.WaitingJob{
				Age: age, Nodes: job.nodes, Cores: job.cores, Limit: time.Duration(job.minutes) * time.Minute,
			}, m); got != shown {
				t.Errorf("%s after %v: priority %d, Slurm says %d", job.request, age, got, shown)
			}
			if age > 0 {
				aged++
			}
		}
		return aged == len(sized) || t.Failed()
	})
}
