package explain

// Outcome is what became of a waiting job in a cycle.
type Outcome string

// The outcomes.
const (
	// Released jobs won and were handed to Slurm.
	Released Outcome = "released"
	// Refused jobs won, and Slurm refused them.
	Refused Outcome = "refused"
	// Deferred jobs won and were left for a later cycle.
	Deferred Outcome = "deferred"
	// Interrupted jobs won in the last cycle of a run that broke.
	Interrupted Outcome = "interrupted"
	// Lost jobs had bids, none of which won.
	Lost Outcome = "lost"
	// NoBids jobs were in the window and had no bid.
	NoBids Outcome = "no_bids"
	// Outside jobs found no room in the window.
	Outside Outcome = "outside_window"
	// Obstructed jobs ask for what the agent cannot schedule.
	Obstructed Outcome = "obstacle"
)

// Explanation is all about one job of a run. Times are virtual seconds since the
// start of the run.
type Explanation struct {
	Run     string `json:"run"`
	Policy  string `json:"policy"`
	Status  string `json:"status"`
	Job     int    `json:"job"`
	Request string `json:"request"` // in the words of sbatch
	// State and times are Slurm's; absent where Slurm does not know them.
	State     string   `json:"state,omitempty"`
	Submitted *float64 `json:"submitted_s,omitempty"`
	Started   *float64 `json:"started_s,omitempty"`
	Ended     *float64 `json:"ended_s,omitempty"`
	// Stretches are the cycles in which the job waited. Truncated says that the
	// record of the run ends in the middle of a cycle.
	Stretches []CycleSpan `json:"stretches,omitempty"`
	Truncated bool        `json:"truncated,omitempty"`
	// Cycle is one of these in full.
	Cycle *JobCycle `json:"cycle,omitempty"`
	// AtSubmission is the model of backfill in a run without an agent.
	AtSubmission *Backfill `json:"backfill_at_submission,omitempty"`
	// WaitedFor are the parts of the job's wait in a run without an agent, on a machine with groups of nodes.
	WaitedFor []WaitSpan `json:"waited_for,omitempty"`
	// bySchedule says that there would be some if the job had waited. uneven says that jobs lay unevenly on their nodes, or limits
	// changed: the job started although too little seems to have been free.
	bySchedule, uneven bool
	// inOrder says that Slurm started the jobs in the order of the queue.
	inOrder bool
}

// Cause is what a job waited for under Slurm's own scheduler.
type Cause string

// The causes.
const (
	// NotEligible jobs wait for their begin time or for other jobs.
	NotEligible Cause = "not_eligible"
	// ByLimit jobs would exceed a limit of a QOS, an account or a user.
	ByLimit Cause = "limit"
	// ForNodes jobs find too little free on the nodes that they may have.
	ForNodes Cause = "nodes"
	// ForTurn jobs find enough free, and Slurm does not start them: it keeps the nodes for others, or has not looked.
	ForTurn Cause = "turn"
)

// WaitSpan is a part of a job's wait with one cause.
type WaitSpan struct {
	From float64 `json:"from_s"`
	To   float64 `json:"to_s"`
	For  Cause   `json:"for"`
	Why  string  `json:"why"`
	// Holders are the running jobs that held what was missing or counted for the limit, the ones that did so longest first. Under ForTurn they are the jobs that
	// waited as well and started first, on nodes that this job could have had.
	Holders []int `json:"holders,omitempty"`
	// what the job needs. free is the most nodes that had it, out counts further ones that were out of service.
	what      string
	free, out int
	// held is for how many seconds each of Holders was one.
	held map[int]float64
}

// CycleSpan is a number of cycles, one after the other, with the same outcome and
// the same kinds of shortage.
type CycleSpan struct {
	First   int     `json:"first_cycle"`
	Last    int     `json:"last_cycle"`
	From    float64 `json:"from_s"`
	To      float64 `json:"to_s"`
	Cycles  int     `json:"cycles"`
	Outcome Outcome `json:"outcome"`
	// Reason of the first cycle.
	Reason string `json:"reason"`
	// Rivals are the winners that took what the bids lacked or, without bids, the
	// running jobs that held what the job needed; in the most cycles first.
	Rivals []Rival `json:"rivals,omitempty"`
	// key has what must be equal within a stretch.
	key string
}

// Rival is a job that took or held what another one lacked.
type Rival struct {
	Job    int `json:"job"`
	Cycles int `json:"cycles"`
}

// JobCycle is a cycle from the point of view of the job.
type JobCycle struct {
	Cycle   int     `json:"cycle"`
	Time    float64 `json:"time_s"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	// Position in the queue, from 1, and 0 for an obstructed job. Window is the number of
	// jobs that took part.
	Position int `json:"place,omitempty"`
	Window   int `json:"window"`
	// Weight by fair share, 0 without it: it orders the queue and, under the
	// objective value, multiplies the job's value.
	Weight float64 `json:"fair_share_weight,omitempty"`
	// Solver is how far the solver got; Gap is negative if it is not known.
	Solver string  `json:"solver_status,omitempty"`
	Gap    float64 `json:"gap"`
	// Bids are the job's own. Dropped is the number of its candidates that the limits
	// on bids left out.
	Bids    []JobBid `json:"bids,omitempty"`
	Dropped int      `json:"bids_cut"`
	// Needs are there if the job has no bid: the ways to spread it, with what there
	// was of nodes.
	Needs []Need `json:"needs,omitempty"`
	// Holders are the running jobs on nodes that have too little free for the job,
	// those on the most of them first.
	Holders  []int      `json:"holders,omitempty"`
	Relaxed  *Relaxed   `json:"relaxed,omitempty"`
	Backfill []Backfill `json:"backfill,omitempty"`
}

// JobBid is one allocation that the job would have taken.
type JobBid struct {
	Class       string  `json:"class"`
	Alternative int     `json:"alternative,omitempty"`
	Nodes       string  `json:"nodes"` // hostlist
	Cores       string  `json:"cores"` // run-length coded, one for each node
	GPUs        int     `json:"gpus"`  // per node
	Preference  float64 `json:"preference"`
	// Value is its coefficient in the objective.
	Value float64 `json:"value"`
	Won   bool    `json:"won,omitempty"`
	// Price is the sum of the prices of all that the bid uses, Reduced its value
	// less that and less what the job could keep with its best bid.
	Price   float64 `json:"price"`
	Reduced float64 `json:"reduced_value"`
	// Dearest are the dearest rows of the bid.
	Dearest []Priced `json:"dearest,omitempty"`
	// Short is what the winners did not leave; nothing for a bid that won, and for
	// one that fits beside them.
	Short []Shortage `json:"short,omitempty"`
}

// Priced is what a bid pays for one row of the program.
type Priced struct {
	What  string  `json:"what"` // as in "cores of n17"
	Price float64 `json:"price"`
}

// Shortage is a resource of which too little was left for a bid. The numbers are
// sums over the nodes on which it is short: Free before the auction, Left
// afterwards, the difference being what the Takers took.
//
// With ReservedFor it is a shortage at a later time, ReservedAt. That job will then start on the nodes and the bid
// would still run. Free is what that job leaves free of them.
type Shortage struct {
	Resource string `json:"resource"` // cores, gpus, memory (MiB) or licences
	// Where is a hostlist, or the name of the licence. Nodes is the number of nodes.
	Where  string  `json:"where"`
	Nodes  int     `json:"nodes,omitempty"`
	Wanted int     `json:"wanted"`
	Free   int     `json:"free"`
	Left   int     `json:"left"`
	Takers []Taker `json:"takers"`
	// ReservedFor is the job that has a reservation, 0 for a shortage before reservations are
	// looked at; ReservedAt is in seconds since the start of the run.
	ReservedFor int     `json:"reserved_for,omitempty"`
	ReservedAt  float64 `json:"reserved_at_s,omitempty"`
}

// Taker is a winner with what it took.
type Taker struct {
	Job    int `json:"job"`
	Amount int `json:"amount"`
}

// Need is bidding.Need.
type Need struct {
	Alternative int  `json:"alternative,omitempty"`
	Nodes       int  `json:"nodes"`
	Contiguous  bool `json:"contiguous,omitempty"` // in one block
	Cores       int  `json:"cores"`                // on each node
	GPUs        int  `json:"gpus"`                 // on each node
	Idle        bool `json:"idle,omitempty"`
	Exclusive   bool `json:"exclusive,omitempty"`
	Found       int  `json:"found"`
	Longest     int  `json:"longest_block"`
	Switches    int  `json:"switches,omitempty"`
	Below       int  `json:"below_switches,omitempty"`
	Options     int  `json:"excluded_by_options"`
	Barred      int  `json:"kept_by_reservations,omitempty"` // of Slurm
	FewCores    int  `json:"too_few_cores"`
	FewGPUs     int  `json:"too_few_gpus"`
	Busy        int  `json:"not_idle"`
	FewMemory   int  `json:"too_little_memory"`
	// Missing is a hostlist of required nodes that do not do.
	Missing string `json:"missing,omitempty"`
}

// Relaxed describes the prices of a cycle.
type Relaxed struct {
	// Bound is proven by the prices; Gap is how far above the value of the winners
	// it lies, as a part of that. Prices are the better the smaller it is.
	Bound float64 `json:"bound"`
	Value float64 `json:"value"`
	Gap   float64 `json:"gap"`
}

// Backfill is what a model of Slurm's backfill plans for the job at an instant.
type Backfill struct {
	// Model is conservative, as Slurm, or easy.
	Model string  `json:"model"`
	Time  float64 `json:"time_s"`
	// Start is absent if the job never starts.
	Start *float64 `json:"start_s,omitempty"`
	Nodes string   `json:"nodes,omitempty"`
	// After are running jobs whose end it waits for, Behind jobs before it in the
	// queue that get some of its nodes first.
	After  []int `json:"after,omitempty"`
	Behind []int `json:"behind,omitempty"`
	// Ignores is an option of the job that the model does not know.
	Ignores string `json:"ignores,omitempty"`
}
