package interchange

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// ImportOptions say what is made of a trace.
type ImportOptions struct {
	// Machine is what every job must fit on.
	Machine workloads.Machine
	Rescale Rescale
	// SkipBad counts bad records instead of refusing the trace.
	SkipBad bool
	// Renumber gives the jobs the ids 1, 2, ... in the order of the trace.
	Renumber bool
	// Resource is what a resource of a Batsim workload stands for.
	Resource Resource
	// AllComplete makes jobs of the trace complete after the time that they ran, however
	// they ended. Those that were cancelled before they started are left out.
	AllComplete bool
	// KeepState takes the jobs that ran and waited when the time window began, see state.
	KeepState bool
	// Partitions maps partitions of the trace to partitions of the machine.
	Partitions map[string]string
	// Table says what the columns of format csv mean.
	Table *Table
}

// trace reads one format.
type trace interface {
	// next returns the next record, io.EOF after the last one, or a *faults.Fault for
	// a bad one, after which the trace goes on. Any other error ends it.
	next() (request, error)
	// header is what the trace said of itself so far.
	header() []string
	// epoch is the Unix time of the trace's time 0, of which ok says whether it is known
	// by now.
	epoch() (seconds float64, ok bool)
}

// completing is a trace whose jobs all complete.
type completing struct{ trace }

func (c completing) next() (request, error) {
	req, err := c.trace.next()
	switch req.outcome {
	case workloads.Completed:
	case workloads.CancelledPending:
		if req.leftOut == "" {
			req.leftOut = neverRan
		}
	case workloads.Failed, workloads.Timeout, workloads.Cancelled, workloads.OutOfMemory:
		req.unused.state = cmp.Or(req.unused.state, req.outcome.State())
	}
	req.outcome, req.cancelAfter = workloads.Completed, 0
	return req, err
}

// lasting is a trace whose jobs that still ran when it was taken run up to their time limits, as nothing says when they ended.
type lasting struct{ trace }

func (l lasting) next() (request, error) {
	req, err := l.trace.next()
	if req.lasts && req.leftOut == notEnded {
		req.leftOut, req.runtime, req.outcome = "", req.limit, workloads.Timeout
	}
	return req, err
}

// Formats returns the names of the formats that Import reads.
func Formats() []string {
	var list []string
	for _, d := range Describe() {
		list = append(list, d.Name)
	}
	return append(list, tableFormat)
}

// HasOutcomes says whether a format that Import reads tells how jobs ended.
func HasOutcomes(format string) bool {
	if b := findBuiltin(format); b != nil {
		return b.outcomes
	}
	t := findTable(format)
	return t == nil || t.has(meansState, meansExit)
}

// HasPartitions says whether a format tells partitions of its jobs: names, the numbers of SWF, or virtual clusters.
func HasPartitions(format string) bool {
	b := findBuiltin(format)
	return b == nil || b.partitions
}

// CheckImport says what is allowed for a name that is no format of Import.
func CheckImport(format string) error {
	if slices.Contains(Formats(), format) {
		return nil
	}
	return fmt.Errorf("format: got %q, allowed %s%s", format, strings.Join(Formats(), ", "), faults.DidYouMean(format, Formats()))
}

// Import reads a trace and writes its jobs as rows of workload.csv, without the
// header, in the order of the trace. The error has all that is wrong with the
// trace, or, if it is ErrWrite, what went wrong with rows; what was written
// before it is worthless.
func Import(src records.Source, format string, rows io.Writer, o ImportOptions) (Summary, error) {
	summary := Summary{Source: src.Name, Format: format, LeftOut: map[string]int{}, Outcomes: map[workloads.Outcome]int{}}
	summary.rescaled, summary.chosen = o.Rescale.text(o.Machine)
	summary.chosen = append(summary.chosen, o.partitionsText()...)
	summary.users.named, summary.accounts.named = map[string]user{}, map[string]user{}
	summary.ignored.complete, summary.ignored.ownQOS = o.AllComplete, len(o.Machine.Layout.QOS) > 0
	if err := errors.Join(CheckImport(format), checkTable(format, o.Table), o.Rescale.Check(), o.CheckPartitions(), o.checkState(format)); err != nil {
		return summary, err
	}
	found, err := survey(src, format, o)
	if err != nil {
		return summary, err
	}
	summary.SHA256, summary.Columns = found.sum, found.columns
	if o.KeepState {
		summary.Columns.Need(workloads.Job{Past: workloads.Past{Waited: 1, Ran: 1}})
		summary.earlier.kept = true
	}
	part, err := o.Rescale.window(src.Name, found)
	if err != nil {
		return summary, err
	}
	summary.Began = part.late
	out := bufio.NewWriterSize(rows, 1<<16)
	c := converter{options: o, first: found.first, window: part, summary: &summary, seen: newIDs(), runs: found.runs}
	c.state.keep = o.KeepState
	bad := faults.List{Name: src.Name}
	err = walk(src, format, o, nil, func(t trace) error { return c.convert(found.runs.filter(t), out, &bad) })
	if err != nil {
		return summary, err
	}
	summary.Skipped, summary.Bad, summary.Jobs = bad.Len(), bad.Texts(), c.jobs
	summary.tooSmall = tooSmall(c.demand, o.Machine)
	switch {
	case !o.SkipBad && bad.Len() > 0 && summary.tooSmall != "":
		return summary, errors.Join(bad.Err(), fmt.Errorf("%s: %s", src.Name, summary.tooSmall))
	case !o.SkipBad && bad.Len() > 0:
		return summary, bad.Err()
	}
	if n := summary.LeftOut[late]; n > 0 && !o.SkipBad {
		return summary, fmt.Errorf("%s: too long: jobs of a run arrive within %d s (365 days), and %d come later; take a part of the trace with --from, --until or --jobs%s", src.Name, sbatch.MaxSeconds, n, found.span())
	}
	if c.jobs == 0 {
		span := ""
		if summary.LeftOut[outside] > 0 {
			span = found.span()
		}
		return summary, fmt.Errorf("%s: jobs: got none, allowed at least one%s; %s", src.Name, span, strings.Join(summary.Text(), "; "))
	}
	if err := out.Flush(); err != nil {
		return summary, fmt.Errorf("%w: %w", records.ErrWrite, err)
	}
	return summary, nil
}

// walk opens the trace and hands it to use.
func walk(src records.Source, format string, o ImportOptions, raw io.Writer, use func(trace) error) error {
	if whole := use; o.AllComplete {
		use = func(t trace) error { return whole(completing{t}) }
	}
	if whole := use; o.KeepState {
		use = func(t trace) error { return whole(lasting{t}) }
	}
	if b := findBuiltin(format); b != nil {
		return b.walk(src, o, raw, use)
	}
	table := o.Table
	if table == nil {
		table = findTable(format)
	}
	return opened(table.open)(src, o, raw, use)
}

// surveyed is what must be known of a trace before its first row.
type surveyed struct {
	// first and last are the first and the last submission of a job.
	first, last float64
	// epoch is the Unix time of the trace's time 0, if dated.
	epoch float64
	dated bool
	// sum is the hash of the trace.
	sum string
	// columns are those that the jobs need.
	columns workloads.Columns
	runs    runs
}

// survey reads the trace. If jobs have several records, it reads it again without those that are no jobs.
func survey(src records.Source, format string, o ImportOptions) (surveyed, error) {
	found, several, err := surveyWithout(src, format, o, runs{})
	if err != nil || len(several) == 0 {
		return found, err
	}
	without, err := findRuns(src, format, o, several)
	if err != nil {
		return found, err
	}
	found, _, err = surveyWithout(src, format, o, without)
	return found, err
}

func surveyWithout(src records.Source, format string, o ImportOptions, without runs) (surveyed, map[string]bool, error) {
	hash := sha256.New()
	found := surveyed{first: math.Inf(1), last: math.Inf(-1), runs: without}
	several := newDuplicated()
	err := walk(src, format, o, hash, func(t trace) error {
		err := eachGood(without.filter(t), func(req request) {
			if hasRuns(format) {
				several.add(req.id)
			}
			if req.leftOut != "" {
				return
			}
			found.first, found.last = math.Min(found.first, req.submit), math.Max(found.last, req.submit)
			found.columns.Need(req.needs())
			terms := takenTerms(req.ruled, o.Machine, &req.unused)
			terms.Account, terms.BeginAfter, terms.Array = req.account.text, seconds(req.begin), req.array
			found.columns.Need(workloads.Job{Options: o.recorded(&req, false), Terms: terms})
		})
		found.epoch, found.dated = t.epoch()
		return err
	})
	found.sum = hex.EncodeToString(hash.Sum(nil))
	return found, several.of, err
}

// hasRuns says whether a format has a record for each run of a job that was requeued.
func hasRuns(format string) bool { return format == "sacct" }

// convert writes the rows of a trace.
func (c *converter) convert(t trace, out io.Writer, bad *faults.List) error {
	var row []byte
	for {
		req, err := t.next()
		if errors.Is(err, io.EOF) {
			c.summary.Trace = t.header()
			if b := findBuiltin(c.summary.Format); b != nil && b.Citation != "" {
				c.summary.Trace = append(published(b.Title, b.Licence, b.Citation), c.summary.Trace...)
			}
			c.summary.earlier.placed = c.state.placed
			if c.state.placed > 0 {
				c.summary.Columns.Need(workloads.Job{Options: workloads.Options{NodeList: layout.NodePrefix}})
			}
			return c.state.write(out, c.summary.Columns)
		}
		c.summary.Records++
		var fault *faults.Fault
		if errors.As(err, &fault) {
			bad.Add(fault.Line, fault)
			continue
		}
		if err != nil {
			return err
		}
		if req.leftOut != "" {
			if c.window.from > 0 {
				c.summary.earlier.add(req, c.first+c.window.from, c.options.Machine.Cores)
			}
			c.summary.leaveOut(req.leftOut)
			if req.leftOut == earlierRun {
				c.summary.requeued.add(req.id)
			}
			continue
		}
		job, fault := c.job(req)
		switch {
		case fault != nil:
			bad.Add(fault.Line, fault)
		case job != nil && c.state.keep:
			if req.lasts {
				c.summary.lasting++
			}
			c.state.add(*job, req)
		case job != nil:
			row = job.AppendCSV(row[:0], c.summary.Columns)
			if _, err := out.Write(row); err != nil {
				return fmt.Errorf("%w: %w", records.ErrWrite, err)
			}
		}
	}
}
