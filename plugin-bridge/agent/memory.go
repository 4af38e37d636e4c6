package agent

import (
	"maps"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Memory is what an agent knows beside Slurm, for one that replaces it after a checkpoint. The new agent relearns the
// rest: the sizes that Options.Shrink has found, and the usage of Options.FairShare.
type Memory struct {
	// Cycle is the number of the last cycle.
	Cycle   int      `json:"cycle"`
	Flights []Flight `json:"flights,omitempty"`
	// Running are what the verified jobs hold, and Reheld how often in a row a job was held
	// again for not starting, both by Slurm's job id.
	Running map[int]machine.Holding `json:"running,omitempty"`
	Reheld  map[int]int             `json:"reheld,omitempty"`
	// Dues of auction.Guard, by the workload's job id.
	Dues map[int]time.Duration `json:"dues,omitempty"`
	// Ran is the mean run time of auction.Pace, Started when the jobs that run started, by Slurm's job id.
	Ran     time.Duration     `json:"ran,omitempty"`
	Started map[int]time.Time `json:"started,omitempty"`
}

// Memory returns what the agent knows between two cycles.
func (a *Agent) Memory() Memory {
	return Memory{
		Cycle: a.cycle, Flights: a.Flights(), Running: maps.Clone(a.running), Reheld: maps.Clone(a.reheld), Dues: a.guard.Dues(),
		Ran: a.pace.Mean(), Started: maps.Clone(a.started),
	}
}

// Remember takes over the memory of another agent, before the first cycle.
func (a *Agent) Remember(m Memory) {
	a.cycle = m.Cycle
	maps.Copy(a.running, m.Running)
	maps.Copy(a.reheld, m.Reheld)
	a.guard.Restore(m.Dues)
	a.pace.Resume(m.Ran)
	a.started = maps.Clone(m.Started)
	a.Resume(m.Flights)
}
