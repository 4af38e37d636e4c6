package interchange

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// Summary is what an import did.
type Summary struct {
	Source string
	Format string
	// SHA256 is the checksum of the trace as it is stored, in hex.
	SHA256 string
	// Trace is what the trace says of its machine and time.
	Trace []string
	// Records is the number of records, Jobs that of rows written.
	Records, Jobs int
	// Began is by how many seconds the window begins after its asked for start, as the window of a date before the first job does.
	Began float64
	// LeftOut counts the records that are no jobs, by reason.
	LeftOut map[string]int
	// Skipped counts the bad records, Bad has the first of them.
	Skipped int
	Bad     []string
	// Outcomes counts the jobs by how they end.
	Outcomes map[workloads.Outcome]int
	// Adjusted counts the changes that jobs needed.
	Adjusted adjustments
	// Columns of the rows, each there because a job of the trace needs it.
	Columns workloads.Columns
	users   users
	// accounts are those that jobs are charged to where they are not their users'.
	accounts users
	ignored  ignored
	earlier  earlier
	// lasting counts the jobs that still ran when the trace was taken.
	lasting int
	// absent are the partitions of jobs that were left out because the machine has none such.
	absent names
	// requeued are the jobs of which earlier runs were left out.
	requeued names
	rescaled []string
	// chosen says which part of the trace was asked for, and which partitions stand for which.
	chosen []string
	// tooSmall says what the jobs need of a machine, "" if the machine of the Options is enough.
	tooSmall string
}

func (s *Summary) leaveOut(reason string) { s.LeftOut[reason]++ }

// Text has a line "what: how much" for all that a user must know.
func (s Summary) Text() []string {
	parts := []string{fmt.Sprintf("%d read", s.Records), fmt.Sprintf("%d jobs", s.Jobs)}
	for _, reason := range []string{neverRan, notEnded, step, burst, noCores, earlierRun, Repeated, outside, beyondMax, late, nowhere} {
		if n := s.LeftOut[reason]; n > 0 {
			switch reason {
			case nowhere:
				reason += ": " + s.absent.text()
			case earlierRun:
				reason += ": " + s.requeued.text()
			}
			parts = append(parts, fmt.Sprintf("%d left out (%s)", n, reason))
		}
	}
	out := []string{"records: " + strings.Join(parts, ", ")}
	if s.Skipped > 0 {
		out = append(out, fmt.Sprintf("skipped: %d bad", s.Skipped))
	}
	if text := workloads.OutcomesText(s.Outcomes); text != "" {
		out = append(out, "outcomes: "+text)
	}
	if text := s.Adjusted.text(); len(text) > 0 {
		out = append(out, "adjusted: "+strings.Join(text, "; "))
	}
	if text := s.ignored.text(); len(text) > 0 {
		out = append(out, "ignored: "+strings.Join(text, "; "))
	}
	if text := s.earlier.text(); text != "" {
		out = append(out, text)
	}
	if s.lasting > 0 {
		out = append(out, fmt.Sprintf("still ran: %d jobs when the trace was taken, which run up to their time limits", s.lasting))
	}
	if len(s.users.named) > 0 {
		out = append(out, s.users.text("users"))
	}
	if len(s.accounts.named) > 0 {
		out = append(out, s.accounts.text("accounts"))
	}
	if len(s.rescaled) > 0 {
		out = append(out, "rescaled: "+strings.Join(s.rescaled, "; "))
	}
	if len(s.chosen) > 0 {
		out = append(out, "chosen: "+strings.Join(s.chosen, "; "))
	}
	if s.tooSmall != "" {
		out = append(out, s.tooSmall)
	}
	if s.Jobs > workloads.MaxJobs {
		out = append(out, fmt.Sprintf("too long: a run takes 1..%d jobs; take a part of the trace with --from, --until or --jobs", workloads.MaxJobs))
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

// TooSmall says whether the jobs need a larger machine than the Options have.
func (s *Summary) TooSmall() bool { return s.tooSmall != "" }

// tooSmall proposes a machine on which all jobs fit, unless they fit on m.
func tooSmall(jobs workloads.Demand, m workloads.Machine) string {
	if jobs.Fits(m) {
		return ""
	}
	need, ok := jobs.Machine(m.Cores)
	size := fmt.Sprintf("%d nodes of %d cores", need.Nodes, need.Cores)
	file := fmt.Sprintf("nodes: %d, cores: %d", need.Nodes, need.Cores)
	if need.GPUs > 0 {
		size += fmt.Sprintf(" and %d GPUs", need.GPUs)
		file += fmt.Sprintf(", gpus: %d", need.GPUs)
	}
	advice := "give --machine a file with " + file + ", or let --fit spread and --size-factor shrink the jobs"
	if !ok {
		advice = "more than a machine file can say; let --fit spread the jobs over more nodes"
	}
	return fmt.Sprintf("machine %s is too small: the jobs need at least %s: %s", m.Name, size, advice)
}
