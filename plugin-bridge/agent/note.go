package agent

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// note is a request as job_submit.lua wrote it into the admin comment. Counts
// that are 0 were not asked for.
type note struct {
	tasks, nodes, tasksPerNode int
	// maxNodes is 0 unless the job asked for a range of nodes, from nodes on.
	maxNodes int
	// gpus to maxGPUs are per node; both are 0 unless the job asked for a range.
	gpus, maxGPUs int
	// gpuType is empty unless the job asked for GPUs of a type.
	gpuType string
	// required and excluded are hostlists, reservation is a name. partitions are names with commas between them, empty unless the job
	// asked for several.
	required, excluded, reservation, partitions string
	// memoryPerNode and memoryPerCPU are in MiB.
	memoryPerNode, memoryPerCPU int
	cpusPerTask                 int
	switches                    int
	// exclusive is 1 for --exclusive.
	exclusive int
	// nice is --nice, begin the earliest start (--begin), zero without one.
	nice  int
	begin time.Time
}

// parseNote reads "slurmlab" and words KEY=VALUE. It is strict: the script and
// this program come from one build, so any other text was written by somebody else,
// for example an administrator with "scontrol update AdminComment=".
func parseNote(text string) (note, error) {
	var n note
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != "slurmlab" {
		return n, fmt.Errorf("its AdminComment %q is not the one that job_submit.lua wrote", text)
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "tasks":
			n.tasks, err = count(value)
		case "nodes":
			n.nodes, err = count(value)
		case "max_nodes":
			n.maxNodes, err = count(value)
		case "tasks_per_node":
			n.tasksPerNode, err = count(value)
		case "gpus":
			n.gpus, n.maxGPUs, err = countRange(value)
		case "gpu_type":
			n.gpuType = value
		case "partitions":
			n.partitions, err = url.PathUnescape(value)
		case "nodelist":
			n.required, err = url.PathUnescape(value)
		case "exclude":
			n.excluded, err = url.PathUnescape(value)
		case "reservation":
			n.reservation, err = url.PathUnescape(value)
		case "mem_per_node":
			n.memoryPerNode, err = count(value)
		case "mem_per_cpu":
			n.memoryPerCPU, err = count(value)
		case "cpus_per_task":
			n.cpusPerTask, err = count(value)
		case "switches":
			n.switches, err = count(value)
		case "exclusive":
			n.exclusive, err = count(value)
		case "nice":
			n.nice, err = strconv.Atoi(value)
		case "begin":
			var seconds int64
			seconds, err = strconv.ParseInt(value, 10, 64)
			n.begin = time.Unix(seconds, 0).UTC()
		case "script":
			// Who runs the job knows what to do with it.
		default:
			err = fmt.Errorf("unknown word")
		}
		if err != nil {
			return note{}, fmt.Errorf("its AdminComment %q is not the one that job_submit.lua wrote: %s: %w", text, word, err)
		}
	}
	return n, nil
}

// count reads a number without sign, up to the largest of an int32.
func count(text string) (int, error) {
	n, ok := values.Count(text)
	if !ok || n > math.MaxInt32 {
		return 0, fmt.Errorf("want a whole number")
	}
	return n, nil
}

// countRange reads "1-3", or "2" for "2-2".
func countRange(text string) (low, high int, err error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	low, errLow := count(first)
	high, errHigh := count(last)
	if errLow != nil || errHigh != nil || low < 1 || high < low {
		return 0, 0, fmt.Errorf("want a range LOW-HIGH with 1 <= LOW <= HIGH")
	}
	return low, high, nil
}
