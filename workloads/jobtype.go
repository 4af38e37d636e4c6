package workloads

import (
	"fmt"
	"strconv"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// JobType is one column of AUCSCHED Table 4 or one row of AUCSCHED2 Table 2. Without lists it is a request for cores
// only. With CoresPerNode it is a node request. With GPUs and CoresPerGPU it is a node request for that many GPUs per
// node and GPUs*cores cores per node.
type JobType struct {
	Class string `json:"class" about:"{Class}" need:"yes"`
	// Share is the fraction of jobs of this type. The paper rounds (33.3 %,
	// 16.6 %), so shares may miss 1 by 0.01 in sum and are scaled to it.
	Share        float64 `json:"share" about:"part of the jobs; all shares are 1 in sum, up to a hundredth" need:"yes"`
	CoresPerNode []int   `json:"cores_per_node,omitempty" about:"list of cores on each node, one of which is drawn for a job ('-N', '-n', '--ntasks-per-node'); a job asks for cores alone without it"`
	GPUs         int     `json:"gpus,omitempty" about:"GPUs on each node" default:"0"`
	// GPUsMax, if not 0, makes GPUs the least of a range (AUCSCHED2 section 1).
	// Cores and run time are those of GPUs, see Job.RuntimeOn.
	GPUsMax     int   `json:"gpus_max,omitempty" about:"the most GPUs of a [range](../design/005-gpu-ranges.md) that begins with 'gpus'"`
	CoresPerGPU []int `json:"cores_per_gpu,omitempty" about:"list of cores on each node for each GPU; a type with 'gpus' needs it"`
	// TotalOnly asks for the nodes and the total of their cores (-N -n, type 2 of
	// AUCSCHED section 4) and leaves out --ntasks-per-node (type 3).
	TotalOnly bool `json:"total_only,omitempty" about:"'true' leaves out '--ntasks-per-node'"`
}

func (s Spec) typeFaults() []faults.Fault {
	if len(s.Types) == 0 {
		return []faults.Fault{faults.At("types", "got none", "at least one job type")}
	}
	var (
		out []faults.Fault
		sum int64
	)
	for i, t := range s.Types {
		for _, f := range t.faults() {
			f.Field = fmt.Sprintf("types[%d].%s", i, f.Field)
			out = append(out, f)
		}
		if isFraction(t.Share) {
			sum += ppm(t.Share)
		}
	}
	if len(out) == 0 && abs(sum-million) > million/100 {
		out = append(out, faults.At("types", fmt.Sprintf("got shares of %g in sum", float64(sum)/million), "0.99..1.01"))
	}
	return out
}

func (t JobType) faults() []faults.Fault {
	var out []faults.Fault
	if !isClass(t.Class) {
		out = append(out, faults.At("class", faults.Got(t.Class), "1..32 of letters, digits, -, _ and ."))
	}
	if t.Share == 0 || !isFraction(t.Share) {
		out = append(out, faults.At("share", faults.Got(t.Share), "more than 0 to 1, with at most 6 decimals"))
	}
	for i, c := range t.CoresPerNode {
		out = append(out, faults.Outside("cores_per_node["+strconv.Itoa(i)+"]", c, 1, maxCores)...)
	}
	out = append(out, faults.Outside("gpus", t.GPUs, 0, maxGPUs)...)
	for i, c := range t.CoresPerGPU {
		out = append(out, faults.Outside("cores_per_gpu["+strconv.Itoa(i)+"]", c, 1, maxCores)...)
	}
	if t.GPUsMax != 0 && (t.GPUs == 0 || t.GPUsMax <= t.GPUs || t.GPUsMax > maxGPUs) {
		out = append(out, faults.At("gpus_max", faults.Got(t.GPUsMax), fmt.Sprintf("more than gpus=%d to %d, none for a type without gpus", t.GPUs, maxGPUs)))
	}
	if t.TotalOnly && t.GPUs == 0 && len(t.CoresPerNode) == 0 {
		out = append(out, faults.At("total_only", faults.Got(t.TotalOnly), "with cores_per_node or gpus alone"))
	}
	switch {
	case t.GPUs > 0 && len(t.CoresPerNode) > 0:
		out = append(out, faults.At("cores_per_node", "got a list for a type with gpus", "cores_per_gpu there"))
	case t.GPUs > 0 && len(t.CoresPerGPU) == 0:
		out = append(out, faults.At("cores_per_gpu", "got none", "at least one number for a type with gpus"))
	case t.GPUs == 0 && len(t.CoresPerGPU) > 0:
		out = append(out, faults.At("cores_per_gpu", "got a list for a type without gpus", "cores_per_node there"))
	}
	return out
}

// shape is a request that a job can make on the machine: units of a number of
// nodes and cores, 1..count of them.
type shape struct {
	perNode int // cores per node, 0 for a request for cores only
	nodes   int // of one unit
	cores   int // of one unit
	count   int
}

func (t JobType) misfits(m Machine) []faults.Fault {
	var out []faults.Fault
	tooBig := func(field string, value, high int, of string) {
		if value > high {
			out = append(out, faults.At(field, faults.Got(value), fmt.Sprintf("up to %d (%s of a node)", high, of)))
		}
	}
	tooBig("gpus", t.GPUs, m.GPUs, "GPUs")
	tooBig("gpus_max", t.GPUsMax, m.GPUs, "GPUs")
	for i, c := range t.CoresPerNode {
		tooBig(fmt.Sprintf("cores_per_node[%d]", i), c, m.Cores, "cores")
	}
	for i, c := range t.CoresPerGPU {
		tooBig(fmt.Sprintf("cores_per_gpu[%d]", i), c, m.Cores/t.GPUs, fmt.Sprintf("cores per GPU for %d GPUs", t.GPUs))
	}
	return out
}

// shapes returns one shape for each entry of the type's list, for jobs of at
// most cap cores.
func (t JobType) shapes(m Machine, most int) []shape {
	if t.GPUs == 0 && len(t.CoresPerNode) == 0 {
		return []shape{{cores: m.Cores, count: most / m.Cores}}
	}
	var out []shape
	for _, perNode := range t.CoresPerNode {
		out = append(out, nodeShape(m, perNode, most))
	}
	for _, perGPU := range t.CoresPerGPU {
		out = append(out, nodeShape(m, t.GPUs*perGPU, most))
	}
	return out
}

func nodeShape(m Machine, perNode, most int) shape {
	nodes := min(m.Nodes, most/perNode)
	unit := m.Cores / gcd(m.Cores, perNode)
	if unit > nodes {
		unit = 1
	}
	return shape{perNode: perNode, nodes: unit, cores: unit * perNode, count: nodes / unit}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
