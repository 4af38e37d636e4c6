package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// importing holds the flags of "workload import".
type importing struct {
	format, machine, resource, columns, out string
	// chosen says that --machine was given.
	chosen  bool
	options interchange.ImportOptions
}

func workloadImportCommand(s *State) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Turn a trace of another machine into a workload file",
		Long: `Reads a trace, plain or gzip, and writes its jobs as a workload (CSV) for
"slurmlab run". Comments at the top of the file say where it comes from, what
was left out and what was changed. Users are kept, in the column user;
names that no Slurm account can have are changed, always in the same way.

` + formatsHelp() + `
The column outcome keeps how a job ended: here as well jobs fail, run into their
limits, run out of memory and are cancelled. A job that was cancelled while it
waited is cancelled as long after its submission. --all-complete takes the load
of the trace alone.

Jobs that still run, have no known size, or lie outside the time window are left
out and counted. Any other record that makes no job on the machine is an error
with line and field, or is counted with --skip-bad. The last lines also say what
a workload has no word for (other ends) or the machine nothing of (QOS), who was
running or waiting at --from, and which machine is large enough.`,
		Example: `  slurmlab workload import trace.swf.gz --format swf --machine L \
    --until 24h --out day.csv
  slurmlab workload import dump.txt --format sacct \
    --from 2024-03-01 --until 2024-03-08 --out week.csv
  slurmlab workload import cluster_log.csv --format helios \
    --fit --size-factor 0.5 --skip-bad --out helios.csv`,
		ValidArgsFunction: ofFiles().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return i.run(s, cmd.Flags(), args[0]) },
	}
	r := &i.options.Rescale
	declare(cmd, headTrace,
		flag("format", &i.format, "", "form of the trace, one of the above (required)").completes(ofWords(interchange.Formats()...)).usual(),
		flag("columns", &i.columns, "", "YAML file that says what the columns of format csv mean").completes(ofFiles(".yaml", ".yml")),
		flag("resource", &i.resource, string(interchange.Core), "what a resource of Batsim is: core or node").completes(ofChoices(interchange.Resources()...)),
		flagOf("from", &moment{&r.From}, "start of the time window: so long after the first job (36h), or a date (2024-03-01T12:00:00)").usual(),
		flagOf("until", &moment{&r.Until}, "end of the time window, in the same forms; 0 for the trace's end").usual(),
		flag("jobs", &r.MaxJobs, 0, "take no more than this many jobs; 0 for all").usual(),
		flag("keep-state", &i.options.KeepState, false, "begin with the jobs that ran and waited at --from, instead of an empty machine").usual(),
		flag("skip-bad", &i.options.SkipBad, false, "leave out bad records and count them").usual(),
	)
	declare(cmd, headJobs, flag("partition", &i.options.Partitions, nil, "OLD=NEW: let jobs of the trace's partition OLD (of swf its number, of helios and philly a virtual cluster) run in partition NEW of the machine"))
	declare(cmd, headJobs,
		flag("machine", &i.machine, "S", "what the jobs must fit on: "+machineHelp()).completes(ofMachines()).usual(),
		flag("fit", &r.Fit, false, "spread jobs that need larger nodes than the machine's over more of them"),
		flag("size-factor", &r.SizeFactor, 1, "multiply the nodes of each job, or its cores where it has no nodes"),
		flag("arrival-factor", &r.ArrivalFactor, 1, "multiply the time between arrivals: 0.5 doubles the load").usual(),
		flag("all-complete", &i.options.AllComplete, false, "let all jobs complete; leave out those that were cancelled while they waited"),
		flag("renumber", &i.options.Renumber, false, "number the jobs 1, 2, ... instead of keeping their ids"),
	)
	workloadOutFlag(cmd, &i.out)
	return cmd
}

// formatsHelp lists the formats, and what a user's own table has.
func formatsHelp() string {
	const indent, width = "          ", 80
	var b strings.Builder
	for _, f := range interchange.Describe() {
		lines := text.Wrap(f.Title, indent, width)
		if f.Help != "" {
			lines = indent + strings.ReplaceAll(f.Help, "\n", "\n"+indent) + "\n"
		}
		if len(f.Name) < 8 {
			_, lines, _ = strings.Cut(lines, indent)
			_, _ = fmt.Fprintf(&b, "  %-8s%s", f.Name, lines)
			continue
		}
		_, _ = fmt.Fprintf(&b, "  %s\n%s", f.Name, lines)
	}
	var names []string
	for _, m := range interchange.Meanings() {
		names = append(names, m.Name)
	}
	own := `any table in text or Parquet. --columns FILE says in YAML what its columns mean, as "columns: {Submit_Time: submit, Run_Time: runtime, Procs: cores}". ` +
		"Meanings are " + strings.Join(names, ", ") + ". Further keys are fixed (values that each job has), states (Slurm's words for others), names (of a file without a header), " +
		"separator, comment, unknown, title, licence and citation"
	_, own, _ = strings.Cut(text.Wrap(own, indent, width), indent)
	return b.String() + "  csv     " + own
}

// loadTable reads the file of --columns, which no other format has.
func loadTable(format, file string) (*interchange.Table, error) {
	if !interchange.HasColumns(format) {
		return nil, fmt.Errorf("columns: has no effect with format %s, only with csv; leave it out", format)
	}
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	return interchange.ParseTable(file, text)
}

// checkResource refuses --resource with a format that has no resources.
func checkResource(given *pflag.FlagSet, format string) error {
	if !given.Changed("resource") || interchange.HasResources(format) {
		return nil
	}
	return fmt.Errorf("resource: has no effect with format %s, only with batsim; leave it out", format)
}

// checkAllComplete refuses --all-complete with a format that does not tell how jobs ended.
func checkAllComplete(all bool, format string) error {
	if !all || interchange.HasOutcomes(format) {
		return nil
	}
	return fmt.Errorf("all-complete: has no effect with format %s, whose jobs all complete; leave it out", format)
}

// checkPartition refuses --partition with a format that has no partitions.
func checkPartition(given *pflag.FlagSet, format string) error {
	if !given.Changed("partition") || interchange.HasPartitions(format) {
		return nil
	}
	return fmt.Errorf("partition: has no effect with format %s, which has no partitions; leave it out", format)
}

func (i *importing) run(s *State, flags *pflag.FlagSet, path string) error {
	i.chosen = flags.Changed("machine")
	machine, machineErr := workloads.LoadMachine(i.machine)
	resource, resourceErr := interchange.ParseResource(i.resource)
	var factorErr error
	r := i.options.Rescale
	if r.SizeFactor == 0 || r.ArrivalFactor == 0 {
		factorErr = errors.New("size-factor, arrival-factor: got 0, allowed above 0")
	}
	formatErr := interchange.CheckImport(i.format)
	if formatErr == nil {
		formatErr = errors.Join(checkResource(flags, i.format), checkAllComplete(i.options.AllComplete, i.format), checkPartition(flags, i.format))
	}
	var columnsErr error
	if i.columns != "" {
		i.options.Table, columnsErr = loadTable(i.format, i.columns)
	}
	if err := errors.Join(formatErr, columnsErr, machineErr, resourceErr, factorErr, r.Check(), checkWorkloadOut(i.out)); err != nil {
		return usage(err)
	}
	i.options.Machine, i.options.Resource = machine, resource
	if err := i.options.CheckPartitions(); err != nil {
		return usage(err)
	}
	rows, err := os.CreateTemp("", "slurmlab-import-*.csv")
	if err != nil {
		return err
	}
	// An interrupt may end this process at once, and a file without a name ends with it.
	if err = os.Remove(rows.Name()); err == nil {
		err = i.convert(s, path, rows)
	}
	return errors.Join(err, rows.Close())
}

// convert writes the rows to a file of its own, for two reasons. Nothing may be left when the trace's last line is
// bad. The comments at the top of the result are known only at the trace's end.
func (i *importing) convert(s *State, path string, rows *os.File) error {
	source := traceSource(s, path)
	summary, err := interchange.Import(source, i.format, rows, i.options)
	switch {
	case errors.Is(err, run.ErrStopped):
		// Without the line that was being read.
		return run.ErrStopped
	case errors.Is(err, records.ErrWrite):
		return err
	case err != nil && summary.Skipped > 0 && !i.options.SkipBad:
		return usage(errors.Join(err, i.offer(path, summary), fmt.Errorf("%s: --skip-bad leaves out the records with faults (%d) and counts them", path, summary.Skipped)))
	case err != nil:
		return usage(errors.Join(err, i.offer(path, summary)))
	}
	if _, err = rows.Seek(0, io.SeekStart); err != nil {
		return err
	}
	write := func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for _, line := range summary.Origin() {
			// The writer keeps its first error for Flush.
			_, _ = fmt.Fprintf(out, "# %s\n", line)
		}
		_, _ = fmt.Fprintln(out, workloads.CSVHeader(summary.Columns))
		if _, copyErr := io.Copy(out, rows); copyErr != nil {
			return fmt.Errorf("write workload: %w", copyErr)
		}
		return out.Flush()
	}
	if i.out != "" {
		err = trace.WriteAtomic(i.out, write)
	} else {
		err = write(s.Stdout)
	}
	if err != nil {
		return err
	}
	for _, line := range append(summary.Text(), summary.Bad...) {
		if _, err := fmt.Fprintf(s.Stderr, "slurmlab: %s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// offer names the command that proposes a machine, if nobody chose one and the built-in one is too small.
func (i *importing) offer(path string, summary interchange.Summary) error {
	if i.chosen || !summary.TooSmall() || !slices.Contains(interchange.FormatsWithStarts(), i.format) {
		return nil
	}
	return fmt.Errorf("%s: to get a machine file from the trace, type: slurmlab machine infer %s --format %s --out machine.yaml", path, text.ShellWord(path), i.format)
}

// moment is the value of --from and --until.
type moment struct{ *interchange.Moment }

// Set implements pflag.Value.
func (m *moment) Set(text string) (err error) {
	*m.Moment, err = interchange.ParseMoment(text)
	return err
}

// String implements pflag.Value. The zero value has no default to show.
func (m *moment) String() string {
	if m.Moment == nil || *m.Moment == (interchange.Moment{}) {
		return ""
	}
	return m.Moment.String()
}

// Type implements pflag.Value.
func (m *moment) Type() string { return "time" }

// stoppable is a file that cannot be read on after an interrupt: a long trace
// takes minutes.
type stoppable struct {
	ctx context.Context
	*os.File
}

func (f stoppable) Read(p []byte) (int, error) {
	if f.ctx.Err() != nil {
		return 0, run.ErrStopped
	}
	return f.File.Read(p)
}
