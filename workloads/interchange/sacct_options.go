package interchange

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// recorded are the options of sbatch that the record tells of a job with so many nodes and
// cores. unused says what of them no workload has a word for.
func (r *sacctRow) recorded(nodes, cores int) (workloads.Options, unused) {
	// A job that could run in several partitions names them all until it starts, see partitions.
	partition, _, _ := strings.Cut(r.text("Partition"), ",")
	o := workloads.Options{Partition: partition}
	var u unused
	o.MemPerNode, o.MemPerCPU = r.memory(nodes, cores)
	// "0n", "0c" and "0" ask for all memory of a node or for none.
	u.memory = o.MemPerNode+o.MemPerCPU == 0 && strings.Contains(r.text("AllocTRES"), "mem=")
	if features := r.text("Constraints"); sbatch.AreFeatures(features) {
		o.Features = features
	} else {
		u.features = true
	}
	o.GPUType, u.gpuType = r.gpuType()
	o.Segment = r.segment()
	o.Switches, u.switchWait = r.switches()
	return o, u
}

// segment is how many nodes of the job are within a block, 0 if it did not say. A dump without SegmentSize has it on the line of sbatch, if it was
// said there. What stands behind the script can look like an option of sbatch, so a text that is no number is none.
func (r *sacctRow) segment() int {
	text := r.text(records.SegmentSize)
	if text == "" {
		n, _ := strconv.ParseUint(lineOption(r.text(records.SubmitLine), "--segment", ""), 10, 16)
		return int(n)
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		r.fault(records.SegmentSize, fmt.Sprintf("a whole number in 0..%d", sbatch.MaxSegment))
	}
	return int(n)
}

// switches are the most leaf switches of the job, which the line of sbatch has alone (--switches=COUNT or COUNT@TIME), and wait says that there is
// a time after which Slurm gives it more. 0 is for any number. As in segment, a text that is no number is none.
func (r *sacctRow) switches() (most int, wait bool) {
	text, _, wait := strings.Cut(lineOption(r.text(records.SubmitLine), "--switches", ""), "@")
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, false
	}
	return min(int(n), layout.MaxNodes), wait
}

// partitions are those of which the job could have any, "" unless it named several. Partition of sacct(1) has them all until the job starts,
// and then the one in which it did; the line of sbatch has them all if they were named there. What stands behind the script can look like
// an option of sbatch, so a list counts only if it has the partition in which the job started.
func (r *sacctRow) partitions() string {
	list := func(text string) string { return strings.ReplaceAll(text, ",", "&") }
	started := r.text("Partition")
	if strings.Contains(started, ",") {
		return list(started)
	}
	asked := workloads.Options{Partition: list(lineOption(r.text(records.SubmitLine), "--partition", "-p"))}
	if all := asked.Partitions(); len(all) < 2 || !sbatch.ArePartitions(asked.Partition) || !slices.Contains(all, started) {
		return ""
	}
	return asked.Partition
}

// oldPerCPU is MEM_PER_CPU of slurm.h before amounts of memory had 64 bits. Accounting that was
// written then and is read by a later sacct has it in the amount, with n at its end.
const oldPerCPU = 1 << 31

// memory is what the job asked for in MiB, for each node or for each core.
//
// Up to Slurm 20.11 ReqMem ends with n or c, for node and core; later it is the sum over the
// job, as ReqTRES has it (sacct(1)). Such a sum is divided among equal parts of the nodes, or
// of the cores if the nodes have no equal number of them.
func (r *sacctRow) memory(nodes, cores int) (perNode, perCPU int) {
	const field = "ReqMem"
	text := r.text(field)
	per := ""
	if n := len(text) - 1; n >= 0 && strings.ContainsRune("nc?", rune(text[n])) {
		text, per = text[:n], text[n:]
	}
	if per == "?" {
		return 0, 0
	}
	if text == "" {
		tres, err := values.TRES(r.text("ReqTRES"))
		if err != nil {
			r.fault("ReqTRES", "name=value pairs separated by commas")
			return 0, 0
		}
		if text = tres["mem"]; text == "" {
			return 0, 0
		}
	}
	mib, ok := values.MiB(text)
	switch {
	case !ok && r.text(field) == "":
		r.fault("ReqTRES", "mem with a number and perhaps K, M, G, T or P")
		return 0, 0
	case !ok:
		r.fault(field, "a number, perhaps K, M, G, T or P, and perhaps n or c")
		return 0, 0
	case mib >= oldPerCPU:
		return 0, mib - oldPerCPU
	case per == "n":
		return mib, 0
	case per == "c":
		return 0, mib
	case nodes <= 1 || cores%nodes == 0:
		return ceil(mib, max(1, nodes)), 0
	}
	return 0, ceil(mib, max(1, cores))
}

// gpuType is the type that the job asked for; several says that there was more than one.
// AllocTRES has the type of the GPUs that a job got, whether it had asked for one or not.
func (r *sacctRow) gpuType() (name string, several bool) {
	tres, err := values.TRES(r.text("ReqTRES"))
	if err != nil {
		r.fault("ReqTRES", "name=value pairs separated by commas")
	}
	for resource, amount := range tres {
		typed, ok := strings.CutPrefix(resource, "gres/gpu:")
		if !ok || amount == "0" {
			continue
		}
		if name != "" {
			return "", true
		}
		name = typed
	}
	return name, false
}

// parts are the shards or MPS of a GPU that the job has on each node, as --gres counts them; ReqTRES and AllocTRES have their sums. Slurm
// records them only if AccountingStorageTRES names them (slurm.conf(5)).
func (r *sacctRow) parts(tres string, nodes int) int {
	for _, field := range []string{"ReqTRES", "AllocTRES"} {
		all, err := values.TRES(r.text(field))
		text, there := all[tres]
		if err != nil || !there {
			continue
		}
		n, ok := values.Count(text)
		if !ok || n > math.MaxInt32 {
			r.fault(field, "a whole number of "+tres)
			return 0
		}
		return ceil(n, max(1, nodes))
	}
	return 0
}

// ruled are the QOS, the licences and the reservation of the job. Licences of which one is enough (a|b) are no licences of a workload.
func (r *sacctRow) ruled() workloads.Terms {
	t := workloads.Terms{QOS: r.text("QOS"), Reservation: r.text("Reservation")}
	if licences := r.text("Licenses"); licences != "" {
		t.Licenses, _ = sbatch.Licenses(licences)
	}
	return t
}

// takenTerms returns the terms of a trace that the machine has; u gets the others. A job without a QOS has the
// default one of its account, which on a machine without QOS has no limits.
func takenTerms(t workloads.Terms, m workloads.Machine, u *unused) workloads.Terms {
	if _, ok := m.Layout.FindQOS(t.QOS); !ok || len(m.Layout.QOS) == 0 {
		u.qos, t.QOS = t.QOS, ""
	}
	if _, ok := m.Layout.FindReservation(t.Reservation); !ok {
		u.reservation, t.Reservation = t.Reservation, ""
	}
	for wanted := range strings.SplitSeq(t.Licenses, "&") {
		name, _, _ := strings.Cut(wanted, ":")
		if name != "" && !slices.ContainsFunc(m.Layout.Licenses, func(l layout.License) bool { return l.Name == name }) {
			u.licences, t.Licenses = true, ""
		}
	}
	return t
}

// taken are the options of a trace of which the machine has something; u gets the others.
// What it has nothing of cannot tell its nodes apart.
func taken(o workloads.Options, m workloads.Machine, u *unused) workloads.Options {
	if o == (workloads.Options{}) {
		return o
	}
	has := m.Has()
	if !has.Partitions {
		u.partition, o.Partition = o.Partition, ""
	}
	if !has.Memory {
		u.memory = u.memory || o.MemPerNode+o.MemPerCPU > 0
		o.MemPerNode, o.MemPerCPU = 0, 0
	}
	if !has.Features {
		u.features = u.features || o.Features != ""
		o.Features = ""
	}
	if !has.GPUTypes {
		u.gpuType = u.gpuType || o.GPUType != ""
		o.GPUType = ""
	}
	if m.Blocks.None() {
		u.segment = u.segment || o.Segment > 0
		o.Segment = 0
	}
	if m.Switches.Flat() && o.Switches > 0 {
		u.switches, u.switchWait, o.Switches = true, false, 0
	}
	// Slurm writes the names of TRES in small letters (slurm_addto_char_list in src/common/slurm_protocol_defs.c), so sacct says a100 where slurm.conf has A100.
	for _, kind := range m.Layout.GPUTypes() {
		if strings.EqualFold(kind, o.GPUType) {
			o.GPUType = kind
		}
	}
	return o
}
