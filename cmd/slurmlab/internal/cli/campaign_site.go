package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// siteFlags have the runs of a campaign made by job arrays of the user's own Slurm, or by several Docker engines.
type siteFlags struct {
	on     string
	ask    campaign.Site
	detach bool
	given  *pflag.FlagSet
}

func (f *siteFlags) flags(cmd *cobra.Command) {
	declare(cmd, headSite,
		flag("on", &f.on, "", "where the runs are made: slurm, by job arrays of the Slurm that this machine belongs to, with --engine charliecloud and --image DIR; or docker://HOST:PORT,docker:///PATH,..., by these Docker engines (docs/campaigns.md)").completes(ofWords(campaign.OnSlurm, campaign.OnDocker)).usual(),
		flag("account", &f.ask.Account, "", "account of the jobs (default: on.slurm.account of the campaign file, or Slurm's)"),
		flag("partition", &f.ask.Partition, "", "partition of the jobs (default: on.slurm.partition of the campaign file, or Slurm's)"),
		flag("time", &f.ask.Time, 0, "time limit of a task, such as 4h (default: on.slurm.time, or three times what its runs are expected to take)"),
		flag("cores-per-task", &f.ask.Cores, 0, "cores of a task, with a run on each (default: on.slurm.cores_per_task, or 1)"),
		flag("runs-per-task", &f.ask.RunsPerTask, 0, "runs that a task makes (default: on.slurm.runs_per_task, or as many as fill ten minutes)"),
		flag("detach", &f.detach, false, "end when the job arrays are submitted; the same command and status look at them later"),
	)
	f.given = cmd.Flags()
}

// check lists the faults of the flags, and of others that mean nothing beside them.
func (c *campaignFlags) checkSite() error {
	f := c.site
	var faults []error
	fail := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if f.on != campaign.OnSlurm {
		f.given.Visit(func(flag *pflag.Flag) {
			if headingOf(flag) == headSite && flag.Name != "on" {
				fail("%s: has no effect without --on %s", flag.Name, campaign.OnSlurm)
			}
		})
		return errors.Join(append(faults, c.checkEngines())...)
	}
	if c.Engine != run.CharliecloudName || c.image == "" {
		fail("on: %s wants --engine %s and --image DIR, an unpacked image on a file system that the nodes share; it is made with: slurmlab image unpack%s DIR",
			campaign.OnSlurm, run.CharliecloudName, backendArguments(run.RootlessBackends()[0]))
	}
	for _, other := range []struct {
		flag  string
		given bool
		want  string
	}{
		{"core", c.Core != campaign.CoreAuto, "Slurm gives a task its cores"},
		{"parallel", c.replication.parallel != 0, "want --cores-per-task"},
		{"ui", c.ui, "the runs are on other machines"},
	} {
		if other.given {
			fail("%s: has no effect with --on %s: %s", other.flag, campaign.OnSlurm, other.want)
		}
	}
	if f.ask.Time != 0 && f.ask.Time < campaign.LeastTime {
		fail("time: %s is not allowed, want at least %s", f.ask.Time, campaign.LeastTime)
	}
	if f.ask.Cores < 0 || f.ask.Cores > campaign.MostCores {
		fail("cores-per-task: %d is not allowed, want 1 to %d", f.ask.Cores, campaign.MostCores)
	}
	if f.ask.RunsPerTask < 0 {
		fail("runs-per-task: %d is not allowed, want 1 or more", f.ask.RunsPerTask)
	}
	return errors.Join(faults...)
}

// checkEngines sets the engines that --on names. It lists the faults of the flag, and of others that mean nothing beside it.
func (c *campaignFlags) checkEngines() error {
	on := c.site.on
	if on == "" {
		return nil
	}
	if !strings.Contains(on, "://") {
		return fmt.Errorf("on: %q is not allowed, want %s, or engines such as %s10.0.0.5:2375,%s/run/other.sock", on, campaign.OnSlurm, campaign.OnDocker, campaign.OnDocker)
	}
	var err error
	c.Hosts, err = campaign.ParseEngines(on)
	bad := []error{err}
	if c.Engine != "" && c.Engine != run.DockerName {
		bad = append(bad, fmt.Errorf("on: engines of Docker want --engine %s", run.DockerName))
	}
	if c.Core != campaign.CoreAuto {
		bad = append(bad, fmt.Errorf("core: has no effect with --on %s: each engine gives the cores that are free", campaign.OnDocker))
	}
	return errors.Join(bad...)
}
