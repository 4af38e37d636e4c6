package plugin

// Version of the protocol. A program that speaks another one is refused.
const Version = 1

// Types of messages, the first field of each.
const (
	typeHello    = "hello"
	typeSnapshot = "snapshot"
	typeAnswer   = "answer"
)

// Hello is the first line that a program reads.
type Hello struct {
	Type    string  `json:"type" const:"hello" about:"the word hello"`
	Version int     `json:"version" const:"1" about:"version of the protocol that slurmlab speaks"`
	LimitS  float64 `json:"limit_s" about:"real seconds in which each answer to a snapshot must be there"`
}

// Welcome is the first line that a program writes.
type Welcome struct {
	Type    string `json:"type" const:"hello" about:"the word hello"`
	Version int    `json:"version" const:"1" about:"version of the protocol that the program speaks; slurmlab takes its own only"`
	Name    string `json:"name,omitempty" about:"name of the scheduler, for the log"`
}

// Snapshot is a question: the cluster at one instant. Each one is whole, so that a program
// need not remember anything.
type Snapshot struct {
	Type    string    `json:"type" const:"snapshot" about:"the word snapshot"`
	Number  int       `json:"number" min:"1" about:"number of the snapshot, which the answer repeats"`
	TimeS   float64   `json:"time_s" about:"virtual seconds since the start of the run, the clock of all other times"`
	Nodes   []Node    `json:"nodes" about:"all nodes, in the order of their names"`
	Queue   []Job     `json:"queue" about:"jobs that wait and may start, the first of the queue first; at most as many as the setting window says"`
	Running []Running `json:"running" about:"jobs that run, or are about to start, and have a limit; others only take of what is free"`
	Changed Changed   `json:"changed" about:"what happened since the snapshot before"`
	Results []Result  `json:"results" about:"what became of earlier answers since the snapshot before"`
}

// Node is a node and what Slurm would give of it to a new job.
type Node struct {
	Name      string `json:"name" about:"name of the node"`
	Cores     int    `json:"cores" about:"cores of the node"`
	GPUs      int    `json:"gpus" about:"GPUs of the node"`
	FreeCores int    `json:"free_cores" about:"free cores; none on a node that is down"`
	FreeGPUs  int    `json:"free_gpus" about:"free GPUs"`
	Switches  []int  `json:"switches,omitempty" about:"numbers of the switches above the node, the leaf switch first; none in a flat network"`
}

// Job is a job that waits. A number of 0 means that the job does not say.
type Job struct {
	Job            int      `json:"job" about:"number of the job"`
	WaitedS        float64  `json:"waited_s" about:"seconds since its submission"`
	LimitS         float64  `json:"limit_s" about:"time limit in seconds, 0 for none"`
	Cores          int      `json:"cores" about:"cores over all nodes (sbatch -n)"`
	Nodes          int      `json:"nodes" about:"number of nodes (-N), 0 for any"`
	MaxNodes       int      `json:"max_nodes" about:"most nodes of a range (-N 2-4), 0 where nodes is exact"`
	CoresPerNode   int      `json:"cores_per_node" about:"cores on each node (--ntasks-per-node), 0 for any"`
	GPUsPerNode    int      `json:"gpus_per_node" about:"GPUs on each node (--gres=gpu:2)"`
	MaxGPUsPerNode int      `json:"max_gpus_per_node" about:"most GPUs of a range (--gres=gpu:1-3), 0 where gpus_per_node is exact"`
	Contiguous     bool     `json:"contiguous" about:"the nodes must be neighbours (--contiguous)"`
	Switches       int      `json:"switches,omitempty" about:"most leaf switches of the job (--switches)"`
	RequiredNodes  []string `json:"required_nodes,omitempty" about:"nodes that must be among the job's (--nodelist)"`
	ForbiddenNodes []string `json:"forbidden_nodes,omitempty" about:"nodes that the job may not use, by --exclude, --constraint or its partition"`
}

// Running is a job that runs.
type Running struct {
	Job         int      `json:"job" about:"number of the job"`
	Nodes       []string `json:"nodes" about:"its nodes"`
	Cores       []int    `json:"cores" about:"cores on each of them"`
	GPUsPerNode int      `json:"gpus_per_node" about:"GPUs on each of them"`
	EndS        float64  `json:"end_s" about:"when its limit ends it at the latest"`
}

// Changed says what happened since the snapshot before, by numbers of jobs.
type Changed struct {
	Submitted []int `json:"submitted" about:"jobs that are new in the queue"`
	Started   []int `json:"started" about:"jobs that are new among the running ones"`
	Ended     []int `json:"ended" about:"jobs that are gone from the running ones"`
}

// Result is what became of a start of an earlier answer.
type Result struct {
	Job     int     `json:"job" about:"number of the job"`
	Outcome Outcome `json:"outcome" enum:"started refused returned" about:"started, refused or returned"`
	Reason  string  `json:"reason,omitempty" about:"why not, in the words of Slurm or of slurmlab"`
}

// Outcome is what became of a start.
type Outcome string

// Outcomes.
const (
	// Started jobs run.
	Started Outcome = "started"
	// Refused starts broke a rule of the protocol, or Slurm would not release the job.
	Refused Outcome = "refused"
	// Returned jobs were released, did not start, and wait again.
	Returned Outcome = "returned"
)

// Answer says what to do. With no field beside type and number the program waits for the
// next change.
type Answer struct {
	Type       string    `json:"type" const:"answer" about:"the word answer"`
	Number     int       `json:"number" min:"1" about:"number of the snapshot that is answered"`
	Start      []Start   `json:"start,omitempty" about:"jobs to start now, in this order"`
	Reserve    []Reserve `json:"reserve,omitempty" about:"plans: they start nothing, are recorded, and have slurmlab ask again when they are due"`
	WaitUntilS float64   `json:"wait_until_s,omitempty" min:"0" max:"3153600000" about:"do not ask before this time unless something changes"`
}

// Start is a job with its nodes.
type Start struct {
	Job   int      `json:"job" min:"1" about:"number of a job of the queue"`
	Nodes []string `json:"nodes" about:"exactly the nodes that it gets"`
	Cores []int    `json:"cores,omitempty" about:"cores on each of these; without, Slurm's rule lays them out, evenly where it can"`
	GPUs  *int     `json:"gpus_per_node,omitempty" about:"GPUs on each of these, where the job has a range; without, the least"`
}

// Reserve is the plan to start a job later.
type Reserve struct {
	Job    int      `json:"job" min:"1" about:"number of a job of the queue"`
	StartS float64  `json:"start_s" min:"0" max:"3153600000" about:"when it is to start"`
	Nodes  []string `json:"nodes,omitempty" about:"the nodes that it is to get, for the record"`
}
