package drive_test

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
	"github.com/slurmlab/slurmlab/workloads"
)

// bench is a driver on an in-memory Slurm. It lives in a bubble of synctest,
// whose clock is a jump clock on which computing takes no time. The same driver
// on the real Slurm is tested in emulator/run.
type bench struct {
	driver *drive.Driver
	slurm  *slurmtest.Cluster

	mu      sync.Mutex
	queued  int // calls of squeue
	first   time.Time
	running []int
	active  map[string]bool
	ended   func(id int)
	frozen  bool   // the cluster's time stands still
	hangs   string // the job whose sbatch never returns
	// silent are commands of jobs, such as "sbatch 3", that get no answer once, those
	// with true after they took effect.
	silent map[string]bool
	// slowly are commands of jobs that take longer than commandTime, once.
	slowly map[string]time.Duration
	// forgotten is a job that sbatch takes and Slurm forgets, once.
	forgotten string
	deaf      bool // no command gets an answer
	events    []drive.Event
}

// commandTime is what each command of Slurm takes. No sum of it is a whole
// second, at which jobs start and end: chance would decide which comes first.
const commandTime = 10*time.Millisecond + 19*time.Nanosecond

// slow runs commands in their time, and holds every job at its submission if
// hold, as job_submit.lua does.
type slow struct {
	*bench
	hold bool
}

func (s slow) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	s.mu.Lock()
	switch argv[0] {
	case "squeue":
		s.queued++
	case "sbatch":
		if s.first.IsZero() {
			s.first = time.Now()
		}
		if s.hold {
			argv = slices.Insert(slices.Clone(argv), 1, "-H")
		}
	}
	hangs := argv[0] == "sbatch" && s.hangs != "" && slices.Contains(argv, s.hangs)
	silent, applied := s.silence(argv)
	takes := commandTime + s.slowness(argv)
	forgets := argv[0] == "sbatch" && s.forgotten != "" && slices.Contains(argv, s.forgotten)
	if forgets {
		s.forgotten = ""
	}
	s.mu.Unlock()
	if forgets {
		return []byte("99\n"), nil
	}
	if silent {
		if applied {
			_, _ = s.slurm.Run(ctx, stdin, argv...)
		}
		return nil, &slurmctl.CommandError{Argv: argv, ExitCode: 1, Stderr: argv[0] + ": error: Zero Bytes were transmitted or received"}
	}
	if hangs {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	time.Sleep(takes)
	return s.slurm.Run(ctx, stdin, argv...)
}

// silence says whether a command gets no answer, and whether it takes effect all the same.
func (b *bench) silence(argv []string) (silent, applied bool) {
	if b.deaf {
		return true, false
	}
	for command, after := range b.silent {
		if isCommand(argv, command) {
			delete(b.silent, command)
			return true, after
		}
	}
	return false, false
}

// slowness is how much longer a command takes.
func (b *bench) slowness(argv []string) time.Duration {
	for command, longer := range b.slowly {
		if isCommand(argv, command) {
			delete(b.slowly, command)
			return longer
		}
	}
	return 0
}

// isCommand says that argv is a command, "scancel", or one with a word, "sbatch 3".
func isCommand(argv []string, command string) bool {
	name, word, _ := strings.Cut(command, " ")
	return argv[0] == name && (word == "" || slices.Contains(argv, word))
}

// auctions has an agent with a greedy solver schedule.
func (b *bench) auctions() {
	b.driver.Scheduler = agent.New(agent.NewSlurm(b.driver.Client, b.slurm), auctiontest.Greedy{},
		agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 20})
}

// newBench returns a driver that has nobody to schedule for it; hold leaves that
// to an agent.
func newBench(t *testing.T, hold bool, completing time.Duration, jobs ...workloads.Job) *bench {
	t.Helper()
	c := clock.Real()
	config := slurmtest.Config{Nodes: 4, Cores: 8, GPUs: 2, Start: c.Virtual, Completing: completing}
	// The run time is in the payload, behind "runtime=".
	config.Runtime = func(_, script string, _ []string) time.Duration {
		_, rest, _ := strings.Cut(script, "runtime=")
		seconds, _, _ := strings.Cut(rest, "\n")
		d, err := time.ParseDuration(seconds + "s")
		if err != nil {
			t.Errorf("payload without a run time: %q", script)
		}
		return d
	}
	b := &bench{slurm: slurmtest.New(config), ended: func(int) {}}
	go b.advance(t)
	client := &slurmctl.Client{Runner: slow{b, hold}}
	b.driver = &drive.Driver{
		Client: client, Slurm: client, Clock: c, Out: filepath.Join(t.TempDir(), "out"),
		Request: drive.Request{
			Spec: drive.Spec{
				Machine: workloads.Machine{Name: "mini", Nodes: 4, Cores: 8, GPUs: 2},
				Jobs:    jobs, Policy: policy.Policy{Parameters: policy.DefaultParameters()},
			},
		},
		Watch: func(ctx context.Context, _ func(drive.Outage)) error { <-ctx.Done(); return context.Cause(ctx) },
		Ends: func(ctx context.Context, ended func(int)) error {
			b.mu.Lock()
			b.ended = ended
			b.mu.Unlock()
			<-ctx.Done()
			return context.Cause(ctx)
		},
		Running: func() ([]int, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return slices.Clone(b.running), nil
		},
		Processes:    func() map[string][]int { return nil },
		Stopped:      func() []string { return nil },
		Uncontrolled: func() bool { return false },
		Emit: func(e drive.Event) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.events = append(b.events, e)
			return nil
		},
	}
	return b
}

// advance makes the cluster's seconds pass and reports ends as they happen.
func (b *bench) advance(t *testing.T) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-t.Context().Done():
			return
		case <-second.C:
		}
		b.mu.Lock()
		frozen := b.frozen
		b.mu.Unlock()
		if frozen {
			continue
		}
		b.slurm.Advance(time.Second)
		out, err := b.slurm.Run(context.Background(), nil, "squeue", "--noheader", "--all", "--Format=JobID: ,State:\n")
		if err != nil {
			t.Error(err)
			return
		}
		b.look(strings.Fields(string(out)))
	}
}

// look takes the ids and states of the jobs in the queue. A job that waited or
// ran before and does not now has ended.
func (b *bench) look(queue []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.active
	b.active, b.running = map[string]bool{}, nil
	for pair := range slices.Chunk(queue, 2) {
		switch slurmctl.JobState(pair[1]) {
		case slurmctl.JobRunning:
			id, _ := strconv.Atoi(pair[0])
			b.running = append(b.running, id)
			b.active[pair[0]] = true
		case slurmctl.JobPending:
			b.active[pair[0]] = true
		}
	}
	for job := range before {
		if !b.active[job] {
			id, _ := strconv.Atoi(job)
			b.ended(id)
		}
	}
}

// cycles returns the records of the agent's cycles.
func (b *bench) cycles() []trace.Cycle {
	var cycles []trace.Cycle
	for _, e := range b.events {
		if e.Cycle != nil {
			cycles = append(cycles, *e.Cycle)
		}
	}
	return cycles
}
