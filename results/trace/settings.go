package trace

import (
	"encoding/json"
	"fmt"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// Settings are what a run was asked to do, and by what software: the identity of
// an experiment. [Settings.Differences] tells two experiments apart.
type Settings struct {
	// ToolVersion names the sources of slurmlab and of the daemon in the image;
	// GitRevision is the commit that they were built from.
	ToolVersion string `json:"tool_version"`
	GitRevision string `json:"git_revision"`
	// ImageID, SlurmVersion and HiGHSVersion are empty in a run that broke before
	// it knew them, HiGHSVersion also under a policy without an agent.
	ImageID string `json:"image_id"`
	// Runs from before it was recorded have the first one, see DecodeRun.
	Backend
	SlurmVersion string            `json:"slurm_version"`
	HiGHSVersion string            `json:"highs_version"`
	Machine      workloads.Machine `json:"machine"`
	Workload     string            `json:"workload"`
	WorkloadSpec json.RawMessage   `json:"workload_spec"`
	Seed         uint64            `json:"seed"`
	// Window is the number, from 1 to Windows, of the window of the workload that the
	// jobs are cut from; both are 0 for the whole workload.
	Window     int             `json:"window,omitempty"`
	Windows    int             `json:"windows,omitempty"`
	Policy     string          `json:"policy"`
	Parameters json.RawMessage `json:"policy_parameters"`
	// ValueRule is how an auction by value values a job, auction.Rule in a line. It is empty under
	// other policies, and in runs from before it was recorded, which had auction.FormerRule.
	ValueRule string `json:"value_rule,omitempty"`
	// SchedulerType and SchedulerParameters of slurm.conf. Both are empty in runs from before they were recorded, the
	// second also for Slurm's defaults.
	SchedulerType       string `json:"scheduler_type,omitempty"`
	SchedulerParameters string `json:"scheduler_parameters,omitempty"`
	// PriorityType is PriorityType of slurm.conf. PriorityParameters are its other lines on priority, with commas
	// between them. Runs from before they were recorded have priority/basic, see DecodeRun.
	PriorityType       string `json:"priority_type"`
	PriorityParameters string `json:"priority_parameters,omitempty"`
	// SlurmSettings are other lines of slurm.conf of the policy, by key; nil for none.
	SlurmSettings map[string]string `json:"slurm_settings,omitempty"`
	// FullConfiguration is the class whose jobs no waiting job may start before
	// (ESP's Z jobs); empty for none.
	FullConfiguration string `json:"full_configuration,omitempty"`
	// Events is the sum of events.csv, what happens to the cluster during the run; nil without events.
	Events *events.Sum `json:"events,omitempty"`
	// EventsName is what the file of the events is called, without its ending. It is empty without events, and in runs from
	// before it was recorded. The same events under another name are no difference.
	EventsName string `json:"events_name,omitempty"`
	// Clock is one of the Clock constants. TimeScale is virtual seconds per real
	// second of a scaled clock, 1 otherwise; ThinkScale says how many times
	// faster than here the cluster's programs compute in virtual time (jump
	// clock, 1 otherwise).
	Clock      string  `json:"clock"`
	TimeScale  float64 `json:"time_scale"`
	ThinkScale float64 `json:"think_scale,omitempty"`
	// Continues is the checkpoint that the run goes on from; nil for a run from the beginning.
	Continues *Continued `json:"continues,omitempty"`
}

// Continued is a checkpoint of another run.
type Continued struct {
	// Checkpoint is the SHA-256 of its checkpoint.json, which has the sums of its files. Run is the id of the run
	// that left it.
	Checkpoint string `json:"checkpoint"`
	Run        string `json:"run"`
	// Time is its instant in virtual seconds since the start of the run.
	Time float64 `json:"time_s"`
	// Changed are the fields of run.json in which the settings differ from those before.
	Changed []string `json:"changed,omitempty"`
}

// Replica names what tells replicas of a run apart: "seed 3", "window 2 of 6".
func (s Settings) Replica() string {
	if s.Windows > 0 {
		return fmt.Sprintf("window %d of %d", s.Window, s.Windows)
	}
	return fmt.Sprintf("seed %d", s.Seed)
}

// ClockText names the clock of the run with its scale.
func (s Settings) ClockText() string { return ClockText(s.Clock, s.TimeScale, s.ThinkScale) }
