package agent_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// decider is an agent.Decider made of two functions; obstacle may be nil.
type decider struct {
	decide   func(s auction.Snapshot, bids int) (auction.Result, error)
	obstacle func(j bidding.Job) string
}

func (d decider) Decide(_ context.Context, s auction.Snapshot, bids int) (auction.Result, error) {
	return d.decide(s, bids)
}

func (decider) Choices() bidding.Choices { return bidding.Choices{} }

func (d decider) Obstacle(j bidding.Job, _ []machine.Node) string {
	if d.obstacle == nil {
		return ""
	}
	return d.obstacle(j)
}

// odd is a cluster in memory with one oddity: it may refuse every release,
// start nothing, hold what was released, forget started jobs or place them
// otherwise than asked. What Slurm does when nothing is odd is tested on the
// real one (slurm_integration_test.go).
type odd struct {
	refuse, stuck, holds, forgets, shifts, transient bool
	broken                                           error

	nodes   []machine.Node
	held    []agent.HeldJob
	pending []int
	running map[int]agent.Allocated
	gpus    map[int]int
	plans   map[int]agent.Plan
	asked   []int // the jobs that were to be held
	// licences are the free ones; running jobs do not hold any.
	licences machine.Licences
	reserved []agent.NodeReservation
}

// epoch is when the runs of these tests begin, on the clock of Slurm's records.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newOdd(nodes, cores, gpus int, held ...agent.HeldJob) *odd {
	c := &odd{held: held, running: map[int]agent.Allocated{}, gpus: map[int]int{}, plans: map[int]agent.Plan{}}
	for i := range nodes {
		c.nodes = append(c.nodes, machine.Node{
			Name: "n" + string(rune('1'+i)), Cores: cores, GPUs: gpus, FreeCores: cores, FreeGPUs: gpus,
		})
	}
	for _, h := range held {
		c.gpus[h.ID] = h.Request.GPUs
	}
	return c
}

func (c *odd) State(context.Context) (agent.State, error) {
	if c.broken != nil {
		return agent.State{}, c.broken
	}
	var running []agent.RunningJob
	for _, id := range slices.Sorted(maps.Keys(c.running)) {
		p := c.running[id]
		held := machine.Allocation{Nodes: p.Nodes, Cores: p.Cores, GPUs: c.gpus[id]}
		running = append(running, agent.RunningJob{
			ID: id, Holding: machine.Holding{Job: id, Allocation: held}, Started: epoch, Limit: time.Minute,
		})
	}
	return agent.State{
		Running: running,
		Nodes:   slices.Clone(c.nodes), Held: slices.Clone(c.held), Pending: slices.Clone(c.pending), Transient: c.transient,
		Licences: c.licences, Reservations: c.reserved,
	}, nil
}

func (c *odd) Allocated(_ context.Context, ids []int) (map[int]agent.Allocated, error) {
	found := map[int]agent.Allocated{}
	for _, id := range ids {
		if p, ok := c.running[id]; ok && !c.forgets {
			found[id] = p
		}
	}
	return found, nil
}

func (c *odd) Release(_ context.Context, id int, p agent.Plan) error {
	if c.refuse {
		return &slurmctl.RefusedError{Message: "Requested node configuration is not available"}
	}
	c.plans[id] = p
	if p.GPUs > 0 {
		c.gpus[id] = p.GPUs
	}
	if c.holds {
		return nil
	}
	c.held = slices.DeleteFunc(c.held, func(h agent.HeldJob) bool { return h.ID == id })
	c.pending = append(c.pending, id)
	if !c.stuck {
		c.start(id)
	}
	return nil
}

// start runs a released job as Slurm would, by the placement rule.
func (c *odd) start(id int) {
	p := c.plans[id]
	free := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		free[i] = c.nodes[n].FreeCores
	}
	cores, err := machine.Place(free, p.Request)
	if err != nil {
		return
	}
	for i, n := range p.Nodes {
		c.nodes[n].FreeCores -= cores[i]
		c.nodes[n].FreeGPUs -= c.gpus[id]
	}
	c.pending = slices.DeleteFunc(c.pending, func(other int) bool { return other == id })
	placement := agent.Allocated{Nodes: slices.Clone(p.Nodes), Cores: cores, GPUs: c.gpus[id] * len(p.Nodes)}
	if c.shifts {
		placement.Cores[0]++
	}
	c.running[id] = placement
}

// Rank is not asked for without a formula.
func (c *odd) Rank(context.Context, int, int, bool) error { panic("no formula") }

func (c *odd) Hold(_ context.Context, id int) error {
	if _, runs := c.running[id]; runs {
		return &slurmctl.RefusedError{Message: "the job has started"}
	}
	c.asked = append(c.asked, id)
	c.pending = slices.DeleteFunc(c.pending, func(other int) bool { return other == id })
	c.held = slices.DeleteFunc(c.held, func(h agent.HeldJob) bool { return h.ID == id })
	again := job(id, 8)
	again.Reason = "JobHeldAdmin"
	c.held = append(c.held, again)
	return nil
}

func newAgent(c agent.Cluster) *agent.Agent {
	return agent.New(c, auctiontest.Greedy{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 2})
}

func job(id, cores int) agent.HeldJob {
	return agent.HeldJob{ID: id, Job: id, Request: bidding.Job{Cores: cores}}
}

func TestReleaseIsVerified(t *testing.T) {
	c := newOdd(2, 8, 0, job(1, 8), job(2, 8))
	a := newAgent(c)
	first, err := a.Cycle(t.Context(), 0)
	if err != nil || len(first.Released) != 2 || len(first.Checked) != 0 {
		t.Fatalf("first cycle %+v, %v", first, err)
	}
	if a.Waiting() != 2 {
		t.Errorf("%d jobs wait to be verified, want 2", a.Waiting())
	}
	second, err := a.Cycle(t.Context(), 0)
	if err != nil || len(second.Checked) != 2 || !second.Checked[0].Exact || !second.Checked[1].Exact || a.Waiting() != 0 {
		t.Fatalf("second cycle %+v, %v", second, err)
	}
}

func TestWrongPlacementIsReported(t *testing.T) {
	for name, set := range map[string]func(*odd){
		"other cores":       func(c *odd) { c.shifts = true },
		"unknown afterward": func(c *odd) { c.forgets = true },
	} {
		t.Run(name, func(t *testing.T) {
			c := newOdd(2, 8, 0, job(1, 8))
			set(c)
			a := newAgent(c)
			if _, err := a.Cycle(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			record, err := a.Cycle(t.Context(), 0)
			if err != nil || len(record.Checked) != 1 || record.Checked[0].Exact || record.Checked[0].Planned == "" || record.Checked[0].Actual == "" {
				t.Fatalf("record %+v, %v, want one placement that is not exact, with both sides", record, err)
			}
		})
	}
}

func TestRefusedJobStaysInTheWindow(t *testing.T) {
	c := newOdd(2, 8, 0, job(1, 8), job(2, 8))
	c.refuse = true
	a := newAgent(c)
	for range 2 {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Refused) != 2 || len(record.Released) != 0 || a.Waiting() != 0 {
			t.Fatalf("record %+v, %v, want both jobs refused", record, err)
		}
	}
	c.refuse = false
	if record, err := a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 2 {
		t.Fatalf("record %+v, %v, want both jobs released", record, err)
	}
}

// What went otherwise than planned is a line of the log, with its reason.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	c := newOdd(2, 8, 0, job(1, 8), job(2, 8))
	c.refuse = true
	a := agent.New(c, lost{}, agent.Settings{Window: 10, Patience: 2, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := a.Cycle(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`level=WARN msg="solution failed" cycle=1 status=worker_lost cause="exit status 2"`,
		`level=WARN msg="Slurm refused a release" cycle=1 job=1 reason=`,
		`level=WARN msg="Slurm refused a release" cycle=1 job=2 reason=`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log\n%slacks %s", log.String(), want)
		}
	}
}

// lost is a solver whose process has died, which had found the selection before.
type lost struct{}

func (lost) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	a, err := auctiontest.Greedy{}.Solve(ctx, p)
	a.Status, a.Cause = program.StatusWorkerLost, "exit status 2"
	return a, err
}

// A job that Slurm finds impossible is held with BadConstraints: it must come
// back, and its nodes must not stay taken.
func TestJobHeldBySlurmComesBack(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8))
	c.holds = true
	a := newAgent(c)
	if record, err := a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 {
		t.Fatalf("first cycle %+v, %v", record, err)
	}
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Reheld) != 1 || len(record.Released) != 1 {
		t.Fatalf("second cycle %+v, %v, want the job held again and released again", record, err)
	}
}

func TestStuckJobIsHeldAfterItsPatience(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8))
	c.stuck = true
	a := newAgent(c)
	for i, reheld := range []int{0, 0, 1} {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Reheld) != reheld {
			t.Fatalf("cycle %d: %+v, %v, want %d held again", i+1, record, err, reheld)
		}
	}
	if a.Waiting() != 0 || len(c.pending) != 0 || len(c.held) != 1 {
		t.Errorf("waiting %d, pending %v, held %v", a.Waiting(), c.pending, c.held)
	}
}

// The resources that are planned for a job that has not started are not given to
// another job.
func TestPendingJobKeepsItsNodes(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8), job(2, 8))
	c.stuck = true
	a := newAgent(c)
	first, err := a.Cycle(t.Context(), 0)
	if err != nil || len(first.Released) != 1 {
		t.Fatalf("first cycle %+v, %v", first, err)
	}
	second, err := a.Cycle(t.Context(), 0)
	if err != nil || len(second.Released) != 0 || second.FreeCores != 0 {
		t.Fatalf("second cycle %+v, %v, want the node taken", second, err)
	}
}

// A released job holds its licences before Slurm says so.
func TestPendingJobKeepsItsLicences(t *testing.T) {
	licensed := job(1, 1)
	licensed.Request.Options.Licences = machine.Licences{{Name: "matlab", Count: 2}}
	other := licensed
	other.ID, other.Job = 2, 2
	c := newOdd(2, 8, 0, licensed, other)
	c.licences = machine.Licences{{Name: "matlab", Count: 3}}
	c.stuck = true
	a := newAgent(c)
	for i, want := range []int{1, 0} {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Released) != want {
			t.Fatalf("cycle %d: %+v, %v, want %d released", i+1, record, err, want)
		}
	}
}

// A job with an obstacle is not in the window, and is named once.
func TestObstacles(t *testing.T) {
	odd := job(1, 1)
	odd.Obstacle = "it wants 2 CPUs per task"
	c := newOdd(1, 8, 0, odd, job(2, 1))
	a := agent.New(c, auctiontest.Greedy{}, agent.Settings{Auction: auctiontest.Options(), Window: 1, Patience: 2})
	for i, want := range []int{1, 0} {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Unplaced) != want || record.Pending != 2-i {
			t.Fatalf("cycle %d: %+v, %v, want %d named", i+1, record, err, want)
		}
		if i == 0 && (len(record.Released) != 1 || record.Released[0].Job != 2) {
			t.Errorf("released %+v, want job 2", record.Released)
		}
	}
}

func TestBrokenClusterEndsTheCycle(t *testing.T) {
	c := newOdd(1, 8, 0, job(1, 8))
	c.broken = errors.New("slurmctld does not answer")
	if _, err := newAgent(c).Cycle(t.Context(), 0); !errors.Is(err, c.broken) {
		t.Fatalf("error %v, want %v", err, c.broken)
	}
}

func TestWindowIsAPrefixOfTheQueue(t *testing.T) {
	var held []agent.HeldJob
	for id := range 30 {
		held = append(held, job(id+1, 1))
	}
	record, err := newAgent(newOdd(8, 8, 0, held...)).Cycle(t.Context(), 0)
	if err != nil || record.Pending != 30 || record.Window != 10 || len(record.Released) != 10 {
		t.Fatalf("record %+v, %v, want a window of 10 of 30 jobs", record, err)
	}
	for _, r := range record.Released {
		if r.Job > 10 {
			t.Errorf("job %d is beyond the window", r.Job)
		}
	}
}

// Whatever the jobs are, no node is oversold, and every job ends up running exactly
// as planned.
func TestNothingIsOversoldOrLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var held []agent.HeldJob
		total := rapid.IntRange(1, 12).Draw(t, "jobs")
		for id := 1; id <= total; id++ {
			h := job(id, rapid.IntRange(1, 16).Draw(t, "cores"))
			if rapid.Bool().Draw(t, "rigid") {
				r := &h.Request
				r.Nodes = rapid.IntRange(1, 3).Draw(t, "nodes")
				r.CoresPerNode = rapid.IntRange(1, 8).Draw(t, "cores per node")
				r.Cores = r.Nodes * r.CoresPerNode
				r.GPUs = rapid.IntRange(0, 2).Draw(t, "gpus")
				if r.GPUs > 0 {
					r.MaxGPUs = rapid.IntRange(r.GPUs, 3).Draw(t, "most gpus")
				}
			}
			held = append(held, h)
		}
		c := newOdd(4, 8, 2, held...)
		a := newAgent(c)
		exact := 0
		for range 3 * total {
			record, err := a.Cycle(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range record.Checked {
				if !p.Exact {
					t.Fatalf("job %d: planned %s, got %s", p.Job, p.Planned, p.Actual)
				}
				exact++
			}
			for _, n := range c.nodes {
				if n.FreeCores < 0 || n.FreeGPUs < 0 {
					t.Fatalf("node %s is oversold: %+v", n.Name, n)
				}
			}
			// One running job ends between two cycles.
			for id, p := range c.running {
				if a.Waiting() == 0 {
					for i, n := range p.Nodes {
						c.nodes[n].FreeCores += p.Cores[i]
						c.nodes[n].FreeGPUs += c.gpus[id]
					}
					delete(c.running, id)
				}
				break
			}
		}
		if exact != total || len(c.held) != 0 {
			t.Fatalf("%d of %d jobs ran as planned, %d are still held", exact, total, len(c.held))
		}
	})
}
