package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func twinCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "twin",
		Short: "Compare a run with the record of its cluster",
	}
	cmd.AddCommand(twinCheckCommand(s))
	return cmd
}

func twinCheckCommand(s *State) *cobra.Command {
	var traceFormat string
	var out form
	cmd := &cobra.Command{
		Use:   "check RUN TRACE",
		Short: "Compare the waits of a run with those that its trace recorded",
		Long: `Puts the waits of a complete run beside those in the trace that its workload was
imported from: all jobs, by partition, by size. Jobs are matched by their ids,
so that the trace must have been imported without --renumber, and with its own
arrivals.

The last line says what the run is good for as a twin of the recorded cluster,
by bounds that docs/twin.md has. Only jobs that started in both are compared;
the others are counted.`,
		Example: `  slurmlab workload import dump.txt --format sacct \
    --machine mine.yaml --out week.csv
  slurmlab run --machine mine.yaml --workload week.csv \
    --policy backfill --out week
  slurmlab twin check week dump.txt --format sacct`,
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := errors.Join(interchange.CheckImport(traceFormat), out.Check()); err != nil {
				return usage(err)
			}
			return checkTwin(s, out, args[0], args[1], traceFormat)
		},
	}
	declare(cmd, headTrace, flag("format", &traceFormat, "", "form of the trace, as of \"slurmlab workload import\"; it needs start times (required)").completes(ofWords(interchange.FormatsWithStarts()...)))
	declare(cmd, headResults,
		flag("as", &out.Format, table.TextFormat, "form of the table: "+strings.Join(table.Formats(), ", ")).completes(ofWords(table.Formats()...)),
		flag("wide", &out.Wide, false, "all columns, however wide the screen is (csv and json always have all)"),
	)
	return cmd
}

func checkTwin(s *State, out form, path, tracePath, traceFormat string) error {
	runs, err := metric.LoadAll(metric.Load, path)
	if err != nil {
		return err
	}
	records, err := interchange.Records(traceSource(s, tracePath), traceFormat)
	if errors.Is(err, run.ErrStopped) {
		return run.ErrStopped
	}
	if err != nil {
		return usage(err)
	}
	run := runs[0]
	pairs, err := matched(run.Jobs, records)
	if err != nil {
		return usage(fmt.Errorf("%s and %s: %w", path, tracePath, err))
	}
	rows := compare.Twin(run.Run.Machine, pairs)
	t, err := compare.TwinTable(rows)
	if err != nil {
		return err
	}
	if !out.ForPeople() {
		return out.Write(s.Stdout, s.screen(), t, "--wide")
	}
	return s.explained(func(w io.Writer) error {
		err := out.Write(w, s.screen(), t, "--wide, --as csv")
		counted := fmt.Sprintf("%d of the %s of the run started in both.", len(pairs), text.Plural(len(run.Jobs), "job"))
		verdict := compare.JudgeTwin(rows[0])
		_, verdictErr := io.WriteString(w, "\n"+text.Wrap(counted, "", s.width())+text.Wrap(verdict.Text()+" "+compare.TwinRule, "", s.width()))
		return errors.Join(err, verdictErr)
	})
}

// matched pairs the jobs of a run with their records, whose arrivals must be the run's.
func matched(jobs []trace.FinishedJob, records map[int]interchange.Record) ([]compare.TwinPair, error) {
	var pairs []compare.TwinPair
	earliest, latest := math.Inf(1), math.Inf(-1)
	for _, j := range jobs {
		r, ok := records[j.ID]
		if !ok {
			continue
		}
		if j.Ran > 0 {
			// It had waited before the run began.
			continue
		}
		since := r.Submit + float64(j.Waited) - float64(j.Arrival)
		earliest, latest = min(earliest, since), max(latest, since)
		if j.Started() && j.Outcome != workloads.CancelledPending {
			pairs = append(pairs, compare.TwinPair{Job: j.Job, Recorded: r.Wait, Emulated: j.TotalWait()})
		}
	}
	switch {
	case len(pairs) == 0:
		return nil, errors.New("jobs: got none that started in both, allowed are a run and the trace that its workload was imported from, without --renumber")
	case latest-earliest > arrivalSlack:
		return nil, fmt.Errorf("arrivals: run and trace differ by up to %s s, allowed is the trace that the workload was imported from, without --arrival-factor",
			table.Fixed(latest-earliest, 0))
	}
	return pairs, nil
}

// arrivalSlack is how many seconds a busy cluster may submit later than planned. Other arrivals, or arrivals of
// another trace, are hours away.
const arrivalSlack = 60
