package drive

import (
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// Spec is a run that is asked for: the one form of it, from the flags or the campaign file to the cluster. run.json has it as
// trace.Settings, and how the run is carried out is a run.Config. slurmlabd gets the fields with a name in JSON.
type Spec struct {
	Machine workloads.Machine `json:"machine"`
	// Workload is where Jobs come from with Seed. It is the zero value in a run that goes on from a checkpoint.
	Workload workloads.Workload `json:"-"`
	Jobs     []workloads.Job    `json:"jobs"`
	Seed     uint64             `json:"-"`
	// Policy is the one that the cluster was booted for.
	Policy policy.Policy `json:"policy"`
	// Backend emulates the cluster.
	Backend backend.Backend `json:"-"`
	Clock   clock.Settings  `json:"-"`
	// FullConfiguration is the class of the jobs that start before all that are
	// waiting (ESP's Z jobs), empty for none.
	FullConfiguration string `json:"full_configuration,omitempty"`
	// Events happen to the cluster, in their order.
	Events []events.Event `json:"events,omitempty"`
	// EventsName is what their file is called, without its ending.
	EventsName string `json:"-"`
	// StopAt is the virtual second of the run at which it stops for a checkpoint, 0 for none.
	StopAt int `json:"stop_at_s,omitempty"`
}
