package trace

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// JobRecord is one row of jobs.csv: a job and what its placement was worth.
// The three values are defined in package metric; a job that never started has
// -1 in all of them.
type JobRecord struct {
	FinishedJob
	Fragmentation int
	Spread        float64
	Packing       float64
}

// JobsColumns is the header of jobs.csv: Batsim's 17 columns in Batsim's order
// (docs/output-jobs.rst), then ours. Files of earlier versions have no partition and account.
//
// A Batsim resource is a node here. requested_number_of_resources is the number of allocated nodes (for a job that
// never started the number asked for). allocated_resources are 0-based node indices as an interval set, "0-3 7".
// Times are seconds since the first submission. requested_time is the time limit, profile is the payload, "sleep" and
// its seconds, and success is 1 for a COMPLETED job. stretch = turnaround_time / execution_time. consumed_energy is
// always -1 (not measured). -1 also stands for "no limit" and for what is undefined because a job never started or
// ran for 0 s.
//
// metadata holds, as name=value pairs separated by semicolons, what has no column. That is Slurm's job id, state and
// user, the workload's arrival, run time and GPU range, the allocated cores and GPUs over all nodes, and these by
// type where the accounting has types. Of a job
// that was not to complete it is also its outcome in the workload, and its further options (workloads.Options and
// workloads.Terms). The columns cores, nodes, cores_per_node and contiguous are requests (0 = not asked for);
// gpus_per_node is allocated. elapsed_error_s is the execution time less the workload's run time, empty for a job
// that did not end as planned at the end of its run time. partition and account are where Slurm accounts the job,
// empty where the run does not say.
func JobsColumns() []string {
	return []string{
		"job_id", "workload_name", "profile", "submission_time",
		"requested_number_of_resources", "requested_time", "success",
		"final_state", "starting_time", "execution_time", "finish_time",
		"waiting_time", "turnaround_time", "stretch", "allocated_resources",
		"consumed_energy", "metadata",
		"cores", "nodes", "cores_per_node", "gpus_per_node", "contiguous",
		"class", "fragmentation", "spread", "packing", "elapsed_error_s",
		"partition", "account",
	}
}

// allocTypes is the name in metadata of the GPUs by type, such as "a100:2+v100:1".
const allocTypes = "alloc_gpu_types"

func typesText(types []layout.GPU) string {
	var parts []string
	for _, g := range types {
		parts = append(parts, fmt.Sprintf("%s:%d", g.Type, g.Count))
	}
	return strings.Join(parts, "+")
}

// unknown is Batsim's value for what is unknown or undefined.
const unknown = -1

// WriteJobsCSV writes the records under the header of JobsColumns. Numbers are
// written with as many digits as they need to be read back unchanged.
func WriteJobsCSV(w io.Writer, workloadName string, records []JobRecord) error {
	out := csv.NewWriter(w)
	if err := out.Write(JobsColumns()); err != nil {
		return fmt.Errorf("write jobs header: %w", err)
	}
	for _, r := range records {
		if err := out.Write(jobFields(workloadName, r)); err != nil {
			return fmt.Errorf("write job %d: %w", r.ID, err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write jobs: %w", err)
	}
	return nil
}

// jobFields formats one record in the order of JobsColumns.
func jobFields(workloadName string, r JobRecord) []string {
	execution, waiting, stretch := float64(unknown), float64(unknown), float64(unknown)
	turnaround := r.Finish - r.Submit
	resources := r.Nodes
	if started := len(r.Allocated) > 0; started {
		execution, waiting = r.Finish-r.Start, r.Start-r.Submit
		if execution > 0 {
			stretch = turnaround / execution
		}
		resources = len(r.Allocated)
	}
	elapsedError := ""
	if r.Timed() {
		elapsedError = float(execution - float64(r.Expected()))
	}
	limit := r.Limit
	if limit == 0 {
		limit = unknown
	}
	metadata := fmt.Sprintf("slurm_id=%d;state=%s;user=%s;arrival_s=%d;runtime_s=%d;gpus_min=%d;gpus_max=%d;alloc_cores=%d;alloc_gpus=%d",
		r.SlurmID, r.State, r.User, r.Arrival, r.Runtime, r.GPUsMin, r.GPUsMax, r.AllocCores, r.AllocGPUs)
	if r.NodesMax > 0 {
		metadata += fmt.Sprintf(";nodes_max=%d", r.NodesMax)
	}
	if r.Outcome != workloads.Completed {
		metadata += fmt.Sprintf(";outcome=%s;cancel_after_s=%d", r.Outcome, r.CancelAfter)
	}
	if r.SlurmQOS != "" {
		metadata += ";slurm_qos=" + r.SlurmQOS
	}
	if len(r.AllocTypes) > 0 {
		metadata += ";" + allocTypes + "=" + typesText(r.AllocTypes)
	}
	for _, asked := range r.Asked() {
		metadata += ";" + asked.Name + "=" + asked.Value
	}
	return []string{
		strconv.Itoa(r.ID), workloadName, "sleep" + strconv.Itoa(r.Runtime), float(r.Submit),
		strconv.Itoa(resources), strconv.Itoa(limit), bit(r.State == "COMPLETED"),
		BatsimState(r.State), float(r.Start), float(execution), float(r.Finish),
		float(waiting), float(turnaround), float(stretch), intervals(r.Allocated),
		strconv.Itoa(unknown), metadata,
		strconv.Itoa(r.Cores), strconv.Itoa(r.Nodes), strconv.Itoa(r.CoresPerNode),
		strconv.Itoa(r.GPUsPerNode()), bit(r.Contiguous),
		r.Class, strconv.Itoa(r.Fragmentation), float(r.Spread), float(r.Packing), elapsedError,
		r.SlurmPartition, r.SlurmAccount,
	}
}

func float(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
