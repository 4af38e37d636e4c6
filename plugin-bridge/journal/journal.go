package journal

import (
	"context"
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Entry is one pass of the agent that had jobs to decide on.
type Entry struct {
	// Cycle is trace.Cycle.Cycle.
	Cycle int
	// Snapshot and Options are what the auction got, but for Options.Clock. Its Now
	// is virtual time since the start of the run.
	Snapshot auction.Snapshot
	Options  auction.Options
	// Selections are the columns that the solver chose, one list for each program
	// that it was given, in that order.
	Selections [][]int
	// Running are all jobs that run or have been released and not seen started: Snapshot.Nodes is what they leave
	// free. Snapshot.Running are the ones that the agent placed itself.
	Running []machine.Holding
	// Outside are the held jobs that the window had no room for, most urgent first.
	Outside []int
}

// Recorder is a solver that lets another one solve and notes what that selects.
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

// Replay repeats the auction of a recorded cycle. It fails if the recorded
// selections do not belong to the programs that it makes, as when this version makes
// other bids than the one that recorded the cycle. The bounds of its assignments are
// not known.
func Replay(c Entry) (auction.Result, error) {
	p := &player{selections: c.Selections}
	if c.Options.Bids.Papers {
		c.Options.Arrange = papers.Arrange
	}
	r, err := auction.Auction(context.Background(), c.Snapshot, c.Options, p)
	if err == nil && len(p.selections) > 0 {
		err = fmt.Errorf("%d recorded selections are left over", len(p.selections))
	}
	if err != nil {
		return r, fmt.Errorf("replay cycle %d: %w", c.Cycle, err)
	}
	return r, nil
}

// player is a solver that answers with the recorded selections, one after the other.
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
const StatusRecorded program.Status = "recorded"
