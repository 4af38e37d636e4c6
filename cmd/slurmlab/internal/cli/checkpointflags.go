package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
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
	under(cmd, headClock, func(f *pflag.FlagSet) {
		f.DurationVar(&c.stopAt, "stop-at", 0, "stop at this virtual time after the start of the run, such as 36h, and leave a checkpoint (docs/checkpoints.md)")
	})
}

func (c *checkpointFlags) fromFlag(cmd *cobra.Command, what string) {
	under(cmd, headJobs, func(f *pflag.FlagSet) {
		f.StringVar(&c.from, "from", "", what)
	})
	completeFlag(cmd, "from", ofDirectories)
}

// stop lists the faults of --stop-at.
func (c *checkpointFlags) stop(given *pflag.FlagSet) error {
	if !given.Changed("stop-at") {
		return nil
	}
	if c.stopAt < time.Second || c.stopAt%time.Second != 0 {
		return fmt.Errorf("stop-at: %v is not allowed, want whole seconds after 0, such as 36h or 90m30s", c.stopAt)
	}
	return nil
}

// ofCheckpoint are the flags whose values a checkpoint has.
func ofCheckpoint() []string {
	return []string{
		"machine", "workload", "arrivals", "estimated-runtime", "full-configuration", "seed", "slurm",
		"clock", "time-scale", "think-scale", "start", "replicas", "windows", "events",
	}
}

// read opens the checkpoint, makes its kind of cluster that of the experiment, and lists all
// faults.
func (c *checkpointFlags) read(e *experiment) error {
	found, err := run.OpenCheckpoint(c.from)
	if err == nil {
		c.checkpoint, e.kind.slurm = found, found.Settings.Slurm
	}
	return errors.Join(err, e.checkContinued(err == nil))
}

// checkContinued lists the faults of the flags of runs that go on from a checkpoint. Their kind of cluster is
// known if the checkpoint is.
func (e *experiment) checkContinued(known bool) error {
	var faults []error
	for _, name := range ofCheckpoint() {
		if e.given.Changed(name) {
			faults = append(faults, fmt.Errorf("%s: is not allowed with --from, whose checkpoint has it", name))
		}
	}
	if e.Runtime == run.CharliecloudName {
		faults = append(faults, fmt.Errorf("from: is not allowed with --runtime %s, want %s", e.Runtime, run.DockerName))
	}
	if known {
		faults = append(faults, e.kind.check())
	}
	return errors.Join(append(faults, campaign.CheckCore(e.Core), e.Runtime.Check(int64(e.memory)))...)
}

// base is the policy that the run before the checkpoint had, without it the named one.
func (c *checkpointFlags) base(e *experiment, name string) (policy.Policy, error) {
	if c.checkpoint != nil && !e.given.Changed("policy") {
		return c.checkpoint.Request.Policy, nil
	}
	return e.policyFile.Find(name)
}

// policy is the base with the settings and flags that were given in place of its own.
func (c *checkpointFlags) policy(e *experiment, name string, settings []string) (policy.Policy, error) {
	p, err := c.base(e, name)
	if err != nil || len(settings) == 0 && c.checkpoint == nil {
		// Without either a fault of the name is told together with those of the flags.
		return e.policy(name)
	}
	var changes []policy.Setting
	words := []string{p.Name}
	for _, s := range settings {
		change, settingErr := readSetting(s)
		if settingErr != nil {
			return p, settingErr
		}
		changes, words = append(changes, change), append(words, change.Word())
	}
	if len(changes) > 0 {
		if p, err = p.Change(policy.JoinName(words...), changes...); err != nil {
			return p, fmt.Errorf("set: %w", err)
		}
	}
	return e.changed(p)
}

// config is the run that goes on from the checkpoint under a policy.
func (c *checkpointFlags) config(s *State, e *experiment, p policy.Policy, dir string) (run.Config, error) {
	from := c.checkpoint
	config := run.Config{
		Dir: dir, Slurm: from.Settings.Slurm, Image: e.kind.image(), Version: s.Version, Revision: s.Revision,
		Machine: from.Settings.Machine, Jobs: from.Request.Jobs, Seed: from.Settings.Seed, Policy: p,
		FullConfiguration: from.Request.FullConfiguration, Events: from.Request.Events,
		Clock:       clock.Settings{Kind: clock.Kind(from.Settings.Clock), TimeScale: 1, ThinkScale: from.Settings.ThinkScale},
		AllowFailed: e.allowFailed, Memory: int64(e.memory), AnyBuild: e.AnyBuild, From: from, StopAt: int(c.stopAt / time.Second),
	}
	err := errors.Join(p.CheckSlurm(config.Slurm), config.CheckFrom())
	if c.stopAt > 0 {
		err = errors.Join(err, config.CheckStop())
	}
	if err != nil {
		return config, usage(err)
	}
	return config, nil
}

// name is that of a run that goes on, in its directory.
func (c *checkpointFlags) name(p policy.Policy) string {
	old := c.checkpoint.Settings
	return fmt.Sprintf("%s-%s-%s-seed%d", old.Machine.Name, old.Workload, p.Name, old.Seed)
}

// stopped tells of a run that was stopped for a checkpoint, and whether it was.
func stopped(s *State, dir string) (bool, error) {
	opened, record, err := trace.OpenRun(dir)
	if err != nil || record.Status == trace.StatusComplete {
		return false, err
	}
	checkpoint := opened.Checkpoint()
	text := wrap(fmt.Sprintf("Run %s is %s. It has no metrics yet.", dir, record.Reason), "", s.width()) +
		wrap("Next, go on as before, or with another policy:", "", s.width()) +
		commandText([]string{"slurmlab", "run", "--from", checkpoint}, s.screen()) +
		commandText([]string{"slurmlab", "run", "--from", checkpoint, "--policy", policy.Backfill}, s.screen())
	_, err = fmt.Fprint(s.Stdout, text)
	return true, err
}
