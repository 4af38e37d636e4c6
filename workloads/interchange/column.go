package interchange

import (
	"strings"
)

// treatment is what Anonymise does with the values of a column.
type treatment int

const (
	// replace gives each value its pseudonym.
	replace treatment = iota
	// replaceEach does so with each name of a list: a waiting job has several partitions.
	replaceEach
	// replaceCounted does so with each name of a list of licences, such as matlab:2&ansys:1, and keeps their numbers.
	replaceCounted
	// keep leaves a value as it is.
	keep
	// cutState takes away what stands behind Slurm's word: "CANCELLED by 1000".
	cutState
)

// keptColumns are those whose values name nobody: numbers, times, sizes and Slurm's own
// words. The first two lines have those of workload.csv but for Priority, the others the fields of sacct(1), of
// which steps alone have some. Features of nodes (Constraints) are names of hardware.
const keptColumns = `
job_id arrival_s runtime_s limit_s nodes cores cores_per_node gpus_min gpus_max contiguous class nodes_max outcome cancel_after_s
mem_per_node mem_per_cpu features gpu_type exclusive nodelist nice begin_after_s dependency array
AllocCPUS AllocGRES AllocNodes AllocTRES AveCPU AveCPUFreq AveDiskRead AveDiskWrite AvePages AveRSS AveVMSize ConsumedEnergy
ConsumedEnergyRaw Constraints CPUTime CPUTimeRAW DBIndex DerivedExitCode Elapsed ElapsedRaw Eligible End ExitCode Flags
HetJobID HetJobOffset JobID JobIDRaw Layout MaxDiskRead MaxDiskReadTask MaxDiskWrite MaxDiskWriteTask MaxPages MaxPagesTask
MaxRSS MaxRSSTask MaxVMSize MaxVMSizeTask MinCPU MinCPUTask NCPUS NNodes NTasks Planned PlannedCPU PlannedCPURAW Priority
ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReqCPUS ReqGRES ReqMem ReqNodes ReqTRES Reserved Restarts ResvCPU
ResvCPURAW Start Submit Suspended SystemCPU Timelimit TimelimitRaw TotalCPU UserCPU`

// treatmentOf is that of a column whose name is compared without case, as sacct does. A
// column that nobody knows may have names.
func treatmentOf(column string) treatment {
	switch strings.ToLower(column) {
	case "state":
		return cutState
	case "partition":
		return replaceEach
	case "licenses":
		return replaceCounted
	}
	for kept := range strings.FieldsSeq(keptColumns) {
		if strings.EqualFold(kept, column) {
			return keep
		}
	}
	return replace
}

// names says whether it puts pseudonyms in the place of names.
func (t treatment) names() bool { return t == replace || t == replaceEach || t == replaceCounted }

// kindOf is the kind of the names in a column, so that a dump and a workload that was made
// of it have the same pseudonyms.
func kindOf(column string) string {
	switch lower := strings.ToLower(column); lower {
	case "jobname", "job_name", "name":
		return "job"
	case "qosreq", "qosraw":
		return "qos"
	default:
		const most = 15
		kind := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, lower)
		if kind == "" {
			return "name"
		}
		return kind[:min(len(kind), most)]
	}
}
