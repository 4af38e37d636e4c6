package drive_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
	"github.com/slurmlab/slurmlab/workloads"
)

// outcome is what became of a scenario.
type outcome struct {
	// faults are the invariants that were broken, steps what the nemesis did. status is a run's status, "" for a kept
	// cluster.
	faults []string
	steps  []happened
	status trace.Status
}

// cluster is a Slurm in memory with the nemesis before it. It lives in a bubble of
// synctest.
type cluster struct {
	scenario
	slurm   *slurmtest.Cluster
	nemesis *nemesis
	checker *checker
	clock   clock.Clock
	// ended is called with each job that ends.
	ended func(id int)
	// flights are what an agent leaves to the next one.
	flights []agent.Flight

	mu      sync.Mutex
	running []int
	cycles  []trace.Cycle
	// calmFrom is the first of cycles that cannot have suffered from a fault.
	calmFrom int
}

// name is a job's in Slurm.
func name(job workloads.Job) string { return strconv.Itoa(job.ID) }

func newCluster(ctx context.Context, s scenario, without map[step]bool) *cluster {
	c := &cluster{scenario: s, checker: newChecker(s.machine), clock: clock.Real(), ended: func(int) {}, calmFrom: -1}
	c.slurm = slurmtest.New(slurmtest.Config{
		Nodes: s.machine.Nodes, Cores: s.machine.Cores, GPUs: s.machine.GPUs,
		Start: c.clock.Virtual, Completing: 2 * time.Second,
		Runtime: func(name, _ string, _ []string) time.Duration {
			for _, job := range s.jobs {
				if name == strconv.Itoa(job.ID) {
					return time.Duration(job.Runtime) * time.Second
				}
			}
			return 0
		},
		Mishap:  func(name string) slurmtest.Mishap { return s.mishaps[name] },
		Observe: c.observe,
	})
	c.nemesis = &nemesis{
		scenario: s, inner: plugin{c.slurm, s.twins}, began: time.Now(), without: without, kill: func() {},
		counts: map[string]int{}, texts: map[string][][]byte{},
	}
	go c.advance(ctx)
	return c
}

// The cluster, which is locked meanwhile, calls observe.
func (c *cluster) observe(e slurmtest.Event) {
	c.mu.Lock()
	c.checker.observe(e)
	if e.State == slurmctl.JobRunning {
		c.running = append(c.running, e.Job)
	} else if !c.ghosts {
		c.running = slices.DeleteFunc(c.running, func(id int) bool { return id == e.Job })
	}
	c.mu.Unlock()
	if e.State == slurmctl.JobRunning {
		return
	}
	switch f, _ := c.nemesis.next("end"); f {
	case never:
	case twice:
		c.ended(e.Job)
		fallthrough
	default:
		c.ended(e.Job)
	}
}

// advance makes the cluster's seconds pass.
func (c *cluster) advance(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
			c.slurm.Advance(time.Second)
		}
	}
}

// plugin stands for job_submit.lua: it holds each job and notes what it asks for.
type plugin struct {
	*slurmtest.Cluster
	// twins makes two jobs of each submission, which the checker must notice.
	twins bool
}

func (p plugin) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	if argv[0] != "sbatch" {
		return p.Cluster.Run(ctx, stdin, argv...)
	}
	out, err := p.Cluster.Run(ctx, stdin, append([]string{"sbatch", "-H"}, argv[1:]...)...)
	if err != nil {
		return nil, err
	}
	id := strings.TrimSpace(string(out))
	_, err = p.Cluster.Run(ctx, nil, "scontrol", "update", "JobId="+id, "AdminComment="+note(argv))
	if err == nil && p.twins {
		_, err = p.Cluster.Run(ctx, stdin, argv...)
	}
	return out, err
}

// watched is an agent whose cycles are checked.
type watched struct {
	*agent.Agent
	*cluster
}

func (c *cluster) newAgent(people bool) (watched, *session) {
	s := &session{runner: c.nemesis}
	slurm := agent.NewSlurm(&slurmctl.Client{Runner: c.nemesis}, s)
	if people {
		slurm = slurm.ForPeople()
	}
	a := agent.New(slurm, auctiontest.Greedy{}, agent.Settings{
		Auction: auctiontest.Options(), Window: 20, Patience: 2, MaxBypass: 1, Now: c.clock.Now,
		Remember: func(flights []agent.Flight) error {
			c.flights = flights
			return nil
		},
	})
	a.Resume(c.flights)
	return watched{a, c}, s
}

// Cycle is the agent's.
func (w watched) Cycle(ctx context.Context, now time.Duration) (cycle trace.Cycle, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			w.checker.fault("the agent crashed: %v: %s", crash, place(debug.Stack()))
			err = errCrashed
			w.nemesis.kill()
		}
	}()
	before := w.nemesis.refusals()
	cycle, err = w.Agent.Cycle(ctx, now)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checker.recorded(cycle, err, w.nemesis.refusals()-before)
	w.checker.promise(cycle)
	if w.calmFrom < 0 && w.kept && time.Since(w.nemesis.began) > w.calm+2*silence+settling*w.interval {
		w.calmFrom = len(w.cycles)
	}
	w.cycles = append(w.cycles, cycle)
	return cycle, err
}

// settling is how many cycles after the last fault, which may take as long as silence, the agent may need until it
// knows the state again: the cycles of its patience, and one each for a look before and after.
const settling = 5

var errCrashed = errors.New("the agent crashed")

// place is the innermost place of ours in the stack of a crash.
func place(stack []byte) string {
	_, crash, _ := strings.Cut(string(stack), "panic(")
	for line := range strings.Lines(crash) {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, "slurmlab/") {
			return strings.TrimSpace(line)
		}
	}
	return string(stack)
}

// finish is the outcome when all is over.
func (c *cluster) finish(ctx context.Context) outcome {
	if _, err := c.slurm.Run(ctx, nil, "scontrol", "ping"); err != nil {
		c.checker.fault("slurmctld crashed: %v", err)
	}
	return outcome{faults: c.checker.faults, steps: c.nemesis.log}
}

// play runs the scenario of a seed without some steps.
func play(t *testing.T, s scenario, without map[step]bool) (out outcome) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		if s.kept {
			out = keep(t.Context(), s, without)
		} else {
			out = wholeRun(t.Context(), s, without, dir)
		}
	})
	return out
}

// note is what job_submit.lua writes of a submission.
func note(argv []string) string {
	r, _ := sbatch.ParseCommand(argv[1:])
	text := fmt.Sprintf("slurmlab tasks=%d nodes=%d tasks_per_node=%d", r.Tasks, r.Nodes, r.TasksPerNode)
	if r.GPUsMax > r.GPUsMin {
		text += fmt.Sprintf(" gpus=%d-%d", r.GPUsMin, r.GPUsMax)
	}
	return text
}
