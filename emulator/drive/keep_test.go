package drive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// script plays cycles, the last of which ends the test.
type script struct {
	cycles []trace.Cycle
	end    context.CancelCauseFunc
}

var errPlayed = errors.New("all cycles are played")

func (s *script) Cycle(context.Context, time.Duration) (trace.Cycle, error) {
	c := s.cycles[0]
	s.cycles = s.cycles[1:]
	if len(s.cycles) == 0 {
		s.end(errPlayed)
	}
	return c, nil
}

func (s *script) Hindered() trace.Hindered {
	return trace.Hindered{Obstacles: []trace.Refusal{{Job: 7, Reason: "why"}}, ByOwner: []int{9}}
}

func (*script) Waiting() int    { return 0 }
func (*script) Settled() bool   { return true }
func (*script) Next() time.Time { return time.Time{} }
func (*script) Fragile() bool   { return false }

func (*script) Pace(most time.Duration) time.Duration { return most }

func (*script) Withhold(context.Context, int) error { return nil }

// A kept cluster has a cycle in every interval, records those that did something,
// and tells owners why their jobs wait, jobs that are gone by then aside.
func TestKeep(t *testing.T) {
	because := func(job int, reason string) []trace.Refusal { return []trace.Refusal{{Job: job, Reason: reason}} }
	ctx, end := context.WithCancelCause(t.Context())
	cycles := script{end: end, cycles: []trace.Cycle{
		{Cycle: 1},
		{Cycle: 2, Unplaced: because(7, "it wants 2 CPUs per task"), Refused: because(8, "Invalid job id")},
		{Cycle: 3, Released: []trace.Release{{Job: 9}}},
		{Cycle: 4, Unplaced: because(7, ""), Reheld: because(10, "held by Slurm: BadConstraints")},
		{Cycle: 5, Window: 2, Bids: 6, Checked: []trace.Placement{{Job: 9, Exact: true}, {Job: 10, Exact: true}}},
		{Cycle: 6}, {Cycle: 7},
	}}
	var stands watch.Agent
	var recorded []int
	var told []string
	began := time.Now()
	err := drive.Keep(ctx, drive.Kept{
		Clock: clock.Real(), Began: began, Interval: time.Millisecond, Scheduler: &cycles,
		Record: func(c trace.Cycle) error {
			recorded = append(recorded, c.Cycle)
			return nil
		},
		Tell: func(_ context.Context, job int, text string) error {
			told = append(told, fmt.Sprintf("%d %s", job, text))
			if job == 8 {
				return &slurmctl.RefusedError{Message: "Invalid job id specified"}
			}
			return nil
		},
		Stand: func(a watch.Agent) error {
			stands = a
			return nil
		},
		Log: slog.New(slog.DiscardHandler),
	})
	if !errors.Is(err, errPlayed) {
		t.Errorf("ended by %v", err)
	}
	if want := []int{2, 3, 4, 5}; !slices.Equal(recorded, want) {
		t.Errorf("recorded cycles %v, want %v", recorded, want)
	}
	want := []string{"7 slurmlab: cannot be scheduled: it wants 2 CPUs per task", "8 slurmlab: refused by Slurm: Invalid job id", "7 ",
		"10 slurmlab: held again: held by Slurm: BadConstraints", "10 "}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if stands.Good == nil || stands.Good.Number != 6 || stands.Decision == nil || stands.Decision.Number != 5 || stands.Error != nil ||
		!reflect.DeepEqual(stands.Obstacles, because(7, "why")) || !slices.Equal(stands.HeldByOwner, []int{9}) {
		t.Errorf("stands %+v", stands)
	}
}

// slowStart is one node of 8 cores and two held jobs of 8 cores. A released job never starts: Slurm shows its node as
// free. Each of the errors in fails makes a command fail, once.
type slowStart struct {
	mu       sync.Mutex
	released []int
	fails    map[string]error
}

func (c *slowStart) failure(command string) error {
	err := c.fails[command]
	delete(c.fails, command)
	return err
}

func (c *slowStart) State(context.Context) (agent.State, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := agent.State{Nodes: []machine.Node{{Name: "n1", Cores: 8, FreeCores: 8}}}
	for _, id := range []int{1, 2} {
		if slices.Contains(c.released, id) {
			state.Pending = append(state.Pending, id)
			continue
		}
		state.Held = append(state.Held, agent.HeldJob{ID: id, Job: id, Request: bidding.Job{Cores: 8, TimeLimit: time.Hour}})
	}
	if len(c.released) == 0 {
		return state, nil
	}
	return state, c.failure("state")
}

func (c *slowStart) Allocated(context.Context, []int) (map[int]agent.Allocated, error) {
	return nil, nil
}

// Rank is not asked for without a formula.
func (c *slowStart) Rank(context.Context, int, int, bool) error { panic("no formula") }

func (c *slowStart) Release(_ context.Context, id int, _ agent.Plan) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = append(c.released, id)
	return c.failure("release")
}

func (c *slowStart) Hold(context.Context, int) error { return nil }

// A job that is released and has not started keeps its nodes also after Slurm could
// not be talked to: the scheduler goes on with what it knows. The failure is logged.
func TestFailureForgetsNoReleasedJob(t *testing.T) {
	for _, command := range []string{"state", "release"} {
		t.Run(command, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cluster := &slowStart{fails: map[string]error{command: errors.New("slurmctld is restarted")}}
				ctx, end := context.WithTimeoutCause(t.Context(), 10*time.Minute, errPlayed)
				defer end()
				var log bytes.Buffer
				reconnected := 0
				var stands watch.Agent
				c := clock.Real()
				err := drive.Keep(ctx, drive.Kept{
					Clock: c, Began: c.Now(), Interval: 5 * time.Second,
					Scheduler: agent.New(cluster, auctiontest.Greedy{}, agent.Settings{Window: 10, Patience: 1000}),
					Reconnect: func(context.Context) error {
						reconnected++
						return nil
					},
					Record: func(trace.Cycle) error { return nil },
					Tell:   func(context.Context, int, string) error { return nil },
					Stand:  func(a watch.Agent) error { stands = a; return errors.New("no room for the file") },
					Log:    slog.New(slog.NewTextHandler(&log, nil)),
				})
				if !errors.Is(err, errPlayed) {
					t.Errorf("ended by %v", err)
				}
				if !slices.Equal(cluster.released, []int{1}) {
					t.Errorf("jobs %v got the same cores, want job 1 alone", cluster.released)
				}
				if e := stands.Error; e == nil || !e.Over || !strings.Contains(e.Text, "slurmctld is restarted") || stands.Good.Number <= e.Cycle {
					t.Errorf("stands %+v, error %+v", stands, e)
				}
				if reconnected != 1 || strings.Count(log.String(), "slurmctld is restarted") != 1 {
					t.Errorf("reconnected %d times, log %q", reconnected, log.String())
				}
			})
		})
	}
}

// broken fails a number of cycles.
type broken struct {
	script
	fails int
}

func (b *broken) Cycle(ctx context.Context, now time.Duration) (trace.Cycle, error) {
	if b.fails > 0 {
		b.fails--
		return trace.Cycle{Error: "Unable to contact slurm controller"}, slurmctl.ErrUnavailable
	}
	return b.script.Cycle(ctx, now)
}

// An outage of Slurm is one record and one line, however many cycles it takes, and a line
// when it is over (issue 15, line 7).
func TestOneLineForAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancelCause(t.Context())
		var log bytes.Buffer
		var stands watch.Agent
		recorded, c := 0, clock.Real()
		err := drive.Keep(ctx, drive.Kept{
			Clock: c, Began: c.Now(), Interval: time.Second,
			Scheduler: &broken{script{end: end, cycles: []trace.Cycle{{Cycle: 8}, {Cycle: 9}}}, 7},
			Reconnect: func(context.Context) error { return nil },
			Record:    func(trace.Cycle) error { recorded++; return nil },
			Tell:      func(context.Context, int, string) error { return nil },
			Stand:     func(a watch.Agent) error { stands = a; return nil },
			Log:       slog.New(slog.NewTextHandler(&log, nil)),
		})
		if !errors.Is(err, errPlayed) || recorded != 1 {
			t.Errorf("ended by %v, %d records, want 1", err, recorded)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 2 || !strings.Contains(log.String(), "failed=7") {
			t.Errorf("log of %d lines, want 2:\n%s", lines, log.String())
		}
		if stands.Error == nil || !stands.Error.Over || stands.Error.At.Virtual.Sub(c.Virtual) > 2*time.Second {
			t.Errorf("the standing has the error %+v, want that of the first cycle, over", stands.Error)
		}
	})
}
