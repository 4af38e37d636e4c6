//go:build integration

package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// submit hands in a sleeping job whose name is a number, which the agent takes
// for the workload's id.
func (r runner) submit(t *testing.T, name int, options string) {
	t.Helper()
	r.shell(t, fmt.Sprintf("submit 3000 --parsable -J %d -t 60 -o /dev/null %s\n", name, options))
}

func released(record trace.Cycle) []int {
	var jobs []int
	for _, x := range record.Released {
		jobs = append(jobs, x.Job)
	}
	slices.Sort(jobs)
	return jobs
}

// verified runs a cycle that finds the given number of placements, all exact.
func verified(t *testing.T, a *agent.Agent, r runner, jobs int) trace.Cycle {
	t.Helper()
	until(t, "the released jobs run", func() bool {
		return strings.Count(r.shell(t, "squeue -h -t R -o %T\n"), "RUNNING") == jobs
	})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Checked) != jobs {
		t.Fatalf("%+v, %v, want %d placements", record, err, jobs)
	}
	for _, p := range record.Checked {
		if !p.Exact {
			t.Errorf("job %d: planned %s, got %s", p.Job, p.Planned, p.Actual)
		}
	}
	return record
}

// AUCSCHED2 section 3 on an unmodified Slurm: "allows the job to request at least
// zmin, at most zmax GPUs per node". Job 1 gets what job 2 leaves.
func TestGPURangeOnSlurm(t *testing.T) {
	backendtest.Each(t, testGPURange)
}

func testGPURange(t *testing.T, on backend.Backend) {
	t.Parallel()
	client, r := boot(t, on, slurm.WithMachine(4, 8, 3))
	r.submit(t, 1, "-N 2 -n 8 --ntasks-per-node=4 --gres=gpu:1-3")
	r.submit(t, 2, "-N 4 -n 8 --ntasks-per-node=2 --gres=gpu:1")
	cluster := agent.NewSlurm(client, client)
	state, err := cluster.State(t.Context())
	if err != nil || len(state.Held) != 2 || state.Held[0].Request.GPUs != 1 || state.Held[0].Request.MaxGPUs != 3 {
		t.Fatalf("held %+v, %v, want a range of 1 to 3 GPUs", state.Held, err)
	}
	a := agent.New(cluster, auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 2}) {
		t.Fatalf("%+v, %v, want both jobs released", record, err)
	}
	verified(t, a, r, 2)
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range details {
		if want := map[string]int{"1": 2 * 2, "2": 4}[d.Name]; d.AllocGPUs != want {
			t.Errorf("job %s has %d GPUs, want %d", d.Name, d.AllocGPUs, want)
		}
	}
	for _, wrong := range []string{"0-2", "3-1"} {
		out := r.shell(t, fmt.Sprintf("submit 1 -n 1 --gres=gpu:%s 2>&1 || true\n", wrong))
		if !strings.Contains(out, "want a range from at least 1 upwards") {
			t.Errorf("gpu:%s: sbatch says %q", wrong, out)
		}
	}
}

// "If a job requests that the number of nodes it gets is between some limits, these limits are enforced by (5)"
// (IPSCHED section III). IPSCHED chooses the number within sbatch's -N, and Slurm gives it. The auction takes the
// least number that holds the cores, and says so.
func TestNodeRangesOnSlurm(t *testing.T) {
	backendtest.Each(t, testNodeRanges)
}

func testNodeRanges(t *testing.T, on backend.Backend) {
	t.Parallel()
	if on == backendtest.FrontEnd() {
		hosttest.Long(t, "places jobs with ranges of nodes on a front end")
	}
	client, r := boot(t, on, slurm.WithMachine(4, 4, 0))
	r.submit(t, 1, "-N 2-3 -n 4")
	r.submit(t, 2, "-N 1-2 -n 6")
	cluster := agent.NewSlurm(client, client)
	state, err := cluster.State(t.Context())
	if err != nil || len(state.Held) != 2 || state.Held[0].Request.Nodes != 2 || state.Held[0].Request.MaxNodes != 3 {
		t.Fatalf("held %+v, %v, want a range of 2 to 3 nodes", state.Held, err)
	}
	ipsched := papers.NewIPSCHED(papers.DeciderOptions{
		Limit: time.Hour,
		Solve: func(ctx context.Context, p program.Program, _ []float64, _ time.Duration) (program.Solution, error) {
			return auctiontest.ExhaustiveProgram{}.Solve(ctx, p)
		},
	})
	a := agent.New(cluster, nil, agent.Settings{Decider: ipsched, Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 2}) || len(record.Narrowed) > 0 {
		t.Fatalf("%+v, %v, want both jobs released", record, err)
	}
	verified(t, a, r, 2)
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range details {
		// Few nodes are better to the program: the least of the one, what the cores of
		// the other need.
		if got := strings.Count(r.shell(t, "scontrol show hostnames "+d.NodeList+"\n"), "\n"); got != 2 {
			t.Errorf("job %s has %d nodes, want 2", d.Name, got)
		}
	}
	r.submit(t, 3, "-N 1-2 -n 2")
	a = agent.New(cluster, auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err = a.Cycle(t.Context(), 0)
	told := []trace.Refusal{{Job: 3, Reason: "of 1 to 2 nodes it gets 1"}}
	if err != nil || !slices.Equal(released(record), []int{3}) || !slices.Equal(record.Narrowed, told) {
		t.Errorf("%+v, %v, want job 3 released on one node", record, err)
	}
}

// Each option of a job is honoured by the bids, and what Slurm makes of the bid
// is what was planned.
func TestOptionsOnSlurm(t *testing.T) {
	t.Parallel()
	client, r := start(t, 8, 8, 2)
	r.shell(t, "scontrol update NodeName=n[7-8] AvailableFeatures=fast,big ActiveFeatures=fast,big\n")
	r.submit(t, 1, "-n 4 --exclusive -w n2")
	r.submit(t, 2, "-n 8 -N 1 -C 'fast&big'")
	r.submit(t, 3, "-n 12 -N 3 --ntasks-per-node=4 -w n3,n5 -x n4")
	r.submit(t, 4, "-n 2 -C 'fast|big'")
	r.submit(t, 5, "-n 2 -d afterany:1")
	r.submit(t, 6, "-n 2 -c 2")
	r.submit(t, 7, "-n 2 --mem=1 -p main -x n[1-5]")
	a := agent.New(agent.NewSlurm(client, client), auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 2, 3, 4, 7}) {
		t.Fatalf("%+v, %v, want jobs 1, 2, 3, 4 and 7 released", record, err)
	}
	var unplaced []int
	for _, u := range record.Unplaced {
		unplaced = append(unplaced, u.Job)
	}
	if !slices.Equal(unplaced, []int{6}) {
		t.Errorf("unplaced %+v, want job 6", record.Unplaced)
	}
	if record = verified(t, a, r, 5); len(record.Released) != 0 {
		t.Errorf("released %+v: job 5 still waits for job 1", record.Released)
	}
	r.shell(t, "scancel -n 1\n")
	r.releasedLater(t, a, 5)
}

// releasedLater runs cycles until a job is released.
func (r runner) releasedLater(t *testing.T, a *agent.Agent, job int) {
	t.Helper()
	until(t, fmt.Sprintf("job %d is released", job), func() bool {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(released(record), job)
	})
}

// The winners hold no more licences than there are, whether the job before them
// is in flight or running.
func TestLicencesOnSlurm(t *testing.T) {
	t.Parallel()
	// Without GPUs, because reconfiguring registers the nodes again, which would
	// kill jobs on nodes with GPUs.
	client, r := start(t, 4, 8, 0)
	r.shell(t, "echo Licenses=matlab:3 >> /etc/slurm/slurm.conf\nscontrol reconfigure\n")
	until(t, "Slurm knows the licence", func() bool {
		licences, err := client.Licences(t.Context())
		return err == nil && len(licences) == 1 && licences[0].Free == 3
	})
	r.submit(t, 1, "-n 2 -L matlab:2")
	r.submit(t, 2, "-n 2 -L matlab:2")
	r.submit(t, 3, "-n 2 -L matlab")
	a := agent.New(agent.NewSlurm(client, client), auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 3}) {
		t.Fatalf("%+v, %v, want jobs 1 and 3 released", record, err)
	}
	if record = verified(t, a, r, 2); len(record.Released) != 0 {
		t.Errorf("released %+v: there is no licence for job 2", record.Released)
	}
	r.shell(t, "scancel -n 1\n")
	r.releasedLater(t, a, 2)
}

// Slurm starts no job on a node of a reservation that the job does not name and would run into. It starts none of a
// reservation elsewhere (job_test_resv in src/slurmctld/reservation.c). What the agent releases starts at once, on
// the planned nodes.
func TestReservationsOnSlurm(t *testing.T) {
	t.Parallel()
	client, r := start(t, 4, 8, 0)
	r.shell(t, `scontrol create reservation ReservationName=course StartTime=now Duration=120 Nodes=n[1-2] Users=root
scontrol create reservation ReservationName=later StartTime=now+30minutes Duration=120 Nodes=n3 Users=root
`)
	r.submit(t, 1, "-n 8 -N 1")
	r.submit(t, 2, "-n 8 -N 1")
	r.submit(t, 3, "-n 12 -N 2 --reservation=course")
	r.submit(t, 4, "-n 8 -N 1 -t 10")
	a := agent.New(agent.NewSlurm(client, client), auctiontest.Exhaustive{},
		agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100, Now: time.Now})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 3, 4}) {
		t.Fatalf("%+v, %v, want jobs 1, 3 and 4 released", record, err)
	}
	if record = verified(t, a, r, 3); len(record.Released) != 0 {
		t.Errorf("released %+v: there is no node for job 2", record.Released)
	}
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range details {
		if want := map[string]string{"1": "n4", "3": "n[1-2]", "4": "n3"}[d.Name]; d.NodeList != want {
			t.Errorf("job %s runs on %q, want %q", d.Name, d.NodeList, want)
		}
	}
	// n3 is free, and kept for what begins before the job would end.
	r.shell(t, "scancel -n 4\n")
	until(t, "n3 is idle", func() bool {
		nodes, readErr := client.Nodes(t.Context())
		return readErr == nil && nodes[2].AllocCPUs == 0 && nodes[2].Available()
	})
	if record, err = a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 0 || !a.Settled() || a.Next().IsZero() {
		t.Errorf("%+v, %v, settled %v until %v, want no release until a reservation begins or ends", record, err, a.Settled(), a.Next())
	}
	r.shell(t, "scontrol delete ReservationName=later\n")
	r.releasedLater(t, a, 2)
	// Slurm holds a job that waits when its reservation is over, also under its own schedulers, until somebody releases it
	// (_foreach_clear_job_resv). It looks every 30 s whether one is over, and keeps one in which a job runs still (job_resv_check).
	r.submit(t, 5, "-n 16 -N 2 --reservation=course")
	r.shell(t, "scancel -n 3\nscontrol update ReservationName=course EndTime=now+3\n")
	until(t, "the reservation is gone", func() bool {
		all, readErr := client.Reservations(t.Context())
		return readErr == nil && len(all) == 0
	})
	if state := strings.TrimSpace(r.shell(t, "squeue --noheader --name=5 --format='%T %r'\n")); state != "RESV_DEL_HOLD Reservation course was deleted" {
		t.Errorf("job 5 is %s, want it held by Slurm", state)
	}
	record, err = a.Cycle(t.Context(), 0)
	if err != nil || len(record.Released) != 0 || len(record.Unplaced) != 1 || !strings.Contains(record.Unplaced[0].Reason, "its reservation course is over") {
		t.Errorf("%+v, %v, want job 5 named with the reason", record, err)
	}
	until(t, "the agent is settled", func() bool {
		_, cycleErr := a.Cycle(t.Context(), 0)
		return cycleErr == nil && a.Settled()
	})
}

// AUCSCHED section 7: "depending on the availability the job can be allocated
// just cores or cores and GPUs for its execution". Job 1 takes all GPUs, so job 2
// gets its alternative without; job 3 would not fit the machine as it is.
func TestAlternativesOnSlurm(t *testing.T) {
	t.Parallel()
	client, r := start(t, 2, 8, 2)
	r.submit(t, 1, "-N 2 -n 2 --gres=gpu:2")
	r.submit(t, 2, "-N 2 -n 2 --gres=gpu:1 --comment='slurmlab alt: -n 14'")
	r.submit(t, 3, "-n 17 --comment='slurmlab alt: -N 2 --ntasks-per-node=2 --gres=gpu:1-2'")
	a := agent.New(agent.NewSlurm(client, client), auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 2}) {
		t.Fatalf("%+v, %v, want jobs 1 and 2 released", record, err)
	}
	verified(t, a, r, 2)
	r.shell(t, "scancel -n 1\nscancel -n 2\n")
	r.releasedLater(t, a, 3)
	verified(t, a, r, 1)
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range details {
		if want := map[string]int{"1": 4, "2": 0, "3": 4}[d.Name]; d.AllocGPUs != want {
			t.Errorf("job %s has %d GPUs, want %d", d.Name, d.AllocGPUs, want)
		}
	}
	// An owner, who is not root, must not change what the plugin has read.
	out := r.shell(t, `useradd user 2>/dev/null || true
su user -c "submit 1 --parsable -n 1 -o /dev/null --comment='slurmlab alt: -n 2'" > /tmp/id
su user -c "scontrol update JobId=$(cat /tmp/id) Comment=other" 2>&1 || true
`)
	if !strings.Contains(out, "its alternatives cannot be changed") {
		t.Errorf("scontrol says %q", out)
	}
}

// A job of two partitions is released in one of them. Held again, it can be released in the other one: the note keeps what it asked for.
func TestSeveralPartitionsOnSlurm(t *testing.T) {
	t.Parallel()
	group := func(name string) layout.Group {
		return layout.Group{Name: name, Count: 1, Sockets: 1, Cores: 4, Threads: 1, Weight: 1}
	}
	partition := func(name string) layout.Partition {
		return layout.Partition{Name: name, Groups: []string{name}, Default: name == "a", PriorityTier: 1, PriorityJobFactor: 1}
	}
	client, r := boot(t, backendtest.External(), slurm.WithMachine(2, 4, 0), slurm.WithLayout(layout.Layout{
		Groups: []layout.Group{group("a"), group("b")}, Partitions: []layout.Partition{partition("a"), partition("b")},
	}))
	r.submit(t, 1, "-N 1 -n 4 -p a")
	r.submit(t, 2, "-N 1 -n 4 -p a,b")
	cluster := agent.NewSlurm(client, client)
	state, err := cluster.State(t.Context())
	if err != nil || len(state.Held) != 2 || len(state.Held[1].Within) != 2 {
		t.Fatalf("held %+v, %v, want job 2 in two partitions", state.Held, err)
	}
	plan := func(node int, partition string) agent.Plan {
		return agent.Plan{Nodes: []int{node}, Request: machine.Request{Tasks: 4, MinCores: 4}, Partition: partition}
	}
	if err = cluster.Release(t.Context(), state.Held[0].ID, plan(0, "")); err != nil {
		t.Fatal(err)
	}
	until(t, "job 1 runs", func() bool { return r.shell(t, "squeue -h -t R -o %j\n") == "1\n" })
	// Partition a has no free node, so that the job waits there.
	if err = cluster.Release(t.Context(), state.Held[1].ID, plan(0, "a")); err != nil {
		t.Fatal(err)
	}
	if err = cluster.Hold(t.Context(), state.Held[1].ID); err != nil {
		t.Fatal(err)
	}
	a := agent.New(cluster, packing.QuickSolver{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{2}) {
		t.Fatalf("%+v, %v, want job 2 released", record, err)
	}
	until(t, "job 2 runs in partition b on n2", func() bool { return r.shell(t, "squeue -h -t R -n 2 -o '%P %N'\n") == "b n2\n" })
}

// In a partition of whole nodes (OverSubscribe=EXCLUSIVE) people's jobs need not ask for --exclusive: the agent plans whole nodes for them,
// and so no second job for a node that Slurm gives to one.
func TestWholeNodePartitionOnSlurm(t *testing.T) {
	t.Parallel()
	client, r := boot(t, backendtest.External(), slurm.WithMachine(2, 4, 0), slurm.WithLayout(layout.Layout{
		Groups: []layout.Group{{Name: "g", Count: 2, Sockets: 1, Cores: 4, Threads: 1, Weight: 1}},
		Partitions: []layout.Partition{{
			Name: "whole", Groups: []string{"g"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1,
			Settings: map[string]string{"OverSubscribe": layout.WholeNodes},
		}},
	}))
	for job := range 3 {
		r.submit(t, job+1, "-n 1")
	}
	cluster := agent.NewSlurm(client, client).ForPeople().WithRules(agent.Rules{Partitions: map[string]agent.Partition{"whole": {WholeNodes: true}}})
	a := agent.New(cluster, packing.QuickSolver{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Released) != 2 {
		t.Fatalf("%+v, %v, want two jobs released, one for each node", record, err)
	}
	verified(t, a, r, 2)
	if got := r.shell(t, "squeue -h -t R -o %C | sort -u\n"); got != "4\n" {
		t.Errorf("the jobs have %q cores, want all 4 of their nodes", got)
	}
}
