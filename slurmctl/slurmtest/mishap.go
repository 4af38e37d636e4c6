package slurmtest

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// Mishap is what goes wrong with a job. The zero value is nothing.
type Mishap struct {
	// State ends the job, such as slurmctl.JobFailed, when it has run for After; ""
	// lets it run.
	State slurmctl.JobState
	After time.Duration
	// Waits is how long after its first release the job stays pending, whatever is free.
	Waits time.Duration
	// Lags is the same after each release.
	Lags time.Duration
	// Completing is how much longer than Config.Completing its nodes stay COMPLETING.
	Completing time.Duration
}

// Event is the start of a job (slurmctl.JobRunning) or its end, with the state in
// which it ended.
type Event struct {
	Time  time.Time
	Job   int
	Name  string
	State slurmctl.JobState
	// Placed is what the job holds from its start to its end.
	Placed []Placed
}

// Placed is what a job holds on one node: the ids of its cores and a number of GPUs.
// Nodes and cores count from 0.
type Placed struct {
	Node  int
	Cores []int
	GPUs  int
}

// tell reports what became of the job.
func (c *Cluster) tell(j *job, state slurmctl.JobState) {
	if c.config.Observe == nil {
		return
	}
	e := Event{Time: c.now, Job: j.id, Name: j.name, State: state}
	for _, a := range j.allocated {
		e.Placed = append(e.Placed, Placed{Node: a.node, Cores: slices.Clone(a.cores), GPUs: a.gpus})
	}
	c.config.Observe(e)
}
