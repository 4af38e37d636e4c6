package workloads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Options are the options of sbatch that say more about where a job may run than how many
// nodes, cores and GPUs it needs. The zero value asks for nothing. Its JSON has the names of
// the columns of workload.csv.
type Options struct {
	// Partition is --partition, "" for the default one.
	Partition string `json:"partition,omitempty"`
	// MemPerNode is --mem and MemPerCPU --mem-per-cpu, both in MiB. A job has at most one.
	MemPerNode int `json:"mem_per_node,omitempty"`
	MemPerCPU  int `json:"mem_per_cpu,omitempty"`
	// Features is --constraint: features joined by &, all of which a node must have, or by |,
	// of which it must have one.
	Features string `json:"features,omitempty"`
	// GPUType is TYPE of --gres=gpu:TYPE:COUNT, "" for GPUs of any type.
	GPUType string `json:"gpu_type,omitempty"`
	// Exclusive is --exclusive: the job gets its nodes with all their cores and GPUs.
	Exclusive bool `json:"exclusive,omitempty"`
	// NodeList is --nodelist, nodes that are among the job's, as n[1-3&7]; the & stands for the comma of a
	// hostlist, which ends a cell of workload.csv.
	NodeList string `json:"nodelist,omitempty"`
}

// optionCount is the number of columns that Options have.
const optionCount = 7

// option is one of Options or Terms, as text: the name of its column, what stands in it, and where a
// text, a number, which may be negative if it is signed, or a flag is kept.
type option struct {
	name   string
	text   *string
	number *int
	signed bool
	flag   *bool
}

// list has the options in the order of their columns.
func (o *Options) list() [optionCount]option {
	return [optionCount]option{
		{name: "partition", text: &o.Partition},
		{name: "mem_per_node", number: &o.MemPerNode},
		{name: "mem_per_cpu", number: &o.MemPerCPU},
		{name: "features", text: &o.Features},
		{name: "gpu_type", text: &o.GPUType},
		{name: "exclusive", flag: &o.Exclusive},
		{name: "nodelist", text: &o.NodeList},
	}
}

// asked says whether the job asks for the option.
func (o option) asked() bool {
	switch {
	case o.text != nil:
		return *o.text != ""
	case o.number != nil:
		return *o.number != 0
	}
	return *o.flag
}

// String is what stands in the column.
func (o option) String() string {
	switch {
	case o.text != nil:
		return *o.text
	case o.number != nil:
		return strconv.Itoa(*o.number)
	case *o.flag:
		return "1"
	}
	return "0"
}

// set reads what stands in the column. It returns what is allowed there when that is something
// else; a text is checked with the job.
func (o option) set(text string) (allowed string) {
	ok := true
	switch {
	case o.text != nil:
		*o.text = text
	case o.number != nil:
		digits, negative := strings.CutPrefix(text, "-")
		*o.number, ok = wholeNumber(digits)
		allowed = "a whole number"
		if negative {
			// There is one text for each number, so "-0" is none.
			ok = ok && o.signed && *o.number != 0
			*o.number = -*o.number
		}
	default:
		*o.flag, ok = text == "1", text == "0" || text == "1"
		allowed = "0 or 1"
	}
	if ok {
		return ""
	}
	return allowed
}

// Pair is an option by the name of its column.
type Pair struct{ Name, Value string }

// further are the job's Options, Terms and Past, in the order of their columns.
func (j *Job) further() []option {
	options, terms, past := j.Options.list(), j.Terms.list(), j.Past.list()
	return slices.Concat(options[:], terms[:], past[:])
}

// Asked lists the Options, the Terms and the Past that the job has, in the order of their columns.
func (j Job) Asked() []Pair {
	if j.Options == (Options{}) && j.Terms == (Terms{}) && j.Past == (Past{}) {
		return nil
	}
	return asPairs(j.further())
}

// askedOptions lists the Options alone.
func (j Job) askedOptions() []Pair {
	list := j.Options.list()
	return asPairs(list[:])
}

func asPairs(list []option) []Pair {
	var out []Pair
	for _, each := range list {
		if each.asked() {
			out = append(out, Pair{each.name, each.String()})
		}
	}
	return out
}

// Set reads an option that Asked lists. known says whether there is one of that name; allowed is
// empty unless the value is none.
func (j *Job) Set(name, value string) (known bool, allowed string) {
	for _, each := range j.further() {
		if each.name == name {
			return true, each.set(value)
		}
	}
	return false, ""
}

// wordRule is what layout.IsWord takes.
const wordRule = "1..32 of letters, digits, -, _ and ., the first a letter or digit"

// optionFaults are the rules of Options that the job breaks on any machine.
func (j Job) optionFaults() []fault {
	if j.Options == (Options{}) {
		return nil
	}
	var out []fault
	if j.Partition != "" && !layout.IsWord(j.Partition) {
		out = append(out, faultAt("partition", got(j.Partition), "none, or one: "+wordRule))
	}
	out = append(out, outside("mem_per_node", j.MemPerNode, 0, layout.MaxMemory)...)
	out = append(out, outside("mem_per_cpu", j.MemPerCPU, 0, layout.MaxMemory)...)
	if j.MemPerNode > 0 && j.MemPerCPU > 0 {
		out = append(out, faultAt("mem_per_cpu", got(j.MemPerCPU), fmt.Sprintf("0 beside mem_per_node=%d", j.MemPerNode)))
	}
	if !AreFeatures(j.Features) {
		out = append(out, faultAt("features", got(j.Features), "features joined by & or by |, not by both, each "+wordRule))
	}
	switch {
	case j.GPUType == "":
	case !layout.IsWord(j.GPUType):
		out = append(out, faultAt("gpu_type", got(j.GPUType), wordRule))
	case j.GPUsMin == 0 || j.GPUsMin != j.GPUsMax:
		out = append(out, faultAt("gpu_type", got(j.GPUType), "none unless gpus_min=gpus_max is 1 or more"))
	}
	if j.Exclusive && j.GPUsMin != j.GPUsMax {
		out = append(out, faultAt("exclusive", "got 1", "0 beside a range of GPUs: the job gets all of its nodes"))
	}
	return append(out, j.nodeListFaults()...)
}

// AreFeatures says whether Options.Features may have such a text.
func AreFeatures(text string) bool {
	words, _ := Job{Options: Options{Features: text}}.features()
	return !slices.ContainsFunc(words, func(w string) bool { return !layout.IsWord(w) })
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

// equalMisfits are the options that no machine of equal nodes has anything for: its nodes are
// all in the partition main, and have neither memory that is scheduled, nor features, nor
// types of GPUs.
func (j Job) equalMisfits(m Machine) []fault {
	var out []fault
	for _, asked := range j.askedOptions() {
		if asked.Name == "exclusive" || asked.Name == "nodelist" || asked.Name == "partition" && asked.Value == mainPartition().Name {
			continue
		}
		out = append(out, faultAt(asked.Name, got(asked.Value),
			fmt.Sprintf("none on machine %s, whose nodes are equal; a machine file with groups has partitions, memory, features and types of GPUs", m.Name)))
	}
	return append(out, j.nodeListMisfits(m)...)
}

// optionMisfits are the options of which no node of a machine with groups has anything.
func (j Job) optionMisfits(m Machine) []fault {
	var out []fault
	unknown := func(field, value string, all []string) {
		if slices.Contains(all, value) {
			return
		}
		allowed := "none: machine " + m.Name + " has none"
		if len(all) > 0 {
			allowed = fmt.Sprintf("%s (of machine %s)", strings.Join(all, ", "), m.Name)
		}
		out = append(out, faultAt(field, got(value), allowed))
	}
	if j.Partition != "" {
		var names []string
		for _, p := range m.Layout.Partitions {
			names = append(names, p.Name)
		}
		unknown("partition", j.Partition, names)
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
	for _, asked := range j.askedOptions() {
		if strings.HasPrefix(asked.Name, "mem_") && m.Layout.MemoryPerCore() == 0 {
			out = append(out, faultAt(asked.Name, got(asked.Value), "0: memory is not scheduled on machine "+m.Name+", as its groups have none"))
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

// OfNodes are the columns of Options, which say where a job may run and not when.
func OfNodes() []string {
	var names []string
	for _, each := range (&Options{}).list() {
		names = append(names, each.name)
	}
	return names
}
