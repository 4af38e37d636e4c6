package program

// Status says how far a solver got. All solvers use it, also auctions' solvers.
type Status string

const (
	// StatusOptimal means that no solution is better.
	StatusOptimal Status = "optimal"
	// StatusEnough means that a better solution may gain too little to look for it
	// (auction.Problem.Enough), so that the search ended, and there on any machine.
	StatusEnough Status = "enough"
	// StatusTimeLimit means that the search ended at its time limit, with or
	// without a solution.
	StatusTimeLimit Status = "time_limit"
	// StatusWorkLimit means that the search ended after the amount of work
	// that it is allowed, so that it ends there on any machine.
	StatusWorkLimit Status = "work_limit"
	// StatusGreedy means that the solution is a heuristic's, without a proof.
	StatusGreedy Status = "greedy"
	// StatusAbandoned means that the solver's process overran its limit and was
	// killed. What it had told before is kept.
	StatusAbandoned Status = "abandoned"
	// StatusWorkerLost means that the solver's process died, failed or answered
	// what cannot be true. What it had told before is kept.
	StatusWorkerLost Status = "worker_lost"
	// StatusInfeasible means that there is no solution.
	StatusInfeasible Status = "infeasible"
	// StatusUnbounded means that the objective has no limit, or that there is
	// no solution: solvers do not always tell which.
	StatusUnbounded Status = "unbounded"
)

// Done says that there is no more to look for.
func (s Status) Done() bool { return s == StatusOptimal || s == StatusEnough }
