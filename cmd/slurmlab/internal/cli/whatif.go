package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
)

func whatIfCommand(s *State) *cobra.Command {
	var c campaignFlags
	var f form
	var o compare.WhatIfOptions
	var plan bool
	cmd := &cobra.Command{
		Use:   "whatif FILE|DIR",
		Short: "Ask what another configuration would do to the jobs of a site",
		Long: `A file names a site (machine, policy, record of its jobs, days) and scenarios:
other settings of slurm.conf, partitions, limits, nodes or events. Each day of
the record is run under each scenario. A day begins with the jobs that ran and
waited then. A job that runs then goes on, even if the scenario forbids it, as
Slurm evicts none (docs/whatif.md).

The command makes the runs that are missing, and prints a table of scenarios by
partition: waits, hours of cores and GPUs, who is helped and hurt, and the
difference to the site as it is with its interval over the days. Of a folder,
--by, --judged and --spread print what is there and make no run. --shake 2 adds
two repetitions of each day whose arrivals move by seconds.

The folder is one of a campaign: "slurmlab campaign status" and "slurmlab
campaign report" read it.`,
		Example: `  slurmlab whatif site.yaml --plan
  slurmlab whatif site.yaml
  slurmlab whatif site.yaml --shake 2 --by qos`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: ofFiles(".yaml", ".yml").and(ofFolders).first().cobra,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.Check(), checkPlanned(cmd.Flags(), plan)); err != nil {
				return usage(err)
			}
			st, err := c.open(s, args[0])
			if err != nil {
				return err
			}
			if len(st.Scenarios) == 0 {
				return usage(fmt.Errorf("%s: got a campaign, want a file with base and scenarios; make the campaign with: slurmlab campaign run %s", args[0], text.ShellWord(args[0])))
			}
			if plan {
				return tellPlan(s, f, &st)
			}
			if campaign.IsFolder(args[0]) && tableAlone(cmd.Flags()) {
				return tellThere(s, f, &st, o)
			}
			detached, err := c.complete(cmd.Context(), s, &st)
			if err != nil || detached {
				return err
			}
			return tellWhatIf(s, f, &st, o)
		},
	}
	declare(cmd, headResults,
		flag("out", &c.file.Out, "", "folder of the runs (default: the file's name without its ending)").completes(ofDirectories).usual(),
		flag("plan", &plan, false, "list the runs and what they take, and make none").usual(),
		flag("by", &o.By, "partition", "what the rows of the table are").completes(ofWords(metric.JobBys()...)).usual(),
		flag("judged", &o.Judged, compare.WhatIfMeasures()[0], "measure whose difference is weighed").completes(ofWords(compare.WhatIfMeasures()...)),
		flag("spread", &o.Spread, false, "show mean and standard deviation of waits"),
	)
	declare(cmd, headRepeat, flag("shake", &c.file.Shakes, 0, "repeat each day so often with arrivals that move by seconds (default: shakes of the file, or 0)").usual())
	c.flags(cmd, s)
	c.site.flags(cmd)
	c.trust.flag(cmd, headCluster)
	f.flags(cmd)
	cmd.AddCommand(whatIfInitCommand(s))
	return cmd
}

// tableAlone says that the flags ask for another table, and for nothing of the runs: such a command makes none.
func tableAlone(given *pflag.FlagSet) bool {
	table, alone := false, true
	given.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "by", "judged", "spread":
			table = true
		case "format", "wide":
		default:
			alone = false
		}
	})
	return table && alone
}

// tellThere prints the table of the complete runs, and says what makes the others.
func tellThere(s *State, f form, st *campaign.Study, o compare.WhatIfOptions) error {
	entries, err := st.Entries()
	if err != nil {
		return err
	}
	if missing := len(entries) - len(entries.Complete()); missing > 0 {
		s.tell(fmt.Sprintf("%d of %s missing, which --by, --judged and --spread do not make; make them with: slurmlab whatif %s",
			missing, text.Plural(len(entries), "run"), text.ShellWord(st.Folder)))
	}
	return tellWhatIf(s, f, st, o)
}

// checkPlanned refuses flags of the table and of the runs beside --plan, which has neither.
func checkPlanned(given *pflag.FlagSet, plan bool) error {
	var faults []error
	for _, name := range []string{"by", "judged", "spread"} {
		if plan && given.Changed(name) {
			faults = append(faults, fmt.Errorf("%s: has no effect with --plan, which makes no table of scenarios; leave it out", name))
		}
	}
	if plan && given.Changed("trust") {
		faults = append(faults, errors.New("trust: has no effect with --plan, which runs nothing; leave it out"))
	}
	return errors.Join(faults...)
}

// tellWhatIf prints the table of scenarios, and leaves it in the folder, with the page.
func tellWhatIf(s *State, f form, st *campaign.Study, o compare.WhatIfOptions) error {
	entries, err := st.Entries()
	if err != nil {
		return err
	}
	w, err := st.WhatIf(entries, o)
	if err != nil {
		return err
	}
	t, err := w.Table()
	if err != nil {
		return err
	}
	files, err := report.WriteWhatIf(st.Folder, w)
	if err = errors.Join(err, st.WriteManifest(entries)); err != nil {
		return err
	}
	if err = f.print(s, t, "--wide"); err != nil || !f.ForPeople() {
		return err
	}
	lines := ""
	for _, line := range slices.Concat(w.Findings(), w.Notes(), w.Explain()) {
		lines += text.Wrap(line, "", s.width())
	}
	if _, err = io.WriteString(s.Stdout, "\n"+lines); err != nil {
		return err
	}
	return s.conclusion(f, fmt.Sprintf("%s (%s)", st.Folder, strings.Join(files, ", ")))
}
