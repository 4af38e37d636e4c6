package workloads

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Outcome is how a job ends.
type Outcome uint8

// The outcomes. The zero value is that of every job of a workload without the column.
const (
	// Completed is a job that ends by itself after its run time, with exit code 0.
	Completed Outcome = iota
	// Failed is one that ends by itself after its run time, with another exit code.
	Failed
	// Timeout is one that Slurm kills at its time limit, which is its run time.
	Timeout
	// Cancelled is one that its user cancels when it has run for its run time.
	Cancelled
	// CancelledPending is one that its user cancels Job.CancelAfter after its submission
	// because it has not started. How long it would have run is unknown: if it has
	// started by then, it was cancelled as it started.
	CancelledPending
	// OutOfMemory is one that is killed after its run time because it has no memory left.
	OutOfMemory
)

// outcomeNames are the words of workload.csv, by the outcomes.
func outcomeNames() []string {
	return []string{"completed", "failed", "timeout", "cancelled", "cancelled_pending", "out_of_memory"}
}

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Completed, Failed, Timeout, Cancelled, CancelledPending, OutOfMemory}
}

// String is the word of workload.csv.
func (o Outcome) String() string { return outcomeNames()[o] }

// State is Slurm's word for the end.
func (o Outcome) State() string {
	if o == CancelledPending {
		o = Cancelled
	}
	return strings.ToUpper(o.String())
}

// ParseOutcome reads a word of workload.csv; otherwise it says what is allowed.
func ParseOutcome(word string) (Outcome, error) {
	if i := slices.Index(outcomeNames(), word); i >= 0 {
		return Outcome(i), nil
	}
	return 0, fmt.Errorf("got %s, allowed %s", faults.Quote(word), strings.Join(outcomeNames(), ", "))
}

// OutcomesText lists numbers of jobs by how they end, as "5 completed, 1 failed"; it is ""
// where all complete.
func OutcomesText(counts map[Outcome]int) string {
	var parts []string
	ended := false
	for _, o := range Outcomes() {
		if n := counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
			ended = ended || o != Completed
		}
	}
	if !ended {
		return ""
	}
	return strings.Join(parts, ", ")
}

// MarshalText implements encoding.TextMarshaler.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Outcome) UnmarshalText(text []byte) (err error) {
	*o, err = ParseOutcome(string(text))
	return err
}

// outcomeValue is the Outcome of a job as a column of workload.csv.
type outcomeValue Outcome

func (o *outcomeValue) Asked() bool { return Outcome(*o) != Completed }

func (o *outcomeValue) Append(cell []byte) []byte { return append(cell, Outcome(*o).String()...) }

func (o *outcomeValue) Set(text string) (allowed string) {
	outcome, err := ParseOutcome(text)
	*o = outcomeValue(outcome)
	if err != nil {
		return strings.Join(outcomeNames(), ", ")
	}
	return ""
}

// timeFaults are the rules of run time, limit and outcome that the job breaks.
func (j Job) timeFaults() []faults.Fault {
	if j.Outcome == CancelledPending {
		var out []faults.Fault
		if j.Runtime != 0 {
			out = append(out, faults.At("runtime_s", faults.Got(j.Runtime), "0 with outcome=cancelled_pending, as nobody knows it"))
		}
		out = append(out, faults.Outside("limit_s", j.Limit, 1, maxSeconds)...)
		return append(out, faults.Outside("cancel_after_s", j.CancelAfter, 1, maxSeconds)...)
	}
	out := faults.Outside("runtime_s", j.Runtime, 1, maxSeconds)
	switch {
	case j.Outcome == Timeout && (j.Limit != j.Runtime || j.Limit != WholeMinutes(j.Limit)):
		out = append(out, faults.At("limit_s", faults.Got(j.Limit), fmt.Sprintf("runtime_s=%d and whole minutes with outcome=timeout", j.Runtime)))
	case j.Limit < j.Runtime || j.Limit > maxSeconds:
		// Slurm kills a job that reaches its limit.
		out = append(out, faults.At("limit_s", faults.Got(j.Limit), fmt.Sprintf("runtime_s=%d..%d", j.Runtime, maxSeconds)))
	}
	if j.CancelAfter != 0 {
		out = append(out, faults.At("cancel_after_s", faults.Got(j.CancelAfter), "0 without outcome=cancelled_pending"))
	}
	return out
}
