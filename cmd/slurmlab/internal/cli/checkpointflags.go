package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// checkpointFlags holds the flags that stop a run for a checkpoint and go on from one.
type checkpointFlags struct {
	stopAt time.Duration
	from   string
	// checkpoint is that of from, after read.
	checkpoint *run.Checkpoint
}

func (c *checkpointFlags) stopFlag(cmd *cobra.Command) {
	declare(cmd, headClock, flag("stop-at", &c.stopAt, 0, "stop at this virtual time after the start of the run, such as 36h, and leave a checkpoint (docs/checkpoints.md)"))
}

func (c *checkpointFlags) fromFlag(cmd *cobra.Command, what string) {
	declare(cmd, headJobs, flag("checkpoint", &c.from, "", what).completes(ofDirectories).usual())
}

// stop sets when the run of the experiment stops, and lists the faults of --stop-at.
func (c *checkpointFlags) stop(e *experiment) error {
	e.config.StopAt = int(c.stopAt / time.Second)
	if !e.given.Changed("stop-at") {
		return nil
	}
	if c.stopAt < time.Second || c.stopAt%time.Second != 0 {
		return fmt.Errorf("stop-at: %v is not allowed, want whole seconds after 0, such as 36h or 90m30s", c.stopAt)
	}
	return nil
}

// ofCheckpoint says whether a checkpoint has the value of a flag: what is asked for of machine, jobs and clock.
func ofCheckpoint(f *pflag.Flag) bool {
	switch headingOf(f) {
	case headJobs, headClock:
		return f.Name != "checkpoint" && f.Name != "stop-at"
	default:
		return slices.Contains([]string{"backend", "slurm", "replicas", "windows"}, f.Name)
	}
}

// read opens the checkpoint, sets the backend of the experiment to the checkpoint's, and lists all faults.
func (c *checkpointFlags) read(e *experiment) error {
	found, err := run.OpenCheckpoint(c.from)
	if err == nil {
		c.checkpoint = found
		e.continueOn(found)
	}
	return errors.Join(err, e.checkContinued())
}

// continueOn gives the experiment the backend of a checkpoint.
func (e *experiment) continueOn(c *run.Checkpoint) {
	e.backends[0].Backend = c.Request.Backend
}

// checkContinued lists the faults of the flags of runs that go on from a checkpoint.
func (e *experiment) checkContinued() error {
	var faults []error
	e.given.VisitAll(func(f *pflag.Flag) {
		if f.Changed && ofCheckpoint(f) {
			faults = append(faults, fmt.Errorf("%s: is not allowed with --checkpoint, whose checkpoint has it", f.Name))
		}
	})
	if e.Engine == run.CharliecloudName {
		faults = append(faults, fmt.Errorf("checkpoint: is not allowed with --engine %s, want %s", e.Engine, run.DockerName))
	}
	return errors.Join(append(faults, campaign.CheckCore(e.Core), e.Engine.Check(e.config.Memory))...)
}

// policy is the policy that the run before the checkpoint had, without it the named one, with the
// settings in the place of its own. The error lists all faults of both.
func (c *checkpointFlags) policy(e *experiment, name string) (policy.Policy, error) {
	if c.checkpoint != nil && !e.given.Changed("policy") {
		e.past = []policy.Policy{c.checkpoint.Request.Policy}
		name = e.usual()
	}
	return e.findUsed(name)
}

// continued is how runs are carried out that go on from a checkpoint.
func (e *experiment) continued() run.Config {
	how := e.config
	how.Image, how.AnyBuild = e.backends[0].imageName(), e.AnyBuild
	return how
}

// stopped tells of a run that was stopped for a checkpoint, and whether it was.
func stopped(s *State, dir string) (bool, error) {
	opened, record, err := trace.OpenRun(dir)
	if err != nil || record.Status == trace.StatusComplete {
		return false, err
	}
	checkpoint := opened.Checkpoint()
	text := text.Wrap(fmt.Sprintf("Run %s is %s. It has no metrics yet.", dir, record.Reason), "", s.width()) +
		text.Wrap("Next, go on as before, or with another policy:", "", s.width()) +
		text.Command([]string{"slurmlab", "run", "--checkpoint", checkpoint}, s.screen()) +
		text.Command([]string{"slurmlab", "run", "--checkpoint", checkpoint, "--policy", policy.Backfill}, s.screen())
	_, err = fmt.Fprint(s.Stdout, text)
	return true, err
}
