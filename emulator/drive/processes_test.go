package drive_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// startedCommands are the commands that were started by a run, those of before and after its jobs apart from those of between.
type startedCommands struct {
	slurmctl.Runner

	mu      sync.Mutex
	running bool
	before  []string
	between []string
}

func (s *startedCommands) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	s.mu.Lock()
	if s.running {
		s.between = append(s.between, strings.Join(argv, " "))
	} else {
		s.before = append(s.before, argv[0])
	}
	s.mu.Unlock()
	return s.Runner.Run(ctx, stdin, argv...)
}

// "nothing in mid-run starts a program where the channel can do the same (cancel, signal, update, submission, on
// every backend)" (issue 38, item 0). All that a run does between the start of its clock and its last end goes
// through Driver.Slurm, also when answers are missing.
func TestRunsStartNoCommand(t *testing.T) {
	for name, silent := range map[string]map[string]bool{
		"answered": nil, "submission in doubt": {"sbatch 2": true}, "cancellation unanswered": {"scancel": false}, "event unanswered": {"scontrol State=RESUME": true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, false, 0,
					workloads.Job{ID: 1, Runtime: 300, Limit: 600, Cores: 16, Class: "a"},
					workloads.Job{ID: 2, Arrival: 10, Limit: 600, Cores: 32, Class: "z", Outcome: workloads.CancelledPending, CancelAfter: 100},
					workloads.Job{ID: 3, Arrival: 20, Runtime: 60, Limit: 600, Cores: 4, Class: "a"},
				)
				b.silent = silent
				b.driver.Request.FullConfiguration = "z"
				b.driver.Request.Events = []events.Event{
					{At: 100, Kind: events.Drain, Nodes: "n4", Reason: "power supply"}, {At: 200, Kind: events.Resume, Nodes: "n4"},
				}
				s := &startedCommands{Runner: b.driver.Client.Runner}
				b.driver.Client = &slurmctl.Client{Runner: s}
				follow := b.driver.Ends
				b.driver.Ends = func(ctx context.Context, ended func(int)) error {
					// Ends are followed while the clock runs.
					s.set(true)
					defer s.set(false)
					return follow(ctx, ended)
				}
				if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete || end.Submitted != 3 {
					t.Fatalf("end %+v", end)
				}
				if len(b.happened()) != 2 {
					t.Errorf("%d events happened, want 2", len(b.happened()))
				}
				if len(s.between) > 0 {
					t.Errorf("started while the clock ran: %q", s.between)
				}
				// Otherwise nothing was counted.
				if len(s.before) == 0 {
					t.Error("nothing was started, want sdiag and sacct")
				}
			})
		})
	}
}

func (s *startedCommands) set(running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = running
}

// What the scheduler needs is started and learned before the clock runs.
func TestSchedulersArePrepared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, true, 0, jobs()...)
		b.auctions()
		var instants []int
		b.driver.Prepare = func(context.Context) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			instants = append(instants, len(b.events))
			return slurmctl.ErrUnavailable
		}
		if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
			t.Fatalf("end %+v", end)
		}
		if len(instants) != 1 || instants[0] != 0 {
			t.Errorf("prepared after %v events, want once and before the first", instants)
		}
	})
}
