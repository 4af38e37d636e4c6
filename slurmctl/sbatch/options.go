package sbatch

// Options are the options of sbatch that say more about where a job may run than how many
// nodes, cores and GPUs it needs. The zero value asks for nothing. Its JSON has the names of
// the columns of workload.csv, which are in the order of the fields.
type Options struct {
	// Partition is --partition, "" for the default one.
	Partition string `json:"partition,omitempty"`
	// MemPerNode is --mem and MemPerCPU --mem-per-cpu, both in MiB. A job has at most one.
	MemPerNode int `json:"mem_per_node,omitempty"`
	MemPerCPU  int `json:"mem_per_cpu,omitempty"`
	// Features is --constraint: features joined by &, all of which a node must have, or by |,
	// of which it must have one.
	Features string `json:"features,omitempty"`
	// GPUType is TYPE of --gres=gpu:TYPE:COUNT, "" for GPUs of any type.
	GPUType string `json:"gpu_type,omitempty"`
	// Exclusive is --exclusive: the job gets its nodes with all their cores and GPUs.
	Exclusive bool `json:"exclusive,omitempty"`
	// NodeList is --nodelist, nodes that are among the job's, as n[1-3&7]; the & stands for the comma of a
	// hostlist, which ends a cell of workload.csv.
	NodeList string `json:"nodelist,omitempty"`
}

// Terms are the options of sbatch that say on whose account a job runs, how urgent it is, when
// it may begin, and what limits and reservations of the cluster it is under. The zero value asks for nothing. Its JSON has the names of
// the columns of workload.csv, which are in the order of the fields, after those of Options.
type Terms struct {
	// Account is --account, the Slurm account that is charged; "" for the default one. Slurm takes the default one also for
	// an account that its user does not belong to.
	Account string `json:"account,omitempty"`
	// Nice is --nice, which Slurm takes off the job's priority; a negative one makes the job more urgent.
	Nice int `json:"nice,omitempty"`
	// Priority is --priority, 0 for the one that Slurm gives the job. A job with a Priority has no Nice.
	Priority int `json:"priority,omitempty"`
	// BeginAfter are the seconds from the arrival of a workload's job to the earliest start. A Request has Begin.
	BeginAfter int `json:"begin_after_s,omitempty"`
	// Dependency is --dependency, KIND:ID such as afterok:7. The id is that of another job of the workload, and in a Request
	// Slurm's.
	Dependency string `json:"dependency,omitempty"`
	// QOS is --qos, "" for the default one of the account.
	QOS string `json:"qos,omitempty"`
	// Licenses is --licenses, names with their numbers, as matlab:2&ansys:1; the & stands for the comma of
	// sbatch, which ends a cell of workload.csv.
	Licenses string `json:"licenses,omitempty"`
	// Reservation is --reservation.
	Reservation string `json:"reservation,omitempty"`
	// Array names the job array of which a workload's job is a task, with %NUMBER behind it for the most tasks that may run at a time
	// (sbatch(1), "--array"), as 117%4; "" for a job by itself. A Request has none, as each task is a job.
	Array string `json:"array,omitempty"`
}
