package interchange

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// CheckPartitions lists what is not allowed in o.Partitions.
func (o ImportOptions) CheckPartitions() error {
	if len(o.Partitions) == 0 {
		return nil
	}
	var allowed []string
	for _, p := range o.Machine.WithLayout().Layout.Partitions {
		allowed = append(allowed, p.Name)
	}
	if !o.Machine.Has().Partitions {
		return fmt.Errorf("partition: has no effect, as machine %s has no partitions of its own; leave it out", o.Machine.Name)
	}
	var bad []error
	for _, old := range slices.Sorted(maps.Keys(o.Partitions)) {
		if name := o.Partitions[old]; !slices.Contains(allowed, name) {
			bad = append(bad, fmt.Errorf("partition: got %s for %s, allowed %s (of machine %s)", faults.Quote(name), faults.Quote(old), strings.Join(allowed, ", "), o.Machine.Name))
		}
	}
	return errors.Join(bad...)
}

// partitionsText lists what is changed, for the record of an import.
func (o ImportOptions) partitionsText() []string {
	var out []string
	for _, old := range slices.Sorted(maps.Keys(o.Partitions)) {
		out = append(out, fmt.Sprintf("partition %s is %s", old, o.Partitions[old]))
	}
	return out
}

// recorded are the options of a record of which the machine has something. The number of a partition, or a virtual cluster, is a
// partition if Options.Partitions says which ones these are. A job that runs when the workload begins stays in the partition in which it
// started; any other one can start in each that it named.
func (o ImportOptions) recorded(req *request, runs bool) workloads.Options {
	if len(o.Partitions) > 0 && req.unused.partition != "" {
		req.recorded.Partition, req.unused.partition = req.unused.partition, ""
	}
	o.share(req)
	out := taken(req.recorded, o.Machine, &req.unused)
	if shards, mps := o.Machine.Layout.Shares(); out.Shards > 0 && !shards || out.MPS > 0 && !mps {
		out.Shards, out.MPS = 0, 0
		if req.unused.parts = o.Machine.GPUs == 0; !req.unused.parts {
			req.gpus, req.unused.gpuFraction = max(1, req.nodes), true
		}
	}
	if out.Partition != "" && req.partitions != "" && !runs {
		out.Partition = req.partitions
	}
	return out
}

// share makes shards of the part of a GPU that a job asked for, where the machine has any. Its nodes may divide their GPUs differently: the
// finest division counts, so that no node gives the job too little. Shards have no type of GPU.
func (o ImportOptions) share(req *request) {
	finest := 0
	for _, g := range o.Machine.Layout.Groups {
		finest = max(finest, g.MostOfOneGPU(g.Shards))
	}
	if req.gpuShare == 0 || finest == 0 {
		return
	}
	// A quarter of 4 shards is 1, also where the product is a little more.
	const accuracy = 1e-9
	req.recorded.Shards, req.gpus, req.shared = max(1, int(math.Ceil(req.gpuShare*float64(finest)-accuracy))), 0, 1
	req.unused.gpuFraction = false
	if req.recorded.GPUType != "" {
		req.recorded.GPUType, req.unused.gpuType = "", true
	}
}

// placed gives the job the partitions that its own are on the machine. Without any the job is left
// out: clusters outlive their partitions.
func (c *converter) placed(j *workloads.Job, u *unused) bool {
	asked := j.Partitions()
	if len(asked) == 0 {
		return true
	}
	var there []string
	var absent names
	for _, name := range asked {
		if other, ok := c.options.Partitions[name]; ok {
			name = other
		}
		switch _, ok := c.options.Machine.Layout.Find(name); {
		case !ok:
			absent.add(name)
		case !slices.Contains(there, name):
			there = append(there, name)
		}
	}
	if j.Partition = strings.Join(there, "&"); len(there) == 0 {
		c.summary.leaveOut(nowhere)
		c.summary.absent.addAll(absent)
		return false
	}
	u.lacking = absent
	return true
}

// wholeCores turns CPUs that are threads into cores, and memory for each CPU into memory for each core. A machine
// file lacks the nodes of the job. So wholeCores takes the nodes of its partition that have as many CPUs as the job
// has on a node, and of these the ones with the fewest threads. It returns how many jobs were changed, 0 or 1.
func (r *request) wholeCores(j *workloads.Job, m workloads.Machine) int {
	threads := 1
	if r.threads && m.Unequal() {
		threads = threadsOf(m, *j, ceil(r.cores, max(1, r.nodes)))
	}
	if threads == 1 {
		return 0
	}
	if n := max(1, r.nodes); r.cores%n == 0 {
		r.cores = n * ceil(r.cores/n, threads)
	} else {
		r.cores = max(n, ceil(r.cores, threads))
	}
	j.MemPerCPU *= threads
	return 1
}

// threadsOf are the threads of a core on the nodes of the job's partitions that have so many CPUs, or
// the most of any node in them if none has.
func threadsOf(m workloads.Machine, j workloads.Job, cpus int) int {
	in := m.PartitionsOf(j)
	fewest, most := 0, 1
	for _, g := range m.Layout.Groups {
		if !slices.ContainsFunc(in, func(p layout.Partition) bool { return slices.Contains(p.Groups, g.Name) }) {
			continue
		}
		most = max(most, g.Threads)
		if g.Cores*g.Threads >= cpus && (fewest == 0 || g.Threads < fewest) {
			fewest = g.Threads
		}
	}
	if fewest == 0 {
		return most
	}
	return fewest
}
