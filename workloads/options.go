package workloads

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// Options say more about where a job may run than how many nodes, cores and GPUs it needs.
type Options = sbatch.Options

// Pair is an option by the name of its column.
type Pair struct{ Name, Value string }

// Asked lists the Options, the Terms and the Past that the job has, in the order of their columns.
func (j Job) Asked() []Pair {
	if j.Options == (Options{}) && j.Terms == (Terms{}) && j.Past == (Past{}) {
		return nil
	}
	var out []Pair
	for name, value := range j.further() {
		if value.Asked() {
			out = append(out, Pair{name, string(value.Append(nil))})
		}
	}
	return out
}

// further has the job's Options, Terms and Past by the names of their columns, in the order of these.
func (j *Job) further() iter.Seq2[string, sbatch.Value] {
	return func(yield func(string, sbatch.Value) bool) {
		columns := sbatch.Columns()
		for i := range columns {
			if !yield(columns[i].Name, columns[i].Of(&j.Options, &j.Terms)) {
				return
			}
		}
		for _, c := range pastColumns() {
			if !yield(c.name, c.of(j)) {
				return
			}
		}
	}
}

// askedOptions lists the Options alone.
func (j Job) askedOptions() []Pair {
	columns := sbatch.OptionColumns()
	var out []Pair
	for i := range columns {
		if v := columns[i].Of(&j.Options, &j.Terms); v.Asked() {
			out = append(out, Pair{columns[i].Name, string(v.Append(nil))})
		}
	}
	return out
}

// Set reads an option that Asked lists. known says whether there is one of that name; allowed is
// empty unless the value is none.
func (j *Job) Set(name, value string) (known bool, allowed string) {
	for each, into := range j.further() {
		if each == name {
			return true, into.Set(value)
		}
	}
	return false, ""
}

// optionFaults are the rules of Options and Terms that the job breaks on any machine.
func (j Job) optionFaults() []faults.Fault {
	if j.Options == (Options{}) && j.Terms == (Terms{}) {
		return nil
	}
	var out []faults.Fault
	columns := sbatch.Columns()
	for i := range columns {
		o := &columns[i]
		value := o.Of(&j.Options, &j.Terms)
		if allowed := o.Check(value); allowed != "" {
			problem := "got " + string(value.Append(nil))
			if text, ok := value.(*sbatch.Text); ok {
				problem = faults.Got(string(*text))
			}
			out = append(out, faults.At(o.Name, problem, allowed))
		}
		out = append(out, j.besides(o.Name)...)
	}
	return out
}

// besides are the rules of an option that look at more than its value.
func (j Job) besides(option string) []faults.Fault {
	broken := func(option, problem, allowed string) []faults.Fault {
		return []faults.Fault{faults.At(option, problem, allowed)}
	}
	switch option {
	case "mem_per_cpu":
		if j.MemPerNode > 0 && j.MemPerCPU > 0 {
			return broken(option, faults.Got(j.MemPerCPU), fmt.Sprintf("0 beside mem_per_node=%d", j.MemPerNode))
		}
	case "gpu_type":
		if layout.IsWord(j.GPUType) && (j.GPUsMin == 0 || j.GPUsMin != j.GPUsMax) {
			return broken(option, faults.Got(j.GPUType), "none unless gpus_min=gpus_max is 1 or more")
		}
	case "shards", "mps":
		return j.sharedFaults(option)
	case "exclusive":
		if j.Exclusive && j.GPUsMin != j.GPUsMax {
			return broken(option, "got 1", "0 beside a range of GPUs: the job gets all of its nodes")
		}
	case "nodelist":
		return j.nodeListFaults()
	case "segment":
		return j.segmentFaults()
	case "priority":
		if j.Nice != 0 && j.Priority != 0 {
			return broken("nice", faults.Got(j.Nice), fmt.Sprintf("0 beside priority=%d, of which Slurm takes nothing off", j.Priority))
		}
	case "dependency":
		if _, ok := j.Waits(); j.Dependency != "" && !ok {
			return broken(option, faults.Got(j.Dependency), dependencyRule)
		}
	case "array":
		if _, _, ok := j.array(); !ok {
			return broken(option, faults.Got(j.Array), fmt.Sprintf("none, or the name of an array, %s, perhaps with %%NUMBER from 1 to %d behind it", sbatch.WordRule, maxThrottle))
		}
	}
	return nil
}

// sharedFaults are the rules of a part of a GPU. Slurm refuses a job that asks for GPUs and for shards or MPS (ESLURM_INVALID_GRES in
// _foreach_job_state_validate of src/interfaces/gres.c).
func (j Job) sharedFaults(option string) []faults.Fault {
	count := map[string]int{"shards": j.Shards, "mps": j.MPS}[option]
	switch {
	case count == 0:
		return nil
	case j.GPUsMax > 0:
		return []faults.Fault{faults.At(option, faults.Got(count), fmt.Sprintf("0 beside gpus_max=%d: a job has GPUs or a part of one", j.GPUsMax))}
	case option == "mps" && j.Shards > 0:
		return []faults.Fault{faults.At(option, faults.Got(count), fmt.Sprintf("0 beside shards=%d", j.Shards))}
	}
	return nil
}

// segmentFaults are what sbatch refuses (_validate_segment_size in src/common/slurm_opt.c), and a segment that has no effect.
func (j Job) segmentFaults() []faults.Fault {
	switch {
	case j.Segment == 0:
		return nil
	case j.Nodes == 0:
		return []faults.Fault{faults.At("segment", faults.Got(j.Segment), "0 without nodes: segments are parts of a number of nodes")}
	case j.Nodes > j.Segment && j.Nodes%j.Segment != 0:
		return []faults.Fault{faults.At("segment", faults.Got(j.Segment), fmt.Sprintf("a divisor of nodes=%d, or more", j.Nodes))}
	}
	return nil
}

// features are the words of Features, of which a node must have one, or else all.
func (j Job) features() (words []string, one bool) {
	switch {
	case j.Features == "":
		return nil, false
	case strings.Contains(j.Features, "|"):
		return strings.Split(j.Features, "|"), true
	}
	return strings.Split(j.Features, "&"), false
}

// mayHave says whether the job's features, type of GPUs and memory are there on a node of the
// group, and how many of its cores the memory is enough for.
func (j Job) mayHave(g layout.Group) (cores int, ok bool) {
	if words, one := j.features(); len(words) > 0 {
		there := 0
		for _, w := range words {
			if slices.Contains(g.Features, w) {
				there++
			}
		}
		if there == 0 || !one && there < len(words) {
			return 0, false
		}
	}
	if g.MostOfOneGPU(g.Shards) < j.Shards || g.MostOfOneGPU(g.MPS) < j.MPS {
		return 0, false
	}
	if g.OfType(j.GPUType) < j.GPUsMin || j.MemPerNode > g.Memory {
		return 0, false
	}
	cores = g.Cores
	if j.MemPerCPU > 0 {
		cores = min(cores, g.Memory/j.MemPerCPU)
	}
	// A whole node comes with the memory for all of its cores.
	return cores, cores > 0 && (!j.Exclusive || cores == g.Cores)
}

// shared is the job as its partitions let it share nodes: where each job gets whole nodes in all of them it is exclusive.
func (j Job) shared(m Machine) Job {
	all := m.PartitionsOf(j)
	if len(all) > 0 && !slices.ContainsFunc(all, func(p layout.Partition) bool { return !p.GivesWholeNodes() }) {
		j.Exclusive = true
	}
	return j
}

// PartitionsOf are the partitions of the machine in one of which the job starts, in the order in which it names them.
func (m Machine) PartitionsOf(j Job) []layout.Partition {
	names := j.Partitions()
	if len(names) == 0 {
		names = []string{""}
	}
	var all []layout.Partition
	for _, name := range names {
		if p, ok := m.Layout.Find(name); ok {
			all = append(all, p)
		}
	}
	return all
}

// within is the job as it would be if it named one of its partitions alone.
func (j Job) within(m Machine, partition string) Job {
	j.Partition = partition
	return j.shared(m)
}

// inOne are the misfits of a job, none if it fits in one of its partitions. Slurm tries each partition of a pending job by itself
// (_build_job_queue_for_part in src/slurmctld/job_scheduler.c), so that the others do not matter.
func (j Job) inOne(m Machine, misfits func(Job) []faults.Fault) []faults.Fault {
	names := j.Partitions()
	if len(names) < 2 {
		return misfits(j)
	}
	var first []faults.Fault
	for _, name := range names {
		out := misfits(j.within(m, name))
		if len(out) == 0 {
			return nil
		}
		if first == nil {
			first = out
		}
	}
	return first
}

// equalMisfits are the options that no machine of equal nodes can satisfy. Its nodes are all in the partition main,
// and have neither memory that is scheduled, nor features, nor types of GPUs.
func (j Job) equalMisfits(m Machine) []faults.Fault {
	var out []faults.Fault
	for _, asked := range j.askedOptions() {
		if asked.Name == "exclusive" || asked.Name == "nodelist" || asked.Name == "segment" || asked.Name == "switches" || asked.Name == "partition" && asked.Value == mainPartition().Name {
			continue
		}
		out = append(out, faults.At(asked.Name, faults.Got(asked.Value),
			fmt.Sprintf("none on machine %s, whose nodes are equal; a machine file with groups has partitions, memory, features and types of GPUs", m.Name)))
	}
	return append(out, j.nodeListMisfits(m)...)
}

// optionMisfits are the options of which no node of a machine with groups has anything.
func (j Job) optionMisfits(m Machine) []faults.Fault {
	var out []faults.Fault
	unknown := func(field, value string, all []string) {
		if slices.Contains(all, value) {
			return
		}
		allowed := "none: machine " + m.Name + " has none"
		if len(all) > 0 {
			allowed = fmt.Sprintf("%s (of machine %s)", strings.Join(all, ", "), m.Name)
		}
		out = append(out, faults.At(field, faults.Got(value), allowed))
	}
	for _, name := range j.Partitions() {
		var names []string
		for _, p := range m.Layout.Partitions {
			names = append(names, p.Name)
		}
		unknown("partition", name, names)
	}
	words, _ := j.features()
	for _, w := range words {
		var all []string
		for _, g := range m.Layout.Groups {
			all = append(all, g.Features...)
		}
		slices.Sort(all)
		unknown("features", w, slices.Compact(all))
	}
	if j.GPUType != "" {
		unknown("gpu_type", j.GPUType, m.Layout.GPUTypes())
	}
	if p, _ := m.Layout.Find(j.Partition); p.GivesWholeNodes() && j.GPUsMin != j.GPUsMax {
		out = append(out, faults.At("gpus_max", faults.Got(j.GPUsMax), fmt.Sprintf("gpus_min=%d in partition %s of machine %s, whose jobs get all of their nodes", j.GPUsMin, p.Name, m.Name)))
	}
	for _, asked := range j.askedOptions() {
		if strings.HasPrefix(asked.Name, "mem_") && m.Layout.MemoryPerCore() == 0 {
			out = append(out, faults.At(asked.Name, faults.Got(asked.Value), "0: memory is not scheduled on machine "+m.Name+", as its groups have none"))
		}
	}
	return out
}

// Beyond lists what the job asks for beyond nodes, cores, GPUs, an account and the columns that are named. Its Past and an Array that all
// tasks may run of at a time are nothing that it asks for.
func (j Job) Beyond(known ...string) []Pair {
	j.Past = Past{}
	if _, throttle, _ := j.array(); throttle == 0 {
		j.Array = ""
	}
	return slices.DeleteFunc(j.Asked(), func(p Pair) bool { return p.Name == "account" || slices.Contains(known, p.Name) })
}

// CheckPlain is an error where a job asks for more than what knows: nodes, cores, GPUs and accounts,
// and the further columns that are named.
func CheckPlain(what string, jobs []Job, known ...string) error {
	var first Job
	var names []string
	count := 0
	for _, j := range jobs {
		more := j.Beyond(known...)
		if len(more) == 0 {
			continue
		}
		if count == 0 {
			first = j
			for _, asked := range more {
				names = append(names, asked.Name+"="+asked.Value)
			}
		}
		count++
	}
	if count == 0 {
		return nil
	}
	knows := append([]string{"nodes", "cores", "GPUs"}, known...)
	last := len(knows) - 1
	return fmt.Errorf("workload: %s knows %s and %s alone, and %d of %d jobs ask for more: job %d has %s",
		what, strings.Join(knows[:last], ", "), knows[last], count, len(jobs), first.ID, strings.Join(names, ", "))
}

// CheckShared is an error where a job asks for a part of a GPU. An agent does not know these: Slurm tells it how many shards of a node are in use,
// and not which GPUs have them, so that it would plan a GPU of which a part is taken.
func CheckShared(what string, m Machine, jobs []Job) error {
	var first Job
	count := 0
	for _, j := range jobs {
		if j.Shards+j.MPS == 0 {
			continue
		}
		if count == 0 {
			first = j
		}
		count++
	}
	if count == 0 {
		return nil
	}
	var nodes []string
	for i, g := range m.Layout.Groups {
		if g.Shards+g.MPS > 0 {
			nodes = append(nodes, m.Layout.NodesOf(i))
		}
	}
	asked := fmt.Sprintf("shards=%d", first.Shards)
	if first.MPS > 0 {
		asked = fmt.Sprintf("mps=%d", first.MPS)
	}
	return fmt.Errorf("workload: %s has an agent, which is not told on which GPUs of %s parts are free, and %d of %d jobs ask for parts: job %d has %s; allowed are policies of Slurm's own",
		what, strings.Join(nodes, ","), count, len(jobs), first.ID, asked)
}

// OfNodes are the columns of Options, which say where a job may run and not when.
func OfNodes() []string {
	var names []string
	for _, o := range sbatch.OptionColumns() {
		names = append(names, o.Name)
	}
	return names
}
