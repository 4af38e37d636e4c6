package journal

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Cycle is one pass of the agent that had jobs to decide on.
type Cycle struct {
	// Cycle is trace.Cycle.Cycle. Time is virtual, since the start of the run.
	Cycle int
	Time  time.Duration
	// Snapshot and Options are what the auction got, but for Options.Clock.
	Snapshot auction.Snapshot
	Options  auction.Options
	// Selections are the columns that the solver chose, one list for each program
	// that it was given, in that order.
	Selections [][]int
	// Running are the jobs that run or have been released and not seen started:
	// Snapshot.Nodes is what they leave free.
	Running []Running
	// Outside are the held jobs that the window had no room for, most urgent first.
	Outside []int
}

// Running is a job that holds resources.
type Running struct {
	// Job is the workload's id.
	Job int
	// Nodes are indices into Snapshot.Nodes, ascending, with the Cores on each.
	Nodes, Cores []int
	// GPUs are per node.
	GPUs int
	// End is when its time limit ends it at the latest, on the scale of
	// Cycle.Time; 0 if it has none.
	End time.Duration
}

// Recorder is a solver that notes what another one selects.
type Recorder struct {
	auction.Solver
	Selections [][]int
}

// Solve hands the problem on.
func (r *Recorder) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	a, err := r.Solver.Solve(ctx, p)
	if err == nil {
		r.Selections = append(r.Selections, a.Selected)
	}
	return a, err
}

// Replay repeats the auction of a recorded cycle. It fails if the selections do
// not belong to the programs that it makes, as when it makes other bids than the
// recording program did. The bounds of its assignments are not known.
func Replay(c Cycle) (auction.Result, error) {
	p := &player{selections: c.Selections}
	r, err := auction.Auction(context.Background(), c.Snapshot, c.Options, p)
	if err == nil && len(p.selections) > 0 {
		err = fmt.Errorf("%d recorded selections are left over", len(p.selections))
	}
	if err != nil {
		return r, fmt.Errorf("replay cycle %d: %w", c.Cycle, err)
	}
	return r, nil
}

// player is a solver that knows the answers.
type player struct{ selections [][]int }

func (p *player) Solve(_ context.Context, problem auction.Problem) (auction.Assignment, error) {
	if len(p.selections) == 0 {
		return auction.Assignment{}, fmt.Errorf("no selection was recorded for this program")
	}
	a := auction.Assignment{Selected: p.selections[0], Bound: math.Inf(1), Status: StatusRecorded}
	p.selections = p.selections[1:]
	if err := problem.Check(a.Selected); err != nil {
		return a, err
	}
	a.Objective = problem.Value(a.Selected)
	return a, nil
}

// StatusRecorded is the status of a replayed assignment.
const StatusRecorded auction.Status = "recorded"
