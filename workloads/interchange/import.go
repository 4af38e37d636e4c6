package interchange

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// Options say what is made of a trace.
type Options struct {
	// Machine is what every job must fit on.
	Machine workloads.Machine
	Rescale Rescale
	// SkipBad counts bad records instead of refusing the trace.
	SkipBad bool
	// Renumber gives the jobs the ids 1, 2, ... in the order of the trace.
	Renumber bool
	// Resource is what a resource of a Batsim workload stands for.
	Resource Resource
}

// Summary is what an import did.
type Summary struct {
	Source string
	Format string
	// SHA256 is that of the trace as it is stored, in hex.
	SHA256 string
	// Trace is what the trace says of its machine and time.
	Trace []string
	// Records is the number of records, Jobs that of rows written.
	Records, Jobs int
	// LeftOut counts the records that are no jobs, by reason.
	LeftOut map[string]int
	// Skipped counts the bad records, Bad has the first of them.
	Skipped int
	Bad     []string
	// Adjusted counts the changes that jobs needed.
	Adjusted adjustments
	// UserColumn says that the rows have the last column, because a job of the
	// trace has a user.
	UserColumn bool
	users      users
	rescaled   []string
}

func (s *Summary) leaveOut(reason string) { s.LeftOut[reason]++ }

// Text has a line "what: how much" for all that a user must know.
func (s Summary) Text() []string {
	parts := []string{fmt.Sprintf("%d read", s.Records), fmt.Sprintf("%d jobs", s.Jobs)}
	for _, reason := range []string{neverRan, notEnded, step, burst, outside, beyondMax} {
		if n := s.LeftOut[reason]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d left out (%s)", n, reason))
		}
	}
	out := []string{"records: " + strings.Join(parts, ", ")}
	if s.Skipped > 0 {
		out = append(out, fmt.Sprintf("skipped: %d bad", s.Skipped))
	}
	if text := s.Adjusted.text(); len(text) > 0 {
		out = append(out, "adjusted: "+strings.Join(text, "; "))
	}
	if len(s.users.named) > 0 {
		out = append(out, s.users.text())
	}
	if len(s.rescaled) > 0 {
		out = append(out, "rescaled: "+strings.Join(s.rescaled, "; "))
	}
	return out
}

// Origin is the record of the import for the top of the workload file.
func (s Summary) Origin() []string {
	out := []string{fmt.Sprintf("source: %s (%s, sha256 %s)", s.Source, s.Format, s.SHA256)}
	if len(s.Trace) > 0 {
		out = append(out, "trace: "+strings.Join(s.Trace, "; "))
	}
	out = append(out, s.Text()...)
	if s.Skipped > 0 {
		out = append(out, "first bad: "+s.Bad[0])
	}
	return out
}

// trace reads one format.
type trace interface {
	// next returns the next record, io.EOF after the last one, or a *Fault for
	// a bad one, after which the trace goes on. Any other error ends it.
	next() (request, error)
	// header is what the trace said of itself so far.
	header() []string
}

// Formats returns the names of the formats that Import reads.
func Formats() []string { return []string{"swf", "sacct", "helios", "batsim"} }

// CheckImport says what is allowed for a name that is no format of Import.
func CheckImport(format string) error {
	if slices.Contains(Formats(), format) {
		return nil
	}
	return fmt.Errorf("format: got %q, allowed %s", format, strings.Join(Formats(), ", "))
}

// Import reads a trace and writes its jobs as rows of workload.csv, without the
// header, in the order of the trace. The error has all that is wrong with the
// trace, or, if it is ErrWrite, what went wrong with rows; what was written
// before it is worthless.
func Import(src Source, format string, rows io.Writer, o Options) (Summary, error) {
	summary := Summary{Source: src.Name, Format: format, LeftOut: map[string]int{}, rescaled: o.Rescale.text(o.Machine)}
	summary.users.named = map[string]user{}
	if err := errors.Join(CheckImport(format), o.Rescale.Check()); err != nil {
		return summary, err
	}
	found, err := survey(src, format, o)
	if err != nil {
		return summary, err
	}
	summary.SHA256, summary.UserColumn = found.sum, found.users
	out := bufio.NewWriterSize(rows, 1<<16)
	c := converter{options: o, first: found.first, summary: &summary, seen: newIDs()}
	bad := tally{name: src.Name}
	err = walk(src, format, o, nil, func(t trace) error { return c.convert(t, out, &bad) })
	if err != nil {
		return summary, err
	}
	summary.Skipped, summary.Bad, summary.Jobs = bad.count, bad.first, c.jobs
	if !o.SkipBad && bad.count > 0 {
		return summary, bad.err()
	}
	if c.jobs == 0 {
		return summary, fmt.Errorf("%s: jobs: got none, allowed at least one; %s", src.Name, strings.Join(summary.Text(), "; "))
	}
	if err := out.Flush(); err != nil {
		return summary, fmt.Errorf("%w: %w", ErrWrite, err)
	}
	return summary, nil
}

// walk opens the trace and hands it to use.
func walk(src Source, format string, o Options, raw io.Writer, use func(trace) error) error {
	if format == "batsim" {
		return walkBatsim(src, o.Resource, raw, use)
	}
	return src.read(raw, func(in io.Reader) error {
		var t trace
		var err error
		switch format {
		case "swf":
			t = newSWF(src.Name, in)
		case "sacct":
			t, err = newSacct(src.Name, in)
		case "helios":
			t, err = newHelios(src.Name, in)
		}
		if err != nil {
			return err
		}
		return use(t)
	})
}

// surveyed is what must be known of a trace before its first row.
type surveyed struct {
	// first is the first submission of a job.
	first float64
	// sum is the hash of the trace.
	sum string
	// users says that a job has a user.
	users bool
}

func survey(src Source, format string, o Options) (surveyed, error) {
	hash := sha256.New()
	found := surveyed{first: math.Inf(1)}
	err := walk(src, format, o, hash, func(t trace) error {
		for {
			req, readErr := t.next()
			var fault *Fault
			switch {
			case errors.Is(readErr, io.EOF):
				return nil
			case errors.As(readErr, &fault):
			case readErr != nil:
				return readErr
			case req.leftOut == "":
				found.first = math.Min(found.first, req.submit)
				found.users = found.users || req.user.text != ""
			}
		}
	})
	found.sum = hex.EncodeToString(hash.Sum(nil))
	return found, err
}

// convert writes the rows of a trace.
func (c *converter) convert(t trace, out io.Writer, bad *tally) error {
	var row []byte
	for {
		req, err := t.next()
		if errors.Is(err, io.EOF) {
			c.summary.Trace = t.header()
			return nil
		}
		c.summary.Records++
		var fault *Fault
		if errors.As(err, &fault) {
			bad.add(fault)
			continue
		}
		if err != nil {
			return err
		}
		if req.leftOut != "" {
			c.summary.leaveOut(req.leftOut)
			continue
		}
		job, fault := c.job(req)
		switch {
		case fault != nil:
			bad.add(fault)
		case job != nil:
			row = job.AppendCSV(row[:0], c.summary.UserColumn)
			if _, err := out.Write(row); err != nil {
				return fmt.Errorf("%w: %w", ErrWrite, err)
			}
		}
	}
}
