package trace

// Cycle is one line of cycles.jsonl: one pass of the agent.
type Cycle struct {
	Cycle int `json:"cycle"`
	// Time is virtual seconds since the start of the run.
	Time float64 `json:"time_s"`
	// Skipped counts the cycles left out before this one, which could not have
	// decided anything.
	Skipped int `json:"skipped,omitempty"`
	// Phases are in real milliseconds under every clock, whatever its scale of
	// time or thinking: they are what this computer took.
	SnapshotMS float64 `json:"snapshot_ms"`
	BidsMS     float64 `json:"bids_ms"`
	SolveMS    float64 `json:"solve_ms"`
	ReleaseMS  float64 `json:"release_ms"`
	// Pending counts all held jobs, Window those that took part. WindowLimit and
	// BidLimit are the sizes that the policy allowed itself, which shrink after a
	// solution that ended at its time limit and grow back.
	Pending     int `json:"pending"`
	Window      int `json:"window"`
	WindowLimit int `json:"window_limit"`
	BidLimit    int `json:"bid_limit"`

	FreeCores int `json:"free_cores"`
	FreeGPUs  int `json:"free_gpus"`
	Bids      int `json:"bids"`
	// BidsCut counts the bids that a limit on bids removed.
	BidsCut int `json:"bids_cut"`
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
	NonZero int `json:"nonzeros"`
	// Solver is the solver's status word; Gap = (bound-objective)/objective,
	// negative when unknown.
	Solver string `json:"solver_status"`
	// SolverCause says why the solver's process was lost or abandoned, or why a
	// part of it failed; empty if all went well.
	SolverCause string  `json:"solver_cause,omitempty"`
	Gap         float64 `json:"gap"`
	Objective   float64 `json:"objective"`
	// Phases are the stages of the last solve, in their order.
	Phases []SolverPhase `json:"solver_phases,omitempty"`
	// Rearranged counts the winners that were released for other nodes or cores
	// than the solution's, worth the same in the program's objective.
	Rearranged int `json:"rearranged,omitempty"`

	// Reserved is the job that had the reservation, 0 without one.
	Reserved int `json:"reserved_job,omitempty"`

	Released []Release `json:"released,omitempty"`
	// Ranked counts the jobs that got another priority, under a policy that orders the queue of Slurm's own scheduler.
	Ranked int `json:"ranked,omitempty"`
	// Refused lists releases that Slurm refused, Reheld releases that did not start in time and were held again.
	// Deferred are winners left for a later cycle because no release order gives them their planned cores.
	Refused  []Refusal `json:"refused,omitempty"`
	Reheld   []Refusal `json:"reheld,omitempty"`
	Deferred []Refusal `json:"deferred,omitempty"`
	// Lost lists the jobs that bid and did not win. It is for who watches the run; the record
	// of the run has the bids themselves, in the journal.
	Lost []Loss `json:"-"`
	// Unplaced lists held jobs that the agent cannot schedule, once each.
	Unplaced []Refusal `json:"unplaced,omitempty"`
	// Narrowed says, once for each job, what of its request the policy's program is not
	// told of: ranges and alternatives that it does not choose among.
	Narrowed []Refusal `json:"narrowed,omitempty"`
	// Program is about the program of a policy "exec:FILE" or "host:FILE", nil under another policy.
	Program *Program `json:"program,omitempty"`
	// Error is what ended the cycle before its time, such as a command that Slurm did
	// not answer; "" if nothing did. Whether Slurm carried that command out is unknown:
	// the next cycle looks.
	Error string `json:"error,omitempty"`
	// Checked lists the placements verified in this cycle, released earlier.
	Checked []Placement `json:"checked,omitempty"`
}

// SolverWaited is the status of a cycle in which a program of the user's was not asked, since it wanted to wait and nothing
// had changed (plugin.StatusWaited).
const SolverWaited = "waited"

// Waited reports whether nobody was asked in the cycle.
func (c Cycle) Waited() bool { return c.Solver == SolverWaited }

// Milliseconds is the real time of the whole cycle.
func (c Cycle) Milliseconds() float64 { return c.SnapshotMS + c.BidsMS + c.SolveMS + c.ReleaseMS }

// Program is what is to be said of a cycle in which a program of the user's decided.
type Program struct {
	// Starts counts the starts of the program so far: 1 if it never had to be started again.
	Starts int `json:"starts"`
	// Faults are what it did wrong in this cycle.
	Faults []ProgramFault `json:"faults,omitempty"`
	// Reserved are its plans.
	Reserved []Reserved `json:"reserved,omitempty"`
}

// ProgramFault is one thing that a program did wrong: its kind, one of those of package
// plugin, the job that it is about, 0 for none, and why in words.
type ProgramFault struct {
	Kind   string `json:"kind"`
	Job    int    `json:"job,omitempty"`
	Reason string `json:"reason"`
}

// Reserved is a program's plan to start a job at a virtual time, on some nodes if it says so.
type Reserved struct {
	Job   int     `json:"job"`
	Start float64 `json:"start_s"`
	Nodes string  `json:"nodes,omitempty"` // hostlist
}

// SolverPhase is one stage of a solve.
type SolverPhase struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"` // real
	// Work counts steps of the stage's own kind.
	Work int `json:"work"`
	// Objective and Bound are those after the stage; Bound is -1 while unknown.
	Objective float64 `json:"objective"`
	Bound     float64 `json:"bound"`
}

// Release is a winning bid that was handed to Slurm.
type Release struct {
	Job   int    `json:"job"` // the workload's job id
	Slurm int    `json:"slurm_id"`
	Class string `json:"class"` // bid class A, B, C or R; F for a program without bids
	Nodes string `json:"nodes"` // hostlist
	// Cores per node in node order, run-length coded as Slurm does: "4(x64),3".
	Cores string `json:"cores"`
	GPUs  int    `json:"gpus"` // per node
}

// Refusal names a job and the reason, in Slurm's words where it has any.
type Refusal struct {
	Job    int    `json:"job"`
	Reason string `json:"reason"`
}

// Loss is a job that bid and won nothing, and the winner that has most of the cores on the
// nodes that it bid for, 0 if no winner has any.
type Loss struct {
	Job int `json:"job"`
	To  int `json:"to,omitempty"`
}

// Hindered are the held jobs that no cycle can release as things are.
type Hindered struct {
	// Obstacles are those that the agent cannot schedule, with the reason.
	Obstacles []Refusal
	// ByOwner are those that their owners hold.
	ByOwner []int
}

// Placement compares what was planned for a started job with what Slurm did.
type Placement struct {
	Job   int  `json:"job"`
	Exact bool `json:"exact"`
	// Planned and Actual are set only where they differ.
	Planned string `json:"planned,omitempty"`
	Actual  string `json:"actual,omitempty"`
}
