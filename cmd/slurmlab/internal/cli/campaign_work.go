package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
)

// campaignWorkCommand is what a task of a job array runs.
func campaignWorkCommand(s *State) *cobra.Command {
	var c campaignFlags
	var file string
	var task, seeds int
	cmd := &cobra.Command{
		Use:    "work DIR",
		Hidden: true,
		Short:  "Make the runs of one task of a job array (what --on slurm submits)",
		Long: `Makes the runs of a campaign that a line of FILE names, from the copy of the
campaign file in the folder, beside other tasks that do the same with theirs.
A run that is complete or that somebody else carries out is left alone.
"slurmlab campaign run --on slurm" submits this command; nobody needs to type
it.`,
		Example:           "  slurmlab campaign work study --batch x.tasks --task 0 --engine charliecloud \\\n    --image image",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFolders).first().cobra,
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := campaign.Open(args[0], s.build())
			if err == nil && st.Until != nil && seeds > 0 {
				st, err = st.Grow(seeds)
			}
			if err = errors.Join(err, c.check()); err != nil {
				return usage(err)
			}
			lines, err := os.ReadFile(file)
			if err != nil {
				return usage(fmt.Errorf("batch: %w", err))
			}
			names, err := campaign.TaskLine(string(lines), task)
			if err != nil {
				return usage(fmt.Errorf("batch: %s: %w", file, err))
			}
			configs, err := st.Configs(c.image, c.memory)
			if err != nil {
				return err
			}
			mine := slices.DeleteFunc(configs, func(run run.Config) bool { return !slices.Contains(names, filepath.Base(run.Dir)) })
			if len(mine) != len(names) {
				return usage(fmt.Errorf("batch: %s: task %d has %s, and the campaign in %s has %d of them", file, task, text.Plural(len(names), "run"), st.Folder, len(mine)))
			}
			c.Out, c.Shared = st.Folder, true
			return c.runMissing(cmd.Context(), s, c.replication.parallel, mine)
		},
	}
	c.flags(cmd, s)
	declare(cmd, headSite,
		flag("batch", &file, "", "file with a line of run directories for each task").completes(ofFiles(campaign.TasksEnding)),
		flag("task", &task, 0, "number of the task, counted from 0 as Slurm does"),
		flag("seeds", &seeds, 0, "of a campaign that adds seeds, how many there are"),
	)
	return cmd
}
