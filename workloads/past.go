package workloads

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// HeadStart is how many seconds before the time window a workload begins that has the state of the cluster. Only the
// jobs that ran arrive then, so that they start before the others under every policy and priority. It is a minute, in
// which Slurm looks at its queue at least once.
const HeadStart = 60

// Past is what a job of a trace had behind it when the window began whose state the workload begins with. The zero value is that
// of a job which arrives later. Its JSON has the names of the columns of workload.csv.
type Past struct {
	// Waited are the seconds that the job had waited.
	Waited int `json:"waited_s,omitempty"`
	// Ran are the seconds that it had run; Runtime and Limit are what is left.
	Ran int `json:"ran_s,omitempty"`
}

// pastFaults are the rules of Past that the job breaks.
func (j Job) pastFaults() []faults.Fault {
	if j.Past == (Past{}) {
		return nil
	}
	out := append(faults.Outside("waited_s", j.Waited, 0, maxSeconds), faults.Outside("ran_s", j.Ran, 0, maxSeconds)...)
	if j.Ran > 0 && j.Waited > 0 {
		out = append(out, faults.At("waited_s", faults.Got(j.Waited), fmt.Sprintf("0 beside ran_s=%d: a job that ran waits no more", j.Ran)))
	}
	if j.Ran > 0 && j.Outcome == CancelledPending {
		out = append(out, faults.At("ran_s", faults.Got(j.Ran), "0 for a job that is cancelled while it waits"))
	}
	return out
}

// BeginsWithState says that a workload begins with jobs that ran before: some have a past of running and arrive at once, and all
// others arrive after the head start.
func BeginsWithState(jobs []Job) bool {
	others := slices.ContainsFunc(jobs, func(j Job) bool {
		return (j.Ran > 0 && j.Arrival > 0) || (j.Ran == 0 && j.Arrival < HeadStart)
	})
	return !others && slices.ContainsFunc(jobs, func(j Job) bool { return j.Ran > 0 })
}
