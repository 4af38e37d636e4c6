package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/results/metric"
)

func campaignCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "campaign",
		Short: "Make hundreds of runs from a file, and compare them",
		Long: `A campaign file names machines, workloads, seeds, policies with settings, and
backends; the campaign is a run of each combination, in a folder of run
directories (docs/campaigns.md). Whatever ends the command, SIGKILL and a loss
of power included, costs no more than the runs that were under way.`,
		Example: `  slurmlab campaign plan study.yaml
  slurmlab campaign run study.yaml
  slurmlab campaign report study`,
	}
	cmd.AddCommand(campaignPlanCommand(s), campaignRunCommand(s), campaignStatusCommand(s), campaignReportCommand(s), campaignWorkCommand(s))
	return cmd
}

// campaignFlags are the flags of the commands that carry a campaign out.
type campaignFlags struct {
	execution
	replication replication
	memory      int64
	image       string
	file        fileFlags
	site        siteFlags
	trust       trust
}

// mostRepeats is the largest value of --repeats, and the usual one: a machine that is busy
// three times is busy.
const mostRepeats = 2

// check lists the faults of the flags.
func (c *campaignFlags) check() error {
	var err error
	if c.Repeats < 0 || c.Repeats > mostRepeats {
		err = fmt.Errorf("repeats: %d is not allowed, want 0 to %d", c.Repeats, mostRepeats)
	}
	return errors.Join(campaign.CheckCore(c.Core), c.Engine.Check(c.memory), c.replication.check(c.Core), c.checkUI(), c.checkArchive(), err)
}

func (c *campaignFlags) flags(cmd *cobra.Command, s *State) {
	coreFlag(cmd, s, &c.Core, campaign.CoreAuto)
	c.replication.replicas = 1
	declare(cmd, headCluster,
		c.replication.parallelFlag().usual(),
		flag("image", &c.image, "", "cluster image of a campaign on one backend (default: the usual one of the backend)"),
	)
	c.engineFlag(cmd)
	memoryFlag(cmd, &c.memory)
	declare(cmd, headRepeat, flag("repeats", &c.Repeats, mostRepeats, "how often a run is made again that other programs on its core or a late clock disturbed (by more than 2 % of the time, and more than 1 s)"))
	c.anyBuildFlag(cmd)
	c.archiveFlag(cmd)
	c.uiFlag(cmd)
	c.quietFlag(cmd)
	c.GoesOn, c.Unattended, c.Elsewhere = true, true, campaign.Elsewhere
}

// fileFlags are the flags of the commands that take a campaign file, beside it.
type fileFlags struct{ campaign.FileOptions }

// build has the version of this slurmlab.
func (s *State) build() campaign.FileOptions {
	return campaign.FileOptions{Version: s.Version, Revision: s.Revision}
}

// options are the flags with the version of this slurmlab.
func (f fileFlags) options(s *State) campaign.FileOptions {
	o := f.FileOptions
	o.Version, o.Revision = s.Version, s.Revision
	return o
}

// flags sets the flags of the commands that take a campaign file.
func (f *fileFlags) flags(cmd *cobra.Command) {
	declare(cmd, headResults, flag("out", &f.Out, "", "folder of the campaign (default: the file's name without its ending)").completes(ofDirectories).usual())
	declare(cmd, headRepeat,
		flag("aa", &f.AA, false, "compare each policy with itself, to see how often a verdict is wrong; the folder ends in -aa").usual(),
		flag("precision", &f.Until, "", "add seeds until the relative difference of a metric is known so well in every pair: waiting=2% is an interval of ± 2 %").completes(ofMetrics("=")).usual(),
		flag("max-seeds", &f.Most, 0, fmt.Sprintf("with --precision, the largest number of seeds (default %d, or what the file lists)", campaign.UsualMost())).usual(),
	)
}

// ofMetrics completes the name of a metric, with what follows it.
func ofMetrics(ending string) completions {
	return func(*cobra.Command, []string, string) []cobra.Completion {
		var list []cobra.Completion
		for _, m := range metric.Measures() {
			if m.Subject == metric.OfPolicy {
				list = append(list, cobra.CompletionWithDesc(m.Short()+ending, m.Brief))
			}
		}
		return list
	}
}

func campaignRunCommand(s *State) *cobra.Command {
	var c campaignFlags
	cmd := &cobra.Command{
		Use:   "run FILE|DIR",
		Short: "Make the runs of a campaign that are not there yet",
		Long: `Checks the campaign file and lists all its faults before anything starts. Then
it makes the runs that are not in the folder yet, one cluster a core, as many at
a time as there are free cores. A run that fails leaves the others alone; the
same command makes it again. So does the folder in the place of the file, which
has a copy of the file: complete runs are used, broken ones are moved to
"broken". campaign.log has the messages about the runs as well.

With --precision (or precision and max_seeds in the file) it looks at the 95 %
intervals of the relative differences between the policies of each pair after
ten seeds, or as many as the file lists. It adds a quarter of the seeds until
each interval is as narrow as wanted, or until there are --max-seeds.

With --on slurm tasks of job arrays make the runs, on the Slurm that this
machine belongs to; what is lost is submitted again, at most three times.

With --on docker://HOST:PORT,docker:///PATH the runs are spread over these
Docker engines, one cluster on each free core of their machines. An engine is
named by its TCP address or by the path of a socket. Each must have the same
image.`,
		Example: `  slurmlab campaign run study.yaml
  slurmlab campaign run study.yaml --out elsewhere --parallel 1
  slurmlab campaign run study.yaml --precision waiting=2%
  slurmlab campaign run study.yaml \
    --on docker:///var/run/docker.sock,docker://10.0.0.5:2375
  slurmlab campaign run study --on slurm --engine charliecloud --image image`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: ofFiles(".yaml", ".yml").and(ofFolders).first().cobra,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.carryOut(cmd.Context(), s, args[0]) },
	}
	c.file.flags(cmd)
	c.flags(cmd, s)
	c.site.flags(cmd)
	c.trust.flag(cmd, headCluster)
	return cmd
}

// ofFolders completes the folder of a campaign.
func ofFolders(_ *cobra.Command, _ []string, begun string) []cobra.Completion {
	return entries(begun, func(path string, entry os.DirEntry) (cobra.Completion, bool) {
		return path, entry.IsDir() && campaign.IsFolder(path)
	})
}
