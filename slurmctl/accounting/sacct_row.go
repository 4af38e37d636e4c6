package accounting

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// SacctFields lists the fields that are asked for, in their order, which a table must
// have at least.
func SacctFields() []string {
	return []string{
		"JobID", "JobName", "User", "Partition", "State", "ExitCode",
		"Submit", "Eligible", "Start", "End", "ElapsedRaw", "TimelimitRaw",
		"NNodes", "NCPUS", "ReqTRES", "AllocTRES", "NodeList",
	}
}

// Fields that a table may have behind the others.
const (
	AccountField = "Account"
	QOSField     = "QOS"
)

// SacctArgv is the command that prints all allocations which were eligible, ran or ended
// between since and now, with a header. A job that Slurm requeued has one row for
// each try (--duplicates). A job that was held until it was cancelled was never eligible;
// it is shown to whom asks for its state, as with AllStates (_state_time_string in
// src/plugins/accounting_storage/mysql/as_mysql_jobacct_process.c). The
// further fields, AccountField and QOSField, are the last columns.
func SacctArgv(since time.Time, further []string, states ...string) []string {
	fields := append(SacctFields(), further...)
	// Without -E a job without end is shown, but the time range of sacct
	// begins at midnight unless -S is given.
	argv := []string{
		"sacct", "--allusers", "--duplicates", "-X", "-P",
		"-S", since.UTC().Format(values.TimeLayout), "-E", "now", "--format=" + strings.Join(fields, ","),
	}
	if len(states) > 0 {
		argv = append(argv, "--state="+strings.Join(states, ","))
	}
	return argv
}

// startFields are the fields of StartsArgv.
func startFields() []string { return []string{"Submit", "Start", "End"} }

// StartsArgv is the command that prints the starts of a job, one row for each, with a header.
func StartsArgv(id int) []string {
	return []string{"sacct", "-D", "-X", "-P", "-j", strconv.Itoa(id), "-o", strings.Join(startFields(), ",")}
}

// Start is one start of a job; a zero time means that it is not there yet. Slurm submits a job again that it requeues.
type Start struct{ Submit, Begin, End time.Time }

// AllStates are those in which sacct shows jobs.
func AllStates() []string {
	return []string{
		"PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL",
		"PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REQUEUED", "RESIZING", "REVOKED",
	}
}

// Row is one allocation, a line of "sacct -X -P". Times are UTC and
// whole seconds of virtual time; a zero time means "Unknown" or "None".
type Row struct {
	JobID     int
	JobName   string
	User      string
	Partition string
	// Account is "" in a table without accounts.
	Account string
	// QOS is "" in a table without them.
	QOS string
	// State is Slurm's word without its suffix ("CANCELLED by 0" is
	// "CANCELLED").
	State     string
	ExitCode  string
	Submit    time.Time
	Eligible  time.Time
	Start     time.Time
	End       time.Time
	Elapsed   int
	TimeLimit int // minutes, as in TimelimitRaw
	Nodes     int
	Cores     int
	ReqTRES   map[string]string
	AllocTRES map[string]string
	// NodeList holds the 0-based indices of the allocated nodes (node n1 has
	// index 0), ascending.
	NodeList []int
}

// WithoutForgotten leaves out rows of jobs that Slurm has forgotten. Such a row has no end, while a job of the same
// name that was submitted later, or has another id, has one. A slurmctld that was killed leaves one for each job that
// it had reported to slurmdbd and not saved. The row stays PENDING or RUNNING, and the submitter submits the job
// again.
func WithoutForgotten(rows []Row) []Row {
	ended := make(map[string][]Row, len(rows))
	for _, r := range rows {
		if !r.End.IsZero() {
			ended[r.JobName] = append(ended[r.JobName], r)
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return r.End.IsZero() && slices.ContainsFunc(ended[r.JobName], func(other Row) bool {
			return other.Submit.After(r.Submit) || other.Submit.Equal(r.Submit) && other.JobID != r.JobID
		})
	})
}
