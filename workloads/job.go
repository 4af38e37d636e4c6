package workloads

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// MaxID is the largest id of a job.
const MaxID = 999_999_999

// maxSeconds is 365 days, Slurm's longest time limit.
const maxSeconds = sbatch.MaxSeconds

// MaxJobs is the most jobs of a run: the MaxJobCount that the emulated slurmctld is
// configured with.
const MaxJobs = 100_000

// Job is one job of a workload, a row of workload.csv. Times are whole seconds
// and Arrival counts from the start of the run. Zero means "not asked for".
//
// The three kinds of request follow AUCSCHED section 4: Cores alone (type 1), Nodes with Cores (type 2), Nodes with
// Cores and CoresPerNode (type 3). Each may ask for GPUs per node. A request for cores alone then leaves to the
// scheduler how many nodes and so how many GPUs the job gets, as the jobs of IPSCHED section V do.
type Job struct {
	ID      int
	Arrival int
	// Runtime is known to the job's payload alone; Slurm gets Limit. With a range of GPUs it is the run time on the
	// least number, see RuntimeOn. A CancelledPending has none.
	Runtime int
	// Limit is the time limit. Generated and imported limits are whole minutes, Slurm's
	// unit; a run rounds others up when it submits the job, as sbatch does.
	Limit int
	// Nodes is sbatch -N. NodesMax, if not 0, makes it the least of a range, as -N 2-4:
	// N_min,j and N_max,j of IPSCHED section III. The job then names no cores per node.
	Nodes, NodesMax int
	// Cores is the total over all nodes, sbatch -n. Every job has it.
	Cores int
	// CoresPerNode is sbatch --ntasks-per-node.
	CoresPerNode int
	// GPUsMin and GPUsMax are GPUs per node, equal unless the job leaves the
	// scheduler a range (AUCSCHED2 section 1).
	GPUsMin    int
	GPUsMax    int
	Contiguous bool
	// Class names the job's kind in tables: letters, digits, '-', '_' and '.'.
	Class string
	// User is who submits the job, "" if that does not matter. It becomes a Slurm account of that name, unless the
	// job has an Account; see Machine.Charged. On a machine with QOS or accounts it is also a Unix user.
	User string
	// Outcome is how the job ends. CancelAfter is 0, or for a CancelledPending the seconds
	// from its submission to its cancellation.
	Outcome     Outcome
	CancelAfter int
	Options
	Terms
	Past
}

// RuntimeOn is the run time in whole seconds on the given number of GPUs per
// node, where Runtime is that on GPUsMin (AUCSCHED2 equation 5):
//
//	t' = t * GPUsMin / gpus, rounded up
//
// A job without a range runs for Runtime whatever the number, and so does one that runs
// into its limit.
func (j Job) RuntimeOn(gpus int) int {
	if j.GPUsMax <= j.GPUsMin || gpus <= j.GPUsMin || j.Outcome == Timeout {
		return j.Runtime
	}
	return (j.Runtime*j.GPUsMin + gpus - 1) / gpus
}

// MostNodes is the largest number of nodes that the job may have, 0 for any.
func (j Job) MostNodes() int { return max(j.Nodes, j.NodesMax) }

// CoreSeconds is the work of the job: its run time times its cores.
func (j Job) CoreSeconds() float64 { return float64(j.Runtime) * float64(j.Cores) }

// WholeMinutes is a time limit of so many seconds as Slurm keeps it, rounded up to whole minutes, in seconds.
// sbatch(1), "--time": "the time resolution is one minute and second values are rounded up to the next minute".
func WholeMinutes(seconds int) int { return (seconds + 59) / 60 * 60 }

// Validate returns one error for each reason why the job cannot run on the
// machine or contradicts itself. Each error names the job, the field, the
// value and what is allowed.
func (j Job) Validate(m Machine) []error {
	var out []error
	for _, f := range append(j.faults(), j.misfits(m)...) {
		out = append(out, j.describe(f))
	}
	return out
}

func (j Job) describe(f faults.Fault) error { return fmt.Errorf("job %d: %w", j.ID, f) }

// faults are the rules that the job breaks on any machine.
func (j Job) faults() []faults.Fault {
	var out []faults.Fault
	out = append(out, faults.Outside("job_id", j.ID, 1, MaxID)...)
	out = append(out, faults.Outside("arrival_s", j.Arrival, 0, maxSeconds)...)
	out = append(out, j.timeFaults()...)
	out = append(out, faults.Outside("nodes", j.Nodes, 0, maxNodes)...)
	out = append(out, faults.Outside("cores_per_node", j.CoresPerNode, 0, maxCores)...)
	out = append(out, faults.Outside("gpus_max", j.GPUsMax, 0, maxGPUs)...)
	if lowest := min(j.GPUsMax, 1); j.GPUsMin < lowest || j.GPUsMin > j.GPUsMax {
		out = append(out, faults.At("gpus_min", faults.Got(j.GPUsMin), fmt.Sprintf("%d..gpus_max=%d", lowest, j.GPUsMax)))
	}
	if j.NodesMax != 0 && (j.NodesMax <= j.Nodes || j.NodesMax > maxNodes || j.Nodes == 0 || j.CoresPerNode > 0) {
		out = append(out, faults.At("nodes_max", faults.Got(j.NodesMax), fmt.Sprintf("0, or more than nodes=%d to %d beside nodes and without cores_per_node", j.Nodes, maxNodes)))
	}
	out = append(out, j.coreFaults()...)
	if j.Nodes == 0 && j.CoresPerNode > 0 {
		out = append(out, faults.At("cores_per_node", faults.Got(j.CoresPerNode), "0 without nodes"))
	}
	if !isClass(j.Class) {
		out = append(out, faults.At("class", faults.Got(j.Class), "1..32 of letters, digits, -, _ and ."))
	}
	if !sbatch.IsUser(j.User) {
		out = append(out, faults.At("user", faults.Got(j.User), sbatch.UserRule))
	}
	out = append(out, j.optionFaults()...)
	return append(out, j.pastFaults()...)
}

func (j Job) coreFaults() []faults.Fault {
	switch {
	case j.Nodes > 0 && j.CoresPerNode > 0 && j.Cores != j.Nodes*j.CoresPerNode:
		return []faults.Fault{faults.At("cores", faults.Got(j.Cores), "nodes*cores_per_node="+strconv.Itoa(j.Nodes*j.CoresPerNode))}
	case j.Cores < 1 || j.Cores > maxNodes*maxCores:
		return []faults.Fault{faults.At("cores", faults.Got(j.Cores), faults.Between(1, maxNodes*maxCores))}
	case j.Cores < j.Nodes:
		return []faults.Fault{faults.At("cores", faults.Got(j.Cores), fmt.Sprintf("at least nodes=%d", j.Nodes))}
	}
	return nil
}

// misfits are the reasons why the machine is too small for the job. A job that ran before the workload begins is under no limit.
func (j Job) misfits(m Machine) []faults.Fault {
	if j.Ran > 0 {
		m.Layout = m.Layout.Lenient()
	}
	if m.Unequal() {
		if len(j.Partitions()) > 1 {
			// A name that the machine lacks is a fault whatever the others are: Slurm refuses the job (ESLURM_INVALID_PARTITION_NAME).
			if out := j.optionMisfits(m); len(out) > 0 {
				return out
			}
		}
		return append(j.inOne(m, func(j Job) []faults.Fault { return append(j.layoutMisfits(m), j.ruleMisfits(m)...) }), j.networkMisfits(m)...)
	}
	out := append(j.equalMisfits(m), j.ruleMisfits(m)...)
	out = append(out, j.networkMisfits(m)...)
	tooBig := func(field string, value, low, high int, of string) {
		if value > high {
			out = append(out, faults.At(field, faults.Got(value), fmt.Sprintf("%s (%s of machine %s)", faults.Between(low, high), of, m.Name)))
		}
	}
	tooBig("nodes", j.Nodes, 0, m.Nodes, "nodes")
	tooBig("nodes_max", j.NodesMax, 0, m.Nodes, "nodes")
	tooBig("cores_per_node", j.CoresPerNode, 0, m.Cores, "cores of a node")
	tooBig("gpus_max", j.GPUsMax, 0, m.GPUs, "GPUs of a node")
	switch {
	case j.Nodes == 0 || j.Nodes > m.Nodes:
		tooBig("cores", j.Cores, 1, m.AllCores(), "all cores")
	case j.CoresPerNode == 0:
		tooBig("cores", j.Cores, j.Nodes, j.MostNodes()*m.Cores, fmt.Sprintf("cores of %d nodes", j.MostNodes()))
	}
	return out
}

// Kind names the kind of a request after AUCSCHED section 4, or after its
// GPUs per node: type1, type2, type3, gpu2, gpu1-3.
func (j Job) Kind() string {
	switch {
	case j.GPUsMax > j.GPUsMin:
		return fmt.Sprintf("gpu%d-%d", j.GPUsMin, j.GPUsMax)
	case j.GPUsMax > 0:
		return fmt.Sprintf("gpu%d", j.GPUsMax)
	case j.Nodes == 0:
		return "type1"
	case j.CoresPerNode == 0:
		return "type2"
	}
	return "type3"
}

// isClass says whether text is a class's name. It uses no regular expression, because
// compiling one for each job is slow.
func isClass(text string) bool {
	other := func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}
	return text != "" && len(text) <= 32 && !strings.ContainsFunc(text, other)
}
