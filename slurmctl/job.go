package slurmctl

import (
	"slices"
	"strings"
	"time"
)

// JobState is the state of a job as squeue and scontrol print it.
type JobState string

// The states of a job that an external scheduler meets.
const (
	JobPending    JobState = "PENDING"
	JobRunning    JobState = "RUNNING"
	JobSuspended  JobState = "SUSPENDED"
	JobCompleting JobState = "COMPLETING"
	JobCompleted  JobState = "COMPLETED"
	JobCancelled  JobState = "CANCELLED"
	JobFailed     JobState = "FAILED"
	JobTimeout    JobState = "TIMEOUT"
)

// jobStates are the base states and the flags that replace them in print
// (job_state_string in src/common/job_state_reason.c and
// slurm_protocol_defs.c).
var jobStates = []JobState{
	JobPending, JobRunning, JobSuspended, JobCompleting, JobCompleted, JobCancelled, JobFailed, JobTimeout,
	"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
	"CONFIGURING", "RESIZING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT",
	"STOPPED", "SIGNALING", "STAGE_OUT", "REVOKED", "LAUNCH_FAILED", "RECONFIG_FAIL",
	"EXPEDITING", "POWER_UP_NODE", "UPDATE_DB",
}

// IsLimit says whether a reason of a pending job is a limit of a QOS or an association, such as QOSGrpCpuLimit
// (job_reasons in src/common/job_state_reason.c).
func IsLimit(reason string) bool {
	return strings.HasPrefix(reason, "QOS") && reason != "QOSNotAllowed" || strings.HasPrefix(reason, "Assoc")
}

// Reasons of pending jobs that an external scheduler must tell apart.
const (
	// ReasonHeldUser and ReasonHeldAdmin are held jobs.
	ReasonHeldUser  = "JobHeldUser"
	ReasonHeldAdmin = "JobHeldAdmin"
	// ReasonBadConstraints means that Slurm found the job impossible and set
	// its priority to 0; it starts only after another update and release.
	ReasonBadConstraints = "BadConstraints"
)

// QueuedJob is a job with its request, in the light view of Queue.
type QueuedJob struct {
	ID    int
	Name  string
	State JobState
	// Reason says why the job is pending, "None" otherwise. Slurm may leave
	// an old one.
	Reason string
	// Priority is 0 for a held job.
	Priority int
	Submit   time.Time
	// Start is zero for a pending job without a planned start.
	Start time.Time
	// Tasks is -n; 0 if Slurm does not know it.
	Tasks int
	// Nodes is, for a pending job, the least number of nodes asked for (-N; 1
	// if not asked), and the number of allocated nodes afterwards. It is not
	// the column NumNodes, in which Slurm puts an estimate for pending jobs.
	Nodes int
	// CPUs is the number of CPUs over all nodes: asked for, later allocated.
	CPUs int
	// TasksPerNode is 0 if not asked for.
	TasksPerNode int
	// MinCPUsNode is the least number of CPUs on each node, 1 if not asked.
	MinCPUsNode int
	// GPUsPerNode is 0 if not asked for.
	GPUsPerNode int
	Contiguous  bool
	// TimeLimit is 0 without a limit.
	TimeLimit time.Duration
	// NodeList is the hostlist of allocated nodes, empty for a pending job.
	NodeList string
	// AdminComment and Comment, which is the user's, are empty without one.
	AdminComment, Comment string
	// Partition may be a list until the job starts. Features is the constraint
	// and Licences the licences as the user wrote them, Dependency what the job
	// still waits for; all are empty if there is none.
	Partition, Features, Licences, Dependency string
	// Unread is why a value of the job could not be read, nil if all could; ID
	// is always known, the value in question is not.
	Unread *ParseError
}

// Held says whether the job waits for a release. A job that was held while it
// ran has priority 0 too, but is not held.
func (j QueuedJob) Held() bool { return j.State == JobPending && j.Priority == 0 }

// readState reads a printed state, one of jobStates or RESV_DEL_HOLD. A job whose reservation is over is pending and held: Slurm prints RESV_DEL_HOLD, a flag, in place of
// that, unless an administrator held the job before (_foreach_clear_job_resv in src/slurmctld/reservation.c). A release starts it.
func readState(s string) (state JobState, known bool) {
	if s == "RESV_DEL_HOLD" {
		return JobPending, true
	}
	return JobState(s), slices.Contains(jobStates, JobState(s))
}
