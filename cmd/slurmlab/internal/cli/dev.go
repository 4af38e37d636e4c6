package cli

import "github.com/spf13/cobra"

func devCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Look at slurmlab itself: its clocks and its solver",
	}
	cmd.AddCommand(clocksCommand(s), solveCommand(s))
	return cmd
}
