package watch

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Moment is an instant on both clocks.
type Moment struct {
	Real    time.Time `json:"real"`
	Virtual time.Time `json:"virtual"`
}

// Cluster is a kept cluster at a moment.
type Cluster struct {
	Now   Moment `json:"now"`
	Clock string `json:"clock"` // real, scaled or jump
	// The machine; Cores and GPUs are per node, the most of one where nodes differ. Groups are of such a machine.
	Nodes  int         `json:"nodes"`
	Cores  int         `json:"cores"`
	GPUs   int         `json:"gpus"`
	Groups []NodeGroup `json:"groups,omitempty"`
	// Policy is the agent's, or Slurm's scheduler without one. Priority is Slurm's
	// plug-in.
	Policy   string   `json:"policy"`
	Priority string   `json:"priority"`
	Daemons  []Daemon `json:"daemons"`
	// Restarts are those of daemons so far.
	Restarts []Restart `json:"restarts,omitempty"`
	// SlurmError says why Slurm could not be asked for what follows.
	SlurmError string `json:"slurm_error,omitempty"`
	// NodeStates and JobStates count by Slurm's words.
	NodeStates map[string]int `json:"node_states,omitempty"`
	JobStates  map[string]int `json:"job_states,omitempty"`
	// Stuck are pending jobs that Slurm gives a reason for other than their turn,
	// where no agent schedules.
	Stuck []trace.Refusal `json:"stuck,omitempty"`
	// Agent is nil where Slurm schedules by itself. AgentError says why nothing is
	// known of an agent that should be there.
	Agent      *Agent `json:"agent,omitempty"`
	AgentError string `json:"agent_error,omitempty"`
}

// NodeGroup are so many equal nodes; Cores and GPUs are per node.
type NodeGroup struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
	Cores int    `json:"cores"`
	GPUs  int    `json:"gpus"`
}

// Daemon is a process of the cluster.
type Daemon struct {
	Name  string `json:"name"`
	Alive bool   `json:"alive"`
	// Ended and How ("exit status 1") tell the end of one that was waited for, and
	// LastWords are the last line of its log.
	Ended     *Moment `json:"ended,omitempty"`
	How       string  `json:"how,omitempty"`
	LastWords string  `json:"last_words,omitempty"`
}

// Restart is a daemon that died and was started again.
type Restart struct {
	Daemon string `json:"daemon"`
	// How it died, "signal: killed", and Died when, in virtual time.
	How  string    `json:"how"`
	Died time.Time `json:"died"`
	// Outage is the real time for which it did not serve.
	Outage time.Duration `json:"outage_ns"`
}

// Agent is what an agent says of itself after a cycle.
type Agent struct {
	// Policy is set for the agent of a run, whose cluster does not know it.
	Policy string `json:"policy,omitempty"`
	Began  Moment `json:"began"`
	// Interval is the virtual time between cycles.
	Interval time.Duration `json:"interval_ns"`
	// Good is the last cycle without an error, Decision the last one that had bids to
	// choose from.
	Good     *Cycle `json:"last_good_cycle,omitempty"`
	Decision *Cycle `json:"last_decision,omitempty"`
	// Error is the last one; Over says that a good cycle came after it.
	Error *Error `json:"last_error,omitempty"`
	// Obstacles are the held jobs, by Slurm's ids, that the agent cannot schedule,
	// HeldByOwner those that their owners hold.
	Obstacles   []trace.Refusal `json:"obstacles,omitempty"`
	HeldByOwner []int           `json:"held_by_owner,omitempty"`
	// Losses are the last ones of jobs that have not won since, the newest at the end, and no
	// more than MostLosses.
	Losses []Loss `json:"losses,omitempty"`
}

// Loss of a job in a cycle.
type Loss struct {
	trace.Loss
	Cycle int `json:"cycle"`
}

// MostLosses is how many losses an Agent keeps: windows have some tens of jobs, and no watcher
// lists more jobs.
const MostLosses = 200

// Cycle is the short form of a trace.Cycle.
type Cycle struct {
	Number int    `json:"cycle"`
	Ended  Moment `json:"ended"`
	// Pending counts the held jobs, Window those that took part.
	Pending  int `json:"pending"`
	Window   int `json:"window"`
	Bids     int `json:"bids"`
	Released int `json:"released"`
	// Refused counts the winners that Slurm refused, and Deferred those that were
	// left for a later cycle.
	Refused  int     `json:"refused"`
	Deferred int     `json:"deferred"`
	Solver   string  `json:"solver_status,omitempty"`
	Gap      float64 `json:"gap"`      // that of trace.Cycle, negative when unknown
	SolveMS  float64 `json:"solve_ms"` // real
	TotalMS  float64 `json:"total_ms"` // real
}

// Error is a failure of a cycle.
type Error struct {
	Cycle int    `json:"cycle"`
	At    Moment `json:"at"`
	Text  string `json:"text"`
	Over  bool   `json:"over"`
}

// Learn takes a cycle that ended at a moment without an error into account.
func (a *Agent) Learn(c trace.Cycle, at Moment) {
	short := Cycle{
		Number: c.Cycle, Ended: at, Pending: c.Pending, Window: c.Window, Bids: c.Bids, Released: len(c.Released),
		Refused: len(c.Refused), Deferred: len(c.Deferred), Solver: c.Solver, Gap: c.Gap, SolveMS: c.SolveMS, TotalMS: c.Milliseconds(),
	}
	a.Good = &short
	if short.Window > 0 {
		a.Decision = &short
	}
	a.remember(c)
	if a.Error != nil {
		a.Error.Over = true
	}
}

// remember takes the losses of a cycle into account. It makes a new list: copies of the Agent
// have the old one.
func (a *Agent) remember(c trace.Cycle) {
	if len(c.Lost) == 0 && len(c.Released) == 0 {
		return
	}
	over := map[int]bool{}
	for _, l := range c.Lost {
		over[l.Job] = true
	}
	for _, r := range c.Released {
		over[r.Job] = true
	}
	var losses []Loss
	for _, l := range a.Losses {
		if !over[l.Job] {
			losses = append(losses, l)
		}
	}
	for _, l := range c.Lost {
		losses = append(losses, Loss{Loss: l, Cycle: c.Cycle})
	}
	a.Losses = losses[max(0, len(losses)-MostLosses):]
}

// Fail takes an error of a cycle into account. Of several in a row, the cycle and the moment of the first are kept.
func (a *Agent) Fail(cycle int, err error, at Moment) {
	if a.Error != nil && !a.Error.Over {
		a.Error.Text = err.Error()
		return
	}
	a.Error = &Error{Cycle: cycle, At: at, Text: err.Error()}
}

// Faults says what in the cluster is broken: a daemon that is gone, Slurm that does not
// answer, an agent whose cycles fail or that has had none for long. It is empty for a
// healthy cluster, whatever its jobs wait for.
func (c Cluster) Faults() []string {
	var faults []string
	agentAlive := false
	for _, d := range c.Daemons {
		switch {
		case d.Alive:
			agentAlive = agentAlive || d.Name == AgentName
		case d.Ended == nil:
			faults = append(faults, d.Name+" is not running")
		default:
			fault := fmt.Sprintf("%s is not running since %s (%s ago): %s",
				d.Name, stamp(d.Ended.Virtual), ago(c.Now.Real.Sub(d.Ended.Real)), d.How)
			if d.LastWords != "" {
				fault += "; its last words: " + d.LastWords
			}
			faults = append(faults, fault)
		}
	}
	if c.SlurmError != "" {
		faults = append(faults, "Slurm does not answer: "+c.SlurmError)
	}
	if c.AgentError != "" {
		faults = append(faults, "nothing is known of the agent: "+c.AgentError)
	}
	if c.Agent == nil || !agentAlive {
		return faults
	}
	if e := c.Agent.Error; e != nil && !e.Over {
		faults = append(faults, fmt.Sprintf("the agent's cycles fail since cycle %d", e.Cycle))
	}
	last := c.Agent.Began
	if c.Agent.Good != nil {
		last = c.Agent.Good.Ended
	}
	if c.Now.Real.Sub(last.Real) > silence && c.Now.Virtual.Sub(last.Virtual) > silence+10*c.Agent.Interval {
		faults = append(faults, fmt.Sprintf("the agent has had no good cycle for %s: it hangs, or Slurm does not answer it",
			ago(c.Now.Real.Sub(last.Real))))
	}
	return faults
}

// AgentName is the name of the agent among the daemons.
const AgentName = "agent"

// silence is the time without a good cycle after which an agent is said to hang. A
// cycle with a long solve takes some 10 s.
const silence = time.Minute
