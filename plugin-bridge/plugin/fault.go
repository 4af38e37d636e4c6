package plugin

import "fmt"

// Kind is a kind of fault of a program.
type Kind string

// Kinds of faults.
const (
	// KindLate is no answer within the limit.
	KindLate Kind = "late"
	// KindEnded is a program that ended, or closed its output.
	KindEnded Kind = "ended"
	// KindUnreadable is a line that is no answer to the question.
	KindUnreadable Kind = "unreadable"
	// KindUnknownJob is a start of a job that does not wait.
	KindUnknownJob Kind = "unknown_job"
	// KindImpossible is an allocation that the job or the machine does not allow, or that Slurm
	// cannot be asked for.
	KindImpossible Kind = "impossible"
	// KindOversold is an allocation for which too little is free.
	KindOversold Kind = "oversold"
	// KindIdle is a machine that stood idle too long while jobs waited.
	KindIdle Kind = "idle"
	// KindGivenUp is the last fault of a program: it is not asked any more.
	KindGivenUp Kind = "given_up"
)

// Fault is one thing that a program did wrong. Job is 0 where it is about no job.
type Fault struct {
	Kind Kind
	Job  int
	Text string
}

func (f Fault) String() string {
	if f.Job == 0 {
		return fmt.Sprintf("%s: %s", f.Kind, f.Text)
	}
	return fmt.Sprintf("%s: job %d: %s", f.Kind, f.Job, f.Text)
}

// faultf returns a fault about a job, 0 for none.
func faultf(kind Kind, job int, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Job: job, Text: fmt.Sprintf(format, args...)}
}
