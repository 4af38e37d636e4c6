package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/paper"
	"github.com/slurmlab/slurmlab/results/table"
)

func paperCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Compare runs with the figures of a paper",
	}
	examples := map[string]string{
		"ipsched": `  slurmlab paper ipsched --table 5 --rows 1-SLURM,2,3 --replicas 3
  slurmlab compare --machine L --workload ESP-2.gpu \
    --policies backfill-whole-queue,ipsched --replicas 3 --out esp
  slurmlab paper ipsched --table 5 --rows 1-SLURM,3 esp/L-ESP-2.gpu-*`,
		"aucsched": `  slurmlab paper aucsched --table 5 --rows V.1,V.2 --replicas 3
  slurmlab paper aucsched --table 8 --replicas 5 --out table8 --dry-run
  slurmlab compare --machine S --workload V.2 \
    --policies backfill-whole-queue,auction1 --replicas 3 --out v2
  slurmlab paper aucsched --table 5 --rows V.2 v2/S-V.2-*`,
		"aucsched2": `  slurmlab paper aucsched2 --rows 1.NC --replicas 3
  slurmlab compare --machine tsubame --workload 1.NC.table3 \
    --policies backfill-whole-queue,auction2 --replicas 3 --out nc
  slurmlab paper aucsched2 --rows 1.NC nc/tsubame-1.NC.table3-*`,
	}
	for _, p := range paper.Papers() {
		cmd.AddCommand(figuresCommand(s, p, examples[p.Name]))
	}
	return cmd
}

func figuresCommand(s *State, p paper.Paper, example string) *cobra.Command {
	t := publishedTable{paper: p}
	var r rerun
	title := strings.ToUpper(p.Name)
	cmd := &cobra.Command{
		Use:   p.Name + " [DIR...]",
		Short: p.About,
		Long: `Prints the rows of a table of ` + title + `: the published value, the mean of our
complete runs of that machine, workload and policy, the difference, and both
minus Slurm's backfill in the same row, ours seed by seed. From two replicas
(or pairs) on differences have a 95 % confidence interval. Slurm's backfill is
policy backfill-whole-queue there, the set nearest to the papers'; runs of
policy backfill, the tuned backfill, add columns with ours minus theirs. Row
and method are the paper's names, workload and policy ours. Notes below the
table are left out of CSV and JSON, which have all columns; text has those
that fit the screen.

With --replicas the runs that the rows need are made, in the directory --out.
What is complete there with the same settings is used and not run again, so that
the same command goes on after an interruption; broken runs are moved to
"broken" below the directory. The table is written there too, as CSV and
Markdown.

Without --replicas nothing runs: the figures come from the given directories of
"slurmlab run" and "compare"; without directories only the published ones are
shown. Runs of rows of the paper that are not asked for are left out, which a
line on standard error says.`,
		Example: example,
		Args:    cobra.ArbitraryArgs,

		ValidArgsFunction: completions(ofRuns).cobra,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, tableErr := t.rows()
			err := errors.Join(tableErr, r.check(cmd.Flags(), args))
			if err != nil {
				return usage(err)
			}
			if r.replication.replicas > 0 {
				return r.carryOut(cmd.Context(), s, t, rows)
			}
			runs, err := metric.LoadAll(metric.Load, args...)
			if err != nil {
				return err
			}
			runs, note, err := t.paper.Asked(rows, runs)
			if err != nil {
				return err
			}
			if note != "" {
				if _, err = fmt.Fprintf(s.Stderr, "slurmlab: %s\n", note); err != nil {
					return err
				}
			}
			_, err = t.print(s, rows, runs)
			return err
		},
	}
	t.flags(cmd)
	declare(cmd, headResults,
		flag("table", &t.number, p.Tables[0], "table of the paper: "+p.TableList()).completes(ofWords(strings.Split(p.TableList(), ", ")...)).usual(),
		flag("rows", &t.names, nil, "the paper's names of rows, separated by commas; all of the table without").completes(t.ofRows().separated()).usual(),
	)
	r.flags(cmd, s, p)
	return cmd
}

// ofRows completes the paper's name of a row of the chosen table.
func (t *publishedTable) ofRows() completions {
	return func(*cobra.Command, []string, string) []cobra.Completion {
		rows, err := t.paper.Rows(t.number)
		if err != nil {
			return nil
		}
		var names []cobra.Completion
		for _, r := range rows {
			if name := cobra.CompletionWithDesc(r.Name, fmt.Sprintf("our %s on %s", r.Workload, r.Machine)); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return names
	}
}

// publishedTable is a table of a paper, with the flags that choose its rows and its
// format.
type publishedTable struct {
	paper  paper.Paper
	number int
	names  []string
	form
}

// rows returns the chosen rows. The error also tells of an unknown format.
func (t publishedTable) rows() ([]paper.Row, error) {
	rows, err := t.paper.Rows(t.number, t.names...)
	return rows, errors.Join(t.Check(), err)
}

// annotated is a table of figures with the notes below it.
type annotated struct {
	table table.Table
	notes []string
}

// print puts the runs beside the rows and prints the table.
func (t publishedTable) print(s *State, rows []paper.Row, runs []metric.Result) (annotated, error) {
	figures, err := paper.Compare(rows, runs)
	if err != nil {
		return annotated{}, usage(err)
	}
	b := annotated{notes: slices.Concat(paper.Rule(figures), paper.Remarks(figures), paper.BuildsOf(runs), t.paper.Notes(t.number))}
	if b.table, err = paper.Table(figures); err != nil {
		return annotated{}, err
	}
	write := func(w io.Writer) error { return b.write(w, s.screen(), t.form) }
	if t.Format == table.TextFormat {
		return b, s.explained(write)
	}
	return b, write(s.Stdout)
}

func (b annotated) write(w io.Writer, screen int, f form) error {
	if err := f.Write(w, screen, b.table, "--wide, --format csv or json"); err != nil || !f.ForPeople() {
		return err
	}
	for _, note := range b.notes {
		line := "Note: " + note + "\n"
		if f.Format == table.TextFormat {
			line = text.Wrap(line, "", min(screen, widestProse))
		}
		if _, err := io.WriteString(w, "\n"+line); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	return nil
}
