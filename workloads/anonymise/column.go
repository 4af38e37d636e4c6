package anonymise

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// treatment is what [Jobs] does with the values of a column.
type treatment int

const (
	// replace gives each value its pseudonym.
	replace treatment = iota
	// replaceEach does so with each name of a list: a waiting job has several partitions, with commas between them or, in a workload, with &.
	replaceEach
	// replaceCounted does so with each name of a list of licences, such as matlab:2&ansys:1, and keeps their numbers.
	replaceCounted
	// keep leaves a value as it is.
	keep
	// cutState takes away what stands behind Slurm's word: "CANCELLED by 1000".
	cutState
)

// keptFields are the fields of sacct(1) whose values name nobody: numbers, times, sizes and Slurm's own
// words. Steps alone have some of them. Features of nodes (Constraints) are names of hardware.
const keptFields = `
AllocCPUS AllocGRES AllocNodes AllocTRES AveCPU AveCPUFreq AveDiskRead AveDiskWrite AvePages AveRSS AveVMSize ConsumedEnergy
ConsumedEnergyRaw Constraints CPUTime CPUTimeRAW DBIndex DerivedExitCode Elapsed ElapsedRaw Eligible End ExitCode Flags
HetJobID HetJobOffset JobID JobIDRaw Layout MaxDiskRead MaxDiskReadTask MaxDiskWrite MaxDiskWriteTask MaxPages MaxPagesTask
MaxRSS MaxRSSTask MaxVMSize MaxVMSizeTask MinCPU MinCPUTask NCPUS NNodes NTasks Planned PlannedCPU PlannedCPURAW Priority
ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReqCPUS ReqGRES ReqMem ReqNodes ReqTRES Reserved Restarts ResvCPU
ResvCPURAW Start Submit Suspended SystemCPU Timelimit TimelimitRaw TotalCPU UserCPU`

// treatmentOf returns the treatment of a column. The name of a field is compared without case, as sacct does; the name of a workload's column with it,
// so that nodelist, which has slurmlab's nodes, differs from NodeList, which has the site's. An unknown column may have names.
func treatmentOf(column string) treatment {
	switch strings.ToLower(column) {
	case "state":
		return cutState
	case "partition":
		return replaceEach
	case "licenses":
		return replaceCounted
	}
	if containsFold(strings.Fields(keptFields), column) || slices.Contains(workloads.PublicColumns(), column) {
		return keep
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
