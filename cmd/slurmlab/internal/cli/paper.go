package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/results/paper"
)

func paperCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Put runs beside the figures that a paper published",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	examples := map[string]string{
		"ipsched": `  slurmlab compare --machine L --workload ESP-2.gpu --policies backfill,ipsched --replicas 3 --out esp
  slurmlab paper ipsched --table 5 --rows 1-SLURM,3 esp/L-ESP-2.gpu-*`,
		"aucsched": `  slurmlab compare --machine S --workload V.2 --policies backfill,auction1 --replicas 3 --out v2
  slurmlab paper aucsched --table 5 --rows V.2 v2/S-V.2-*
  slurmlab paper aucsched --table 8 --rows V.1-largest`,
		"aucsched2": `  slurmlab compare --machine tsubame --workload 1.NC.table3 --policies backfill,auction2 --replicas 3 --out nc
  slurmlab paper aucsched2 --rows 1.NC nc/tsubame-1.NC.table3-*`,
	}
	for _, p := range paper.Papers() {
		cmd.AddCommand(figuresCommand(s, p, examples[p.Name]))
	}
	return cmd
}

func figuresCommand(s *State, p paper.Paper, example string) *cobra.Command {
	var format string
	var number int
	var rows []string
	title := strings.ToUpper(p.Name)
	cmd := &cobra.Command{
		Use:   p.Name + " [DIR...]",
		Short: p.About,
		Long: `Prints the rows of a table of ` + title + `: the published value, the mean of the
given complete runs of that machine, workload and policy, the difference and,
from two replicas on, its 95 % confidence interval. The runs come from
"slurmlab run" and "compare"; without any the published values are printed
alone. Row and method are the paper's names, workload and policy ours: what to
run, "-" where nothing of ours belongs to the row. Only runs whose theoretical
runtime is near the paper's say something. Notes below the table are left out
of CSV.`,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			write, formatErr := tableWriter(format)
			published, rowsErr := p.Rows(number, rows...)
			if err := errors.Join(formatErr, rowsErr); err != nil {
				return usage(err)
			}
			loaded, err := load(lab.Load, args...)
			if err != nil {
				return err
			}
			runs := make([]paper.Run, len(loaded))
			for i, r := range loaded {
				runs[i] = paper.Run{Path: r.Path, Run: r.Data.Run, Metrics: *r.Metrics}
			}
			figures, err := paper.Compare(published, runs)
			if err != nil {
				return usage(err)
			}
			t, err := paper.Table(figures)
			if err != nil {
				return err
			}
			if err := write(t, s.Stdout); err != nil || format == "csv" {
				return err
			}
			for _, note := range p.Notes(number) {
				if _, err := fmt.Fprintf(s.Stdout, "\nNote: %s\n", note); err != nil {
					return fmt.Errorf("write table: %w", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, csv or markdown")
	cmd.Flags().IntVar(&number, "table", p.Tables[0], "table of the paper: "+p.TableList())
	cmd.Flags().StringSliceVar(&rows, "rows", nil, "the paper's names of rows, separated by commas; all of the table without")
	return cmd
}
