package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/text"
)

func campaignPlanCommand(s *State) *cobra.Command {
	var f form
	var file fileFlags
	cmd := &cobra.Command{
		Use:   "plan FILE|DIR",
		Short: "List the runs of a campaign, what they take, and which exist",
		Long: `Lists each run of a campaign with the real seconds and the memory that it takes
and with what lies in its place. The seconds are the mean of the complete runs
in the folder that differ in the seed alone; without such runs they follow from
the numbers of jobs and nodes, and are right within a factor of two or three.
The memory is the most that such runs took, or follows from a rule: 320 MB for
the daemons, 128 KiB a job, 64 KiB a node, or 16 MiB where each has a slurmd;
for an auction 32 MB and 48 KiB a node more, for other programs 512 MB. Nothing
is made.`,
		Example:           "  slurmlab campaign plan study.yaml\n  slurmlab campaign plan study --format csv",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFiles(".yaml", ".yml")).first().cobra,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.Check(); err != nil {
				return usage(err)
			}
			st, err := campaign.Open(args[0], file.options(s))
			if err != nil {
				return err
			}
			s.tell(st.Notes...)
			return tellPlan(s, f, &st)
		},
	}
	file.flags(cmd)
	f.flags(cmd)
	return cmd
}

// tellPlan lists the runs of a study with their states, and what those that are missing take.
func tellPlan(s *State, f form, st *campaign.Study) error {
	entries, err := st.Entries()
	if err != nil {
		return err
	}
	t, err := entries.Table()
	if err != nil {
		return err
	}
	if err = f.print(s, t, "--wide, --format csv or json"); err != nil || !f.ForPeople() {
		return err
	}
	_, err = fmt.Fprintf(s.Stdout, "\n%s", text.Wrap(entries.Summary(), "", s.width())+text.Wrap(entries.OtherBuilds(), "", s.width())+text.Wrap(st.Aim(), "", s.width()))
	return err
}
