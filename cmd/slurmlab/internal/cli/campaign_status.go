package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl"
)

func campaignStatusCommand(s *State) *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "status DIR|FILE",
		Short: "Say how far a campaign is, from its folder alone",
		Long: `Says how many runs of a campaign are complete, running, broken and missing, why
broken ones broke, and how long the others will take. It reads the folder and
needs no Docker; the campaign may be running. Where job arrays were submitted
(--on slurm), it asks squeue for their tasks.`,
		Example:           "  slurmlab campaign status study\n  slurmlab campaign status study --format json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completions(ofFolders).first().cobra,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := l.check(); err != nil {
				return usage(err)
			}
			st, err := campaign.Open(args[0], s.build())
			if err != nil {
				return err
			}
			entries, err := st.Entries()
			if err != nil {
				return err
			}
			status := st.Status(entries)
			if status.LeftSeconds > 0 {
				status.Ask(cmd.Context(), slurmctl.Here{})
			}
			return l.print(s, status, func(w io.Writer) error {
				for _, line := range status.Lines() {
					if _, printErr := io.WriteString(w, text.Wrap(line, "", s.width())); printErr != nil {
						return printErr
					}
				}
				return nil
			})
		},
	}
	l.flag(cmd)
	return cmd
}
