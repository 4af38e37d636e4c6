// Command queues plays real queues, and the papers' workloads, in memory under backfill
// and under the auction, and compares the two window by window.
// docs/records/006-real-queues says what came of it.
//
//	queues.yaml, traces -> queues play: a line a cell in results.jsonl -> queues table, queues decided
//
// [Play] plays a workload through a [Scheduler] in memory. It compares policies, objectives and parameters
// in seconds and over many seeds before a claim is made on the real Slurm.
//
//	jobs --arrive--> queue --Scheduler--> starts --end of run time--> free
//
// Schedulers are the agent's auction ([Auction]), the papers' programs ([Papers]) and a model of Slurm's own
// scheduler ([Backfill]) with the parameters of [Settings] and an [Order] of the queue.
// Tests check the claims of docs/design/006 and 009 in small, and benchmarks report figures of
// docs/records/006-real-queues and 009.
//
// The files of Play are pure: no clock, no I/O. Play leaves out
// the time that a real scheduler needs: decisions and starts take none. There is a decision
// whenever a job has arrived or ended, unless the policy waits for its next cycle. How near
// that comes to the real Slurm is in docs/records/006-real-queues.
//
// Invariants of Play: no node is oversold, and every job starts once and not before its arrival. A policy sees when the time
// limit of a running job ends and not when the job will end. A job that can never start is an error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/tools/internal/command"
)

// Set by the linker, see the Makefile: the version of slurmlab's sources and of this program's.
var version = "unbuilt"

func main() { command.Main(root(version), nil) }

// benchmark holds the flags.
type benchmark struct {
	list, traces, results, runs, part string
	queues, policies                  []string
	loads                             []float64
	most                              uint64
	jobs                              int
	overLoads                         bool
	// build is the version of slurmlab whose code this is.
	build string
}

func root(build string) *cobra.Command {
	b := benchmark{build: build}
	cmd := &cobra.Command{
		Use:               "queues",
		Short:             "Play real queues in memory under backfill and under the auction",
		PersistentPreRunE: func(*cobra.Command, []string) error { return b.check() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&b.list, "list", "", "file of windows and policies (default: queues.yaml of this program)")
	f.StringVar(&b.results, "results", "build/queues/results.jsonl", "file of results, a line a cell; cells in it are not played again")
	f.StringVar(&b.part, "part", "all", "windows: choose (those that choose settings), report or all")
	f.StringSliceVar(&b.queues, "queue", nil, "these traces and workloads alone")
	f.StringSliceVar(&b.policies, "policy", nil, "these policies alone; of a table the first is what the others are compared with")
	f.Float64SliceVar(&b.loads, "load", nil, "these loads alone")
	f.Uint64Var(&b.most, "up-to", 0, "windows up to this number alone, 0 for all")
	play := &cobra.Command{
		Use: "play", Short: "Play what is not in the results yet", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return b.play(cmd.Context()) },
	}
	play.Flags().StringVar(&b.traces, "traces", "traces", "directory of the traces")
	table := &cobra.Command{
		Use: "table", Short: "Compare policies window by window, in Markdown", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return b.table(os.Stdout) },
	}
	table.Flags().BoolVar(&b.overLoads, "over-loads", false, "one row for all loads: each window is the mean of its loads")
	decided := &cobra.Command{
		Use: "decided", Short: "Tell how far the users' slowdowns were decided before their jobs arrived, in Markdown", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return b.decided(os.Stdout) },
	}
	write := &cobra.Command{
		Use: "write DIRECTORY", Short: "Write machines and workloads of the windows, for runs on the real Slurm", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return b.write(args[0]) },
	}
	write.Flags().StringVar(&b.traces, "traces", "traces", "directory of the traces")
	write.Flags().IntVar(&b.jobs, "jobs", 0, "the first so many jobs of each window alone, 0 for all")
	model := &cobra.Command{
		Use: "model RUN...", Short: "Compare runs on the real Slurm with the same jobs in memory, in Markdown", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return b.model(cmd.Context(), os.Stdout, args) },
	}
	measure := &cobra.Command{
		Use: "measure RUN...", Short: "Print the figures of runs of written windows on the real Slurm as results", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return b.measure(os.Stdout, args) },
	}
	nulls := &cobra.Command{
		Use: "nulls DIRECTORY", Short: "Measure how often tests call a policy different from itself, in CSV", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return b.nulls(args[0]) },
	}
	nulls.Flags().StringVar(&b.runs, "runs", "docs/records/006-tuned-backfill/runs.csv", "table of recorded runs whose seeds are split as well")
	var seeds uint64
	papers := &cobra.Command{
		Use: "papers [PAPER...]", Short: "Play rows of the papers' tables with each reading of their priorities, in CSV", Args: cobra.OnlyValidArgs,
		ValidArgs: []string{"ipsched", "aucsched", "aucsched2"},
		RunE:      func(cmd *cobra.Command, args []string) error { return b.papers(cmd.Context(), os.Stdout, seeds, args) },
	}
	papers.Flags().Uint64Var(&seeds, "seeds", 3, "seeds of each row, from 1")
	cmd.AddCommand(play, table, decided, write, model, measure, nulls, papers)
	return cmd
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// check refuses flags that no cell meets, with which nothing would be played in silence.
func (b benchmark) check() error {
	l, err := readList(b.list)
	if err != nil {
		return err
	}
	known := func(flag string, got, allowed []string) {
		for _, name := range got {
			if !slices.Contains(allowed, name) {
				err = errors.Join(err, fmt.Errorf("--%s: got %q, allowed %s", flag, name, strings.Join(allowed, ", ")))
			}
		}
	}
	var queues, policies []string
	for _, t := range l.Traces {
		queues = append(queues, t.Name)
	}
	for _, w := range l.Workloads {
		queues = append(queues, w.Name)
	}
	for _, p := range l.Policies {
		policies = append(policies, p.Name)
	}
	known("part", []string{b.part}, []string{"all", "choose", "report"})
	known("queue", b.queues, queues)
	known("policy", b.policies, policies)
	for _, load := range b.loads {
		if !slices.Contains(l.Loads, load) {
			err = errors.Join(err, fmt.Errorf("--load: got %g, allowed %v", load, l.Loads))
		}
	}
	return err
}

// wanted says whether the flags ask for a cell.
func (b benchmark) wanted(c cell) bool {
	in := func(list []string, name string) bool { return len(list) == 0 || slices.Contains(list, name) }
	return in(b.queues, c.Queue) && in(b.policies, c.Policy) && (b.part == "all" || c.Chooses == (b.part == "choose")) &&
		(len(b.loads) == 0 || c.Load == 0 || slices.Contains(b.loads, c.Load)) && (b.most == 0 || c.Window <= b.most)
}

func (b benchmark) play(ctx context.Context) error {
	if b.build == "unbuilt" {
		return errors.New("play: this program does not know its build, which results record; make it by: make queues")
	}
	l, err := readList(b.list)
	if err != nil {
		return err
	}
	done, err := readResults(b.results)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(b.results, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(b.playInto(ctx, l, done, out), out.Close())
}

// playInto plays the cells that are wanted and not done, and writes each when it is.
func (b benchmark) playInto(ctx context.Context, l list, done []cell, out io.Writer) error {
	for _, w := range l.windows(b.traces) {
		for _, p := range l.Policies {
			c := cell{Queue: w.Queue, Window: w.Number, Load: w.Load, Policy: p.Name, Chooses: w.chooses, Settings: p.settings(), Build: b.build}
			if !b.wanted(c) {
				continue
			}
			if at := slices.IndexFunc(done, c.same); at >= 0 {
				if was := done[at].Settings; was != "" && was != c.Settings {
					return fmt.Errorf("%s: policy %s was played with %s and is %s now: rename it in the list, or take its results out of the file",
						b.results, p.Name, was, c.Settings)
				}
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			m, jobs, err := w.make()
			if err != nil {
				return err
			}
			began := time.Now()
			if c.figures, err = playWindow(ctx, m, jobs, p.scheduler()); err != nil {
				return fmt.Errorf("%s, window %d, load %g, %s: %w", c.Queue, c.Window, c.Load, c.Policy, err)
			}
			c.RealSeconds = time.Since(began).Seconds()
			if err = json.NewEncoder(out).Encode(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// same says whether two lines are of the same cell.
func (c cell) same(o cell) bool {
	return c.Queue == o.Queue && c.Window == o.Window && c.Load == o.Load && c.Policy == o.Policy
}

// readResults reads the lines of a file of results, none if there is no file.
func readResults(file string) ([]cell, error) {
	in, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []cell
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		var c cell
		if err = json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, errors.Join(fmt.Errorf("%s:%d: %w", file, n, err), in.Close())
		}
		all = append(all, c)
	}
	return all, errors.Join(lines.Err(), in.Close())
}
