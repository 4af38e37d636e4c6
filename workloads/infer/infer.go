package infer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// Inferred is the machine that the jobs of traces let one suppose.
type Inferred struct {
	Layout layout.Layout
	// Findings say how sure the values are, in the order of the machine file.
	Findings []Finding
	// Notes name what was left out and what cannot be known, each with its count.
	Notes []string
}

// Certainty says how much a dump tells of a value.
type Certainty string

// A value that jobs held is always a lower bound. Different mixes of jobs that end at the same value show that it is the size.
const (
	Sure    Certainty = "sure"
	Likely  Certainty = "likely"
	AtLeast Certainty = "at least"
)

// Finding is a value of a group or of a partition.
type Finding struct {
	Of, What, Value string
	Sure            Certainty
	// Because says what supports the value.
	Because string
}

// String is the finding as a comment of a machine file has it.
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s %s (%s): %s", f.Of, f.What, f.Value, f.Sure, f.Because)
}

// Machine supposes a machine from what the jobs of traces held at once. Sources of format sacct that name nodes (NodeList)
// give groups of nodes and partitions. The others give nodes of one size with as many cores as jobs ever held at once.
// The error has all bad records, unless skipBad counts them.
func Machine(sources []records.Source, format string, skipBad bool) (Inferred, error) {
	if err := checkInfer(format); err != nil {
		return Inferred{}, err
	}
	c := collected{
		resources: []string{coresName, memoryName, gpusName}, seen: map[heldKey]bool{}, hosts: map[string]string{}, counts: map[string]int{},
		partitions: map[string]int{}, qos: map[string]int{}, others: map[string]int{},
	}
	var wrong []error
	for _, src := range sources {
		bad := faults.List{Name: src.Name}
		header, err := interchange.Holdings(src, format, &bad, c.take)
		if err != nil {
			wrong = append(wrong, err)
		}
		c.header = append(c.header, header...)
		if bad.Len() > 0 && !skipBad {
			wrong = append(wrong, bad.Err(), fmt.Errorf("%s: --skip-bad leaves out the records with faults (%d) and counts them", src.Name, bad.Len()))
		}
		c.counts["with faults"] += bad.Len()
	}
	if err := errors.Join(wrong...); err != nil {
		return Inferred{}, err
	}
	if len(c.jobs) == 0 {
		return Inferred{}, fmt.Errorf("%s: jobs: got none that ran and ended, allowed at least one; %s", sources[0].Name, strings.Join(c.leftOut(), "; "))
	}
	slices.SortStableFunc(c.jobs, func(a, b heldJob) int { return cmp.Compare(a.start, b.start) })
	if len(c.hosts) == 0 {
		return c.whole(format), nil
	}
	return c.machine(), nil
}

// checkInfer says what is allowed for a format whose jobs have no known starts.
func checkInfer(format string) error {
	if slices.Contains(interchange.FormatsWithStarts(), format) {
		return nil
	}
	return fmt.Errorf("format: got %q, allowed are traces that say when jobs start (%s)%s", format,
		strings.Join(interchange.FormatsWithStarts(), ", "), faults.DidYouMean(format, interchange.FormatsWithStarts()))
}

// The resources of a node by their index. A type of GPUs is a further one.
const (
	atCores = iota
	atMemory
	atGPUs
	firstType
)

const coresName, memoryName, gpusName = "cores", "memory", "GPUs"

// amount is how much a job held of a resource over all its nodes; memory is in MiB.
type amount struct{ resource, total int }

// heldJob is what a job held and from when to when, in seconds. hosts is "" where the nodes are unknown.
type heldJob struct {
	start, end float64
	hosts      string
	partition  int
	nodes      int
	amounts    []amount
	// whole says that the job held many more CPUs than it had asked for, as it does with whole nodes.
	whole bool
}

type heldKey struct {
	id    string
	start float64
}

// heldPartition is what jobs tell of a partition.
type heldPartition struct {
	name string
	// longest is the longest limit in seconds, with which jobs ran so often; unlimited and unknown count the jobs with such limits.
	longest                         float64
	jobs, often, unlimited, unknown int
}

// collected are the jobs of all sources.
type collected struct {
	jobs []heldJob
	// resources are their names by their index.
	resources []string
	parts     []heldPartition
	// partitions are the indices of parts by name.
	partitions map[string]int
	seen       map[heldKey]bool
	// hosts has each hostlist once.
	hosts map[string]string
	// counts are records left out by reason, qos and others the jobs by QOS and by what else they held.
	counts, qos, others map[string]int
	odd                 int
	header              []string
}

// take takes a record, if it tells something of the machine.
func (c *collected) take(h interchange.Holding) *faults.Fault {
	if reason := c.unused(h); reason != "" {
		c.counts[reason]++
		return nil
	}
	return c.add(h)
}

// unused is why a record tells nothing of the machine, "" if it does.
func (c *collected) unused(h interchange.Holding) string {
	key := heldKey{h.ID, h.Start}
	switch {
	case h.Unused != "":
		return h.Unused
	case c.seen[key]:
		return interchange.Repeated
	}
	key.id = strings.Clone(h.ID)
	c.seen[key] = true
	return ""
}

// add takes a job that ran.
func (c *collected) add(h interchange.Holding) *faults.Fault {
	j := heldJob{start: h.Start, end: h.Start + h.Runtime, nodes: h.Nodes, amounts: []amount{{atCores, h.Cores}}}
	j.whole = h.Asked > 0 && h.Cores > layout.MaxThreads*h.Asked
	if h.Hosts != "" && h.Hosts != records.NoNodes {
		names, err := values.ExpandHosts(h.Hosts)
		if err != nil {
			return records.BadField(h.Line, "NodeList", h.Hosts, "a hostlist, such as cn[001-040]")
		}
		list, known := c.hosts[h.Hosts]
		if !known {
			list = strings.Clone(h.Hosts)
			c.hosts[list] = list
		}
		j.hosts, j.nodes = list, len(names)
	} else {
		c.counts[nodeless]++
	}
	tres, err := values.TRES(h.TRES)
	if err != nil {
		return records.BadField(h.Line, "AllocTRES", h.TRES, "name=value pairs separated by commas")
	}
	c.hold(&j, h, tres)
	c.tell(&j, h)
	c.jobs = append(c.jobs, j)
	return nil
}

const nodeless = "without the names of their nodes (NodeList)"

// hold reads what else than cores the job held.
func (c *collected) hold(j *heldJob, h interchange.Holding, tres map[string]string) {
	if mib, ok := values.MiB(tres["mem"]); ok && mib > 0 {
		j.amounts = append(j.amounts, amount{atMemory, mib})
	}
	if h.GPUs > 0 {
		j.amounts = append(j.amounts, amount{atGPUs, h.GPUs})
	}
	for _, name := range slices.Sorted(maps.Keys(tres)) {
		kind, typed := strings.CutPrefix(name, "gres/gpu:")
		n, _ := values.Count(tres[name])
		switch {
		case n == 0:
		case typed && layout.IsWord(kind):
			j.amounts = append(j.amounts, amount{c.resource(kind), n})
		case strings.HasPrefix(name, "gres/") && name != "gres/gpu", strings.HasPrefix(name, "license/"):
			c.others[strings.Clone(name)]++
		}
	}
	if h.Cores%2 == 1 {
		c.odd++
	}
}

// resource is the index of a type of GPUs.
func (c *collected) resource(kind string) int {
	if i := slices.Index(c.resources[firstType:], kind); i >= 0 {
		return firstType + i
	}
	c.resources = append(c.resources, strings.Clone(kind))
	return len(c.resources) - 1
}

// tell counts what the job says of its partition and its QOS.
func (c *collected) tell(j *heldJob, h interchange.Holding) {
	name := h.Partition
	i, known := c.partitions[name]
	if !known {
		i = len(c.parts)
		c.parts = append(c.parts, heldPartition{name: strings.Clone(name)})
		c.partitions[c.parts[i].name] = i
	}
	j.partition = i
	p := &c.parts[i]
	p.jobs++
	switch {
	case h.Unlimited:
		p.unlimited++
	case h.Limit == 0:
		p.unknown++
	case h.Limit > p.longest:
		p.longest, p.often = h.Limit, 1
	case h.Limit == p.longest:
		p.often++
	}
	if h.QOS != "" && h.QOS != layout.NormalQOS {
		c.qos[strings.Clone(h.QOS)]++
	}
	if h.Features != "" {
		c.others["features of --constraint"]++
	}
}

// leftOut tells the records that say nothing of the machine.
func (c *collected) leftOut() []string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(c.counts)) {
		if n := c.counts[reason]; n > 0 && reason != nodeless {
			list = append(list, fmt.Sprintf("left out: %s (%d)", reason, n))
		}
	}
	return list
}

// manyJobs are too many to be even by chance.
const manyJobs = 10

// notes are about all of the machine.
func (c *collected) notes() []string {
	list := []string{fmt.Sprintf("%s of the traces ran and ended", text.Plural(len(c.jobs), "job"))}
	list = append(list, c.leftOut()...)
	if c.odd == 0 && len(c.jobs) >= manyJobs {
		list = append(list, fmt.Sprintf("all %d jobs held even numbers of CPUs: if a CPU is a thread, halve cores and set threads: 2", len(c.jobs)))
	}
	unknown := func(of map[string]int, what string) {
		if len(of) > 0 {
			list = append(list, what+": "+text.Counts(of))
		}
	}
	unknown(c.qos, "left out of the machine file: QOS, whose priorities and limits are unknown; jobs by QOS")
	unknown(c.others, "left out of the machine file: what else jobs asked for or held, as the nodes that have it are unknown; jobs by resource")
	return append(list, "unknown are nodes on which no job ran, sockets, switches, weights of nodes, priorities of partitions, accounts and reservations")
}

// machine makes groups of the nodes.
func (c *collected) machine() Inferred {
	in := Inferred{Notes: c.notes()}
	if n := c.counts[nodeless]; n > 0 {
		in.Notes = append(in.Notes, fmt.Sprintf("left out: %s (%d)", nodeless, n))
	}
	one := newSweep(c, nil)
	one.run()
	all := newSweep(c, one)
	all.run()
	if all.uneven > 0 {
		in.Notes = append(in.Notes, fmt.Sprintf("jobs on several nodes that do not divide their CPUs or GPUs, whose parts are unknown and not counted: %d", all.uneven))
	}
	b := builder{collected: c, sweep: all, one: one, in: &in}
	b.build()
	return in
}

// whole makes nodes of one size of jobs whose nodes have no names.
func (c *collected) whole(format string) Inferred {
	in := Inferred{Notes: append(c.notes(), c.header...)}
	most, size, widest := c.atOnce()
	count := max(widest, (most[atCores]+size-1)/size)
	g := layout.Group{Name: "nodes", Count: count, Sockets: 1, Cores: size, Threads: 1, Weight: 1}
	if most[atGPUs] > 0 {
		g.GPUs = []layout.GPU{{Count: (most[atGPUs] + count - 1) / count}}
		in.find("group nodes", gpusName, strconv.Itoa(g.GPUs[0].Count), AtLeast, fmt.Sprintf("jobs held %d at once, divided among all nodes", most[atGPUs]))
	}
	in.Layout.Groups = []layout.Group{g}
	in.find("group nodes", "nodes", strconv.Itoa(count), AtLeast, fmt.Sprintf("jobs held %d cores at once", most[atCores]))
	in.find("group nodes", coresName, strconv.Itoa(size), AtLeast, "a guess from the sizes of the jobs, as none tells which nodes it had")
	if format != "sacct" {
		c.parts = []heldPartition{{name: "main", jobs: len(c.jobs), unknown: len(c.jobs)}}
	}
	for _, p := range c.parts {
		in.partition(p, []string{g.Name})
	}
	in.defaultPartition(c.parts)
	in.Notes = append(in.Notes, fmt.Sprintf("%s tell no names of nodes: nodes, and cores of a node, are unsure; of the machine only the sum of cores is known, at least %d", text.Plural(len(c.jobs), "job"), most[atCores]))
	return in
}

// atOnce is the most of each resource that jobs held at once, the cores of a node that the sizes of jobs suggest, and the nodes of the widest job.
func (c *collected) atOnce() (most []int, size, widest int) {
	most = make([]int, len(c.resources))
	held := make([]int, len(c.resources))
	var running ends
	divisor := 0
	for i, j := range c.jobs {
		for running.over(j.start) {
			for _, a := range c.jobs[running.next()].amounts {
				held[a.resource] -= a.total
			}
		}
		for _, a := range j.amounts {
			held[a.resource] += a.total
			most[a.resource] = max(most[a.resource], held[a.resource])
		}
		running.add(j.end, i)
		if j.nodes > 0 {
			size = max(size, (j.amounts[0].total+j.nodes-1)/j.nodes)
		}
		widest = max(widest, j.nodes)
		divisor = gcd(divisor, j.amounts[0].total)
	}
	if size == 0 {
		size = nodeOf(divisor, most[atCores])
	}
	return most, size, widest
}

// fewNodes is how many nodes a machine may have whose jobs tell nothing of nodes; more only slow a run down.
const fewNodes = 1000

// nodeOf is a size of nodes by which all jobs can be divided, if the nodes are then few, and otherwise the smallest size with few nodes.
func nodeOf(divisor, total int) int {
	for divisor > layout.MaxCores {
		for p := 2; ; p++ {
			if divisor%p == 0 {
				divisor /= p
				break
			}
		}
	}
	if total <= fewNodes*divisor {
		return divisor
	}
	return (total + fewNodes - 1) / fewNodes
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// find adds a finding.
func (in *Inferred) find(of, what, value string, sure Certainty, because string) {
	in.Findings = append(in.Findings, Finding{of, what, value, sure, because})
}

// partition adds a partition with its groups.
func (in *Inferred) partition(p heldPartition, groups []string) {
	if !layout.IsWord(p.name) {
		in.Notes = append(in.Notes, fmt.Sprintf("partition %.40q is left out: no partition of a machine file can have the name (%s)", p.name, text.Plural(p.jobs, "job")))
		return
	}
	made := layout.Partition{Name: p.name, Groups: groups, PriorityTier: 1, PriorityJobFactor: 1}
	in.Layout.Partitions = append(in.Layout.Partitions, made)
	limit := &in.Layout.Partitions[len(in.Layout.Partitions)-1].MaxTime
	value, sure, because := "none", Sure, ""
	switch minutes := int(math.Ceil(p.longest / 60)); {
	case p.unlimited > 0:
		because = text.Plural(p.unlimited, "job") + " had UNLIMITED"
	case minutes > 365*24*60:
		because = text.Plural(p.often, "job") + " had more than a year"
	case minutes == 0:
		in.Notes = append(in.Notes, fmt.Sprintf("partition %s: its longest limit is unknown, as no job (%d) tells its own", p.name, p.jobs))
		return
	default:
		*limit, value, sure = minutes, text.Minutes(minutes), AtLeast
		if p.often > 1 {
			sure = Likely
		}
		because = fmt.Sprintf("%d of %s had it, and none a longer one", p.often, text.Plural(p.jobs, "job"))
	}
	in.find("partition "+p.name, "longest limit", value, sure, because)
}

// defaultPartition is the one with the most jobs.
func (in *Inferred) defaultPartition(parts []heldPartition) {
	jobs := map[string]int{}
	for _, p := range parts {
		jobs[p.name] = p.jobs
	}
	if len(in.Layout.Partitions) == 0 {
		in.Layout.Partitions = []layout.Partition{{Name: "main", PriorityTier: 1, PriorityJobFactor: 1}}
		for _, g := range in.Layout.Groups {
			in.Layout.Partitions[0].Groups = append(in.Layout.Partitions[0].Groups, g.Name)
		}
	}
	best := 0
	for i, p := range in.Layout.Partitions {
		if jobs[p.Name] > jobs[in.Layout.Partitions[best].Name] {
			best = i
		}
	}
	in.Layout.Partitions[best].Default = true
	if n := len(in.Layout.Partitions); n > 1 {
		in.Notes = append(in.Notes, fmt.Sprintf("which of %d partitions is the default is unknown: here it is %s, with the most jobs", n, in.Layout.Partitions[best].Name))
	}
}
