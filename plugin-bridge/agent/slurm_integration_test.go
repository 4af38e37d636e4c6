//go:build integration

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// runner makes a container a slurmctl.Runner.
type runner struct{ *slurm.Container }

func (r runner) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	out, err := r.Container.Run(ctx, stdin, argv...)
	var exit *slurm.ExitError
	if errors.As(err, &exit) {
		return out, &slurmctl.CommandError{Argv: exit.Argv, ExitCode: exit.Code, Stderr: exit.Stderr}
	}
	return out, err
}

// start boots a cluster of the quick kind whose jobs are held for us, its nodes below
// switches of the given levels.
func start(t *testing.T, nodes, cores, gpus int, levels ...int) (*slurmctl.Client, runner) {
	t.Helper()
	return boot(t, backendtest.Quick(), slurm.WithMachine(nodes, cores, gpus), slurm.WithSwitches(levels...))
}

// boot is start with a kind and the options of a cluster.
func boot(t *testing.T, on backend.Backend, options ...testcontainers.ContainerCustomizer) (*slurmctl.Client, runner) {
	t.Helper()
	auction, err := policy.Find(policy.Auction)
	if err != nil {
		t.Fatal(err)
	}
	r := runner{backendtest.Start(t, on, append(options, slurm.WithScheduler(auction.Scheduler))...)}
	return &slurmctl.Client{Runner: r}, r
}

// shell runs a script of Slurm commands in the container: one exec for many.
func (r runner) shell(t *testing.T, script string) string {
	t.Helper()
	out, err := r.Run(t.Context(), []byte(script), "bash", "-e", "-s")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// release starts held jobs as the agent does, who says before that it is the one.
func (r runner) release(t *testing.T, jobs string) {
	t.Helper()
	r.shell(t, fmt.Sprintf("scontrol update JobId=%[1]s ResetAccrueTime\nscontrol release %[1]s\n", jobs))
}

// until asks until the answer is good. Slurm may take a minute (sched_interval)
// to look at a job again whose release it did not notice.
func until(t *testing.T, what string, ask func() bool) {
	t.Helper()
	hosttest.Until(t, what, ask)
}

// placed is a generated case of the placement rule.
type placed struct {
	first   int // 0-based index of its first node
	free    []int
	request machine.Request
	want    []int
}

// cases draws requests that the rule accepts, each on nodes of its own.
func cases(random *rand.Rand, cores, nodes int) []placed {
	var list []placed
	for first := 0; ; {
		k := 1 + random.IntN(5)
		if first+k > nodes {
			return list
		}
		free := make([]int, k)
		sum := 0
		for i := range free {
			free[i] = 1 + random.IntN(cores)
			sum += free[i]
		}
		request := machine.Request{Tasks: k + random.IntN(sum-k+1)}
		switch random.IntN(3) {
		case 0:
			t := slices.Min(free)
			request = machine.Request{Tasks: t * k, TasksPerNode: t}
		case 1:
			request.MinCores = 1 + random.IntN(min(slices.Min(free), request.Tasks/k))
		}
		want, err := machine.Place(free, request)
		if err != nil {
			continue
		}
		list = append(list, placed{first: first, free: free, request: request, want: want})
		first += k
	}
}

// The rule of machine.Place is what the real Slurm does: generated requests on
// nodes with generated numbers of free cores. A tree of switches changes nothing.
func TestPlacementRuleOnSlurm(t *testing.T) {
	t.Parallel()
	t.Run("flat", func(t *testing.T) { checkPlacementRule(t) })
	t.Run("tree", func(t *testing.T) { checkPlacementRule(t, 4, 16, 240) })
}

func checkPlacementRule(t *testing.T, levels ...int) {
	t.Parallel()
	const nodes, cores = 240, 12
	client, r := start(t, nodes, cores, 2, levels...)
	// Fixed, so that a failure can be repeated; the cases cover all three forms.
	list := cases(rand.New(rand.NewPCG(1, 2)), cores, nodes)

	var fill strings.Builder
	for _, c := range list {
		for i, f := range c.free {
			if busy := cores - f; busy > 0 {
				fmt.Fprintf(&fill, "submit 3000 --parsable -J fill -n %d -N 1 -w n%d -t 60 -o /dev/null\n", busy, c.first+i+1)
			}
		}
	}
	fillers := strings.Fields(r.shell(t, fill.String()))
	r.release(t, strings.Join(fillers, ","))
	until(t, "the fillers run", func() bool {
		return strings.Count(r.shell(t, "squeue -h -t R -o %T\n"), "RUNNING") == len(fillers)
	})

	var submit strings.Builder
	for i, c := range list {
		fmt.Fprintf(&submit, "submit 3000 --parsable -J case%d -n %d -t 60 -o /dev/null\n", i, c.request.Tasks)
	}
	ids := strings.Fields(r.shell(t, submit.String()))
	if len(ids) != len(list) {
		t.Fatalf("submitted %d of %d cases", len(ids), len(list))
	}
	var commands strings.Builder
	byID := map[int]placed{}
	for i, c := range list {
		id, err := strconv.Atoi(ids[i])
		if err != nil {
			t.Fatal(err)
		}
		byID[id] = c
		p := slurmctl.JobUpdate{JobID: id, Tasks: c.request.Tasks, TasksPerNode: c.request.TasksPerNode}
		if p.TasksPerNode == 0 {
			p.MinCPUsNode = max(1, c.request.MinCores)
		}
		for j := range c.free {
			p.Nodes = append(p.Nodes, fmt.Sprintf("n%d", c.first+j+1))
		}
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, command := range append(slurmctl.UpdateCommands(p), slurmctl.ReleaseCommand(id)) {
			fmt.Fprintf(&commands, "scontrol %s\n", command)
		}
	}
	r.shell(t, commands.String())
	until(t, "all cases run", func() bool {
		return strings.Count(r.shell(t, "squeue -h -t R -o %T\n"), "RUNNING") == len(fillers)+len(list)
	})
	details, err := client.JobDetails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, d := range details {
		c, isCase := byID[d.ID]
		if !isCase {
			continue
		}
		checked++
		var got []int
		for _, a := range d.Allocations {
			got = append(got, a.Cores)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("free %v, %+v: Slurm took %v, the rule says %v", c.free, c.request, got, c.want)
		}
	}
	if checked != len(list) || checked < 60 {
		t.Errorf("checked %d of %d cases, want all and at least 60", checked, len(list))
	}
	t.Logf("%d cases agree", checked)
}

// The example of AUCSCHED figures 3 to 5: 144 nodes, of which 1-64 and 81-144
// are free, and four jobs. "Figure 4 shows the outcome of this allocation [...]
// it can be seen that this allocation is the optimal allocation": all four run.
func TestFigures3To5OnSlurm(t *testing.T) {
	t.Parallel()
	client, r := start(t, 144, 8, 2)
	r.shell(t, `scontrol update NodeName=n[65-80] State=DRAIN Reason=busy
submit 3000 --parsable -J 1 -n 512 -t 60 -o /dev/null
submit 3000 --parsable -J 2 -n 128 -N 64 --ntasks-per-node=2 --gres=gpu:1 -t 60 -o /dev/null
submit 3000 --parsable -J 3 -n 256 -N 64 --ntasks-per-node=4 --gres=gpu:2 -t 60 -o /dev/null
submit 3000 --parsable -J 4 -n 128 -N 128 --ntasks-per-node=1 -t 60 -o /dev/null
`)
	// HiGHS is not linked in here; package highs solves the same instance in its
	// own tests.
	a := agent.New(agent.NewSlurm(client, client), packing.QuickSolver{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(record.Released) != 4 {
		t.Fatalf("released %+v, want all four jobs", record.Released)
	}
	until(t, "all four jobs run at once", func() bool {
		return strings.Count(r.shell(t, "squeue -h -t R -o %T\n"), "RUNNING") == 4
	})
	record, err = a.Cycle(t.Context(), 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(record.Checked) != 4 {
		t.Errorf("checked %d placements, want 4", len(record.Checked))
	}
	for _, p := range record.Checked {
		if !p.Exact {
			t.Errorf("job %d: planned %s, got %s", p.Job, p.Planned, p.Actual)
		}
	}
}

// A released job that cannot start goes back to the window after its patience
// is over, and its request is still the one it was submitted with.
func TestReheldJobReturnsToTheWindow(t *testing.T) {
	t.Parallel()
	client, r := start(t, 4, 8, 2)
	r.shell(t, "submit 3000 --parsable -J 7 -n 16 -t 60 -o /dev/null\n")
	cluster := agent.NewSlurm(client, client)
	a := agent.New(cluster, auctiontest.Greedy{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 2})
	// The first cycle releases the job onto nodes that are then taken away.
	before, err := cluster.State(t.Context())
	if err != nil || len(before.Held) != 1 {
		t.Fatalf("held jobs %+v, %v", before.Held, err)
	}
	r.shell(t, "scontrol update PartitionName=main State=DOWN\n")
	if record, cycleErr := a.Cycle(t.Context(), 0); cycleErr != nil || len(record.Released) != 1 {
		t.Fatalf("first cycle: %+v, %v", record, cycleErr)
	}
	if record, cycleErr := a.Cycle(t.Context(), 0); cycleErr != nil || len(record.Reheld) != 0 {
		t.Fatalf("second cycle: %+v, %v", record, cycleErr)
	}
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Reheld) != 1 || record.Reheld[0].Job != 7 {
		t.Fatalf("third cycle: %+v, %v, want job 7 held again", record, err)
	}
	after, err := cluster.State(t.Context())
	if err != nil || len(after.Held) != 1 {
		t.Fatalf("held jobs %+v, %v", after.Held, err)
	}
	after.Held[0].Reason = before.Held[0].Reason
	if !reflect.DeepEqual(after.Held[0], before.Held[0]) {
		t.Errorf("the request became %+v, want %+v", after.Held[0], before.Held[0])
	}
	r.shell(t, "scontrol update PartitionName=main State=UP\n")
	if record, err = a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 {
		t.Fatalf("fourth cycle: %+v, %v", record, err)
	}
	until(t, "the job runs", func() bool {
		return strings.Contains(r.shell(t, "squeue -h -t R -o %T\n"), "RUNNING")
	})
	record, err = a.Cycle(t.Context(), 0)
	if err != nil || len(record.Checked) != 1 || !record.Checked[0].Exact {
		t.Errorf("fifth cycle: %+v, %v, want one exact placement", record, err)
	}
}
