package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// NeverStarted is the Start of a job that ended without having started.
const NeverStarted = -1

// finalStates are the states in which Slurm is done with a job (slurm.h,
// enum job_states, beyond JOB_SUSPENDED).
func finalStates() []string {
	return []string{
		"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL",
		"PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
	}
}

// Join puts each workload job together with its accounting row, whose JobName is the workload's job id. It returns
// the jobs in the workload's order with times relative to the first Submit. Rows of submissions that Slurm has
// forgotten do not count. Every job of the workload must have exactly one row and every row a job. The error lists
// ids that are missing, there twice (as a requeued job is) or unknown, and jobs that are not finished or lie outside
// the machine. It also lists jobs whose allocated GPUs or memory are not the amount asked for, or that are not in the
// partition or account asked for.
func Join(workload []workloads.Job, rows []accounting.Row, machine workloads.Machine) ([]FinishedJob, error) {
	rows = accounting.WithoutForgotten(rows)
	byID, err := rowsByJob(workload, rows)
	if err != nil {
		return nil, err
	}
	first := FirstSubmit(rows)
	jobs := make([]FinishedJob, 0, len(workload))
	var bad faults.List
	for _, w := range workload {
		job, err := join(w, byID[w.ID], machine, first)
		if err != nil {
			bad.Addf(0, "join job %d (Slurm job %d): %w", w.ID, byID[w.ID].JobID, err)
		}
		jobs = append(jobs, job)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return jobs, nil
}

// checkArrivals refuses jobs that were not submitted at their arrivals. Of two jobs neither can be later than the other
// by more than the largest delay of a submission, and a second, which is the unit of Slurm's times.
func (r Run) checkArrivals(jobs []FinishedJob) error {
	if len(jobs) == 0 {
		return nil
	}
	late := func(j FinishedJob) float64 { return j.Submit - float64(j.Arrival) }
	byDelay := func(a, b FinishedJob) int { return cmp.Compare(late(a), late(b)) }
	sorted := slices.SortedStableFunc(slices.Values(jobs), byDelay)
	first, middle, last := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
	most := r.ArrivalLagMax + LateSeconds*max(1, r.TimeScale)
	if late(last)-late(first) <= most {
		return nil
	}
	worst := last
	if late(middle)-late(first) > late(last)-late(middle) {
		worst = first
	}
	return fmt.Errorf("job %d (Slurm job %d) has Submit %g s off its arrival at %d s, job %d %g s: want them at most %g s apart, as run.json says how late submissions were",
		worst.ID, worst.SlurmID, late(worst), worst.Arrival, middle.ID, late(middle), most)
}

// JoinEnded is Join for a run that broke: of the jobs those that are in the accounting once
// and have ended there.
func JoinEnded(workload []workloads.Job, rows []accounting.Row, machine workloads.Machine) []FinishedJob {
	rows = accounting.WithoutForgotten(rows)
	first := FirstSubmit(rows)
	byName := make(map[string][]accounting.Row, len(rows))
	for _, row := range rows {
		byName[row.JobName] = append(byName[row.JobName], row)
	}
	var jobs []FinishedJob
	for _, w := range workload {
		its := byName[strconv.Itoa(w.ID)]
		if len(its) != 1 {
			continue
		}
		if job, err := join(w, its[0], machine, first); err == nil {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// FirstSubmit is the first submission of a run, from which its times count.
func FirstSubmit(rows []accounting.Row) time.Time {
	var first time.Time
	for _, row := range rows {
		if first.IsZero() || !row.Submit.IsZero() && row.Submit.Before(first) {
			first = row.Submit
		}
	}
	return first
}

// rowsByJob finds the one row of each job.
func rowsByJob(workload []workloads.Job, rows []accounting.Row) (map[int]accounting.Row, error) {
	wanted := make(map[int]bool, len(workload))
	for _, w := range workload {
		wanted[w.ID] = true
	}
	byID := make(map[int]accounting.Row, len(rows))
	var twice, missing []int
	var unknown []string
	for _, row := range rows {
		id, err := strconv.Atoi(row.JobName)
		_, seen := byID[id]
		switch {
		case err != nil || !wanted[id] || strconv.Itoa(id) != row.JobName:
			unknown = append(unknown, strconv.Quote(row.JobName))
		case seen:
			twice = append(twice, id)
		default:
			byID[id] = row
		}
	}
	for _, w := range workload {
		if _, ok := byID[w.ID]; !ok {
			missing = append(missing, w.ID)
		}
	}
	var bad faults.List
	if len(missing) > 0 {
		bad.Addf(0, "join workload and sacct: jobs not in sacct: %s", idList(missing))
	}
	if len(twice) > 0 {
		slices.Sort(twice)
		bad.Addf(0, "join workload and sacct: jobs more than once in sacct, as Slurm started them again: %s", idList(slices.Compact(twice)))
	}
	if len(unknown) > 0 {
		bad.Addf(0, "join workload and sacct: job names that are no id of the workload: %s", strings.Join(unknown, " "))
	}
	return byID, bad.Err()
}

func idList(ids []int) string {
	return strings.Trim(fmt.Sprint(ids), "[]")
}

func join(w workloads.Job, row accounting.Row, machine workloads.Machine, first time.Time) (FinishedJob, error) {
	w.User = cmp.Or(w.User, row.User)
	job := FinishedJob{
		Job:     w,
		SlurmID: row.JobID, SlurmPartition: row.Partition, SlurmAccount: row.Account, SlurmQOS: row.QOS,
		State:  row.State,
		Submit: row.Submit.Sub(first).Seconds(),
		Start:  NeverStarted,
		Finish: row.End.Sub(first).Seconds(),
	}
	if !slices.Contains(finalStates(), row.State) {
		return job, fmt.Errorf("state %s is not final", row.State)
	}
	if row.Submit.IsZero() || row.End.IsZero() {
		return job, fmt.Errorf("no Submit or no End time in state %s", row.State)
	}
	if row.End.Before(row.Submit) {
		return job, fmt.Errorf("ended before it was submitted")
	}
	if !inPartition(w.Partitions(), row) {
		return job, fmt.Errorf("is in partition %s, asked for %s", row.Partition, w.Partition)
	}
	if w.Account != "" && row.Account != w.Account {
		return job, fmt.Errorf("is charged to account %s, asked for %s", row.Account, w.Account)
	}
	if w.QOS != "" && row.QOS != "" && row.QOS != w.QOS {
		return job, fmt.Errorf("has QOS %s, asked for %s", row.QOS, w.QOS)
	}
	if len(row.NodeList) == 0 {
		if row.State == "COMPLETED" {
			return job, fmt.Errorf("completed without nodes")
		}
		return job, nil
	}
	if row.Start.IsZero() || row.Start.Before(row.Submit) {
		return job, fmt.Errorf("has nodes but no Start time, or one before Submit")
	}
	job.Start = row.Start.Sub(first).Seconds()
	job.Allocated = row.NodeList
	job.AllocCores = row.Cores
	if last := row.NodeList[len(row.NodeList)-1]; last >= machine.Nodes {
		return job, fmt.Errorf("node n%d is not on machine %s of %d nodes", last+1, machine.Name, machine.Nodes)
	}
	gpus, err := allocatedGPUs(row)
	if err != nil {
		return job, err
	}
	job.AllocGPUs = gpus
	if job.AllocTypes, err = allocatedTypes(row); err != nil {
		return job, err
	}
	nodes := len(row.NodeList)
	if w.NodesMax > 0 && (nodes < w.Nodes || nodes > w.NodesMax) {
		return job, fmt.Errorf("has %d nodes, asked for %d to %d", nodes, w.Nodes, w.NodesMax)
	}
	// Slurm adds all GPUs of the nodes of an exclusive job.
	if gpus < w.GPUsMin*nodes || gpus > w.GPUsMax*nodes && !w.Exclusive {
		return job, fmt.Errorf("has %d GPUs on %d nodes, asked for %d to %d per node", gpus, nodes, w.GPUsMin, w.GPUsMax)
	}
	return job, checkMemory(w, row)
}

// inPartition says whether a job is in a partition that it asked for. Slurm names all of a job that did not start.
func inPartition(asked []string, row accounting.Row) bool {
	for name := range strings.SplitSeq(row.Partition, ",") {
		if len(asked) > 0 && !slices.Contains(asked, name) {
			return false
		}
	}
	return len(row.NodeList) == 0 || !strings.Contains(row.Partition, ",")
}

// checkMemory compares mem of AllocTRES, over all nodes, with what the job asked for.
func checkMemory(w workloads.Job, row accounting.Row) error {
	want := w.MemPerNode*len(row.NodeList) + w.MemPerCPU*row.Cores
	if want == 0 {
		return nil
	}
	text := row.AllocTRES["mem"]
	got, ok := values.MiB(text)
	if !ok {
		return fmt.Errorf("AllocTRES mem=%s: want a size with its unit, M, G or T", text)
	}
	if got != want {
		return fmt.Errorf("has %d MiB of memory on %d nodes, asked for %d", got, len(row.NodeList), want)
	}
	return nil
}

// allocatedGPUs reads gres/gpu of AllocTRES, the number of GPUs over all nodes.
func allocatedGPUs(row accounting.Row) (int, error) {
	text, ok := row.AllocTRES["gres/gpu"]
	if !ok {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("AllocTRES gres/gpu=%s: want a whole number", text)
	}
	return int(n), nil
}

// typePrefix begins the entries of AllocTRES for GPUs of one type.
const typePrefix = "gres/gpu:"

// allocatedTypes reads gres/gpu:TYPE of AllocTRES, which Slurm tracks beside the sum of all types.
func allocatedTypes(row accounting.Row) ([]layout.GPU, error) {
	var types []layout.GPU
	for _, key := range slices.Sorted(maps.Keys(row.AllocTRES)) {
		name, typed := strings.CutPrefix(key, typePrefix)
		if !typed {
			continue
		}
		n, err := strconv.ParseUint(row.AllocTRES[key], 10, 31)
		if err != nil {
			return nil, fmt.Errorf("AllocTRES %s=%s: want a whole number", key, row.AllocTRES[key])
		}
		if n > 0 {
			types = append(types, layout.GPU{Type: name, Count: int(n)})
		}
	}
	return types, nil
}
