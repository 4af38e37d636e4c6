package trace

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
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
// A Batsim resource is a node here: requested_number_of_resources is the number
// of allocated nodes (for a job that never started the number asked for), and
// allocated_resources are 0-based node indices as an interval set, "0-3 7".
// Times are seconds since the first submission. requested_time is the time
// limit; profile is the payload, "sleep" and its seconds; success is 1 for a
// COMPLETED job. stretch = turnaround_time / execution_time. consumed_energy is
// always -1 (not measured). -1 also stands for "no limit" and for what is
// undefined because a job never started or ran for 0 s.
//
// metadata holds, as name=value pairs separated by semicolons, what has no
// column: Slurm's job id, state and user, the workload's arrival, run time and GPU
// range, and the allocated cores and GPUs over all nodes; of a job that was not to
// complete also its outcome in the workload, and its further options (workloads.Options and workloads.Terms). The columns cores,
// nodes, cores_per_node and contiguous are requests (0 = not asked for);
// gpus_per_node is allocated. elapsed_error_s is the execution time less the
// workload's run time, empty for a job that did not end as planned at the end of its run
// time. partition and account are where Slurm accounts the job, empty where the run does not say.
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

// laterColumns is how many of the last JobsColumns files of earlier versions lack.
const laterColumns = 2

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

// ReadJobsCSV reads what WriteJobsCSV writes and returns the name of the
// workload (empty when there are no rows) and the records. Every column must
// agree with those it follows from, so that a file that somebody edited by hand is
// refused.
func ReadJobsCSV(r io.Reader, name string) (workloadName string, records []JobRecord, err error) {
	bad := faults.List{Name: name}
	err = readCSV(r, name, JobsColumns(), laterColumns, func(row csvRow) {
		before := bad.Len()
		row.bad = &bad
		record := row.jobRecord()
		if len(records) == 0 {
			workloadName = row.text("workload_name")
		}
		records = append(records, record)
		if bad.Len() > before {
			return
		}
		for i, want := range jobFields(workloadName, record)[:len(row.fields)] {
			if row.fields[i] != want {
				row.fault(JobsColumns()[i], fmt.Sprintf("want %q, which follows from the other columns", want))
			}
		}
	})
	if err == nil {
		err = bad.Err()
	}
	if err != nil {
		return "", nil, err
	}
	return workloadName, records, nil
}

func (r csvRow) jobRecord() JobRecord {
	var record JobRecord
	record.ID = r.count("job_id")
	if r.text("requested_time") != strconv.Itoa(unknown) {
		record.Limit = r.count("requested_time")
	}
	record.Submit = r.number("submission_time")
	record.Start = r.number("starting_time")
	record.Finish = r.number("finish_time")
	allocated, err := parseIntervals(r.text("allocated_resources"))
	if err != nil {
		r.fault("allocated_resources", err.Error())
	}
	record.Allocated = allocated
	record.Cores = r.count("cores")
	record.Nodes = r.count("nodes")
	record.CoresPerNode = r.count("cores_per_node")
	record.Contiguous = r.flag("contiguous")
	record.Class = r.text("class")
	fragmentation := r.number("fragmentation")
	if fragmentation != math.Trunc(fragmentation) || math.Abs(fragmentation) > maxNodes {
		r.fault("fragmentation", "want a whole number of blocks")
	}
	record.Fragmentation = int(fragmentation)
	record.Spread = r.number("spread")
	record.Packing = r.number("packing")
	record.SlurmPartition, record.SlurmAccount = r.later("partition"), r.later("account")
	r.metadata(&record.FinishedJob)
	return record
}

// metadata fills in the fields of job that have no column of their own.
func (r csvRow) metadata(job *FinishedJob) {
	pairs := strings.Split(r.text("metadata"), ";")
	numbers := map[string]*int{
		"slurm_id": &job.SlurmID, "arrival_s": &job.Arrival, "runtime_s": &job.Runtime,
		"nodes_max": &job.NodesMax, "gpus_min": &job.GPUsMin, "gpus_max": &job.GPUsMax,
		"alloc_cores": &job.AllocCores, "alloc_gpus": &job.AllocGPUs, "cancel_after_s": &job.CancelAfter,
	}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "state":
			job.State = value
			continue
		case "user":
			job.User = value
			continue
		case "slurm_qos":
			job.SlurmQOS = value
			continue
		case "outcome":
			outcome, err := workloads.ParseOutcome(value)
			if err != nil {
				r.fault("metadata", fmt.Sprintf("outcome: %v", err))
			}
			job.Outcome = outcome
			continue
		}
		if known, allowed := job.Set(key, value); known {
			if allowed != "" {
				r.fault("metadata", fmt.Sprintf("%q: want %s", pair, allowed))
			}
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		target, known := numbers[key]
		if err != nil || !known {
			r.fault("metadata", fmt.Sprintf("%q: want a known name and a whole number", pair))
			return
		}
		*target = int(n)
	}
}
