package faultpoint

// The points, in the order in which a run reaches them.
const (
	// Boot is reached when all daemons of a cluster were started and its nodes are idle.
	Boot = "boot/idle"
	// Submission is reached before sbatch is called for the first job.
	Submission = "submission/first"
	// Release is reached when the agent has updated a job and not yet released it.
	Release = "release/updated"
	// End is reached when Slurm has reported the first end of a job.
	End = "end/first"
	// Drain is reached when all jobs were reported as ended and the queue was not yet
	// looked at.
	Drain = "drain"
	// Accounting is reached before sacct is asked for the first time.
	Accounting = "accounting"
	// Copy is reached on the host before the files of the run are copied.
	Copy = "copy"
	// Finish is reached on the host when the metrics are written and run.json does not
	// yet say that the run is complete.
	Finish = "finish"
)
