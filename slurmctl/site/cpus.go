package site

import (
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// cpuNumbers turns what a site says of CPUs into what it means for cores, where a CPU of the site is a thread. A CPU of a layout is a
// core, which jobs get whole.
type cpuNumbers struct {
	// threads of a core are the CPUs that the numbers count.
	threads int
	// count notes that there is such a number.
	count func()
}

// cpusOf are the numbers of what holds on the nodes of some groups, or on all nodes. Where these differ, the threads of most cores count.
func (r *reader) cpusOf(l layout.Layout, what string, groups ...string) cpuNumbers {
	cores := map[int]int{}
	most := 1
	for _, g := range l.Groups {
		if len(groups) == 0 || slices.Contains(groups, g.Name) {
			cores[g.Threads] += g.Cores * g.Count
		}
	}
	for threads, n := range cores {
		if n > cores[most] || n == cores[most] && threads < most {
			most = threads
		}
	}
	return cpuNumbers{most, func() {
		if most > 1 {
			r.inCores++
		}
		if len(cores) > 1 {
			r.note("%s count CPUs, which are threads on some nodes and cores on others; here a core is %d of them, as on the nodes with most cores", what, most)
		}
	}}
}

// fewer are the whole cores in a number of CPUs, of which some is at least one.
func (c cpuNumbers) fewer(cpus int) int {
	if cpus == 0 {
		return 0
	}
	c.count()
	return max(1, cpus/c.threads)
}

// wholeCores are those that have so many CPUs for a job.
func (c cpuNumbers) wholeCores(cpus int) int { return c.fewer(cpus + c.threads - 1) }

// more is an amount for each core that was one for each CPU.
func (c cpuNumbers) more(amount int) int {
	c.count()
	return amount * c.threads
}

// countsCPUs says whether the value of a key is a number of CPUs, or for each of them.
func countsCPUs(key string) bool {
	return slices.Contains([]string{"DefCPUPerGPU", "DefMemPerCPU", "MaxCPUsPerNode", "MaxCPUsPerSocket", "MaxMemPerCPU", "TRESBillingWeights"}, key)
}

// setting is the value of a key of slurm.conf, for a partition or for the cluster.
func (c cpuNumbers) setting(key, value string) string {
	n, ok := unsigned(value)
	is := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) })
	}
	switch {
	case is("TRESBillingWeights"):
		return c.weights(value)
	case !ok:
		return value
	case is("MaxCPUsPerNode", "MaxCPUsPerSocket"):
		return strconv.Itoa(c.fewer(n))
	case is("DefCPUPerGPU"):
		return strconv.Itoa(c.wholeCores(n))
	case is("DefMemPerCPU", "MaxMemPerCPU"):
		return strconv.Itoa(c.more(n))
	}
	return value
}

// weights are TRESBillingWeights with the weight of a core. A weight may end in the unit of its resource (slurm.conf(5)).
func (c cpuNumbers) weights(list string) string {
	items := strings.Split(list, ",")
	for i, item := range items {
		name, text, _ := strings.Cut(item, "=")
		number := strings.TrimRight(text, "KMGTPkmgtp")
		weight, err := strconv.ParseFloat(number, 64)
		if !strings.EqualFold(name, "cpu") || err != nil {
			continue
		}
		c.count()
		if c.threads == 1 {
			return list
		}
		items[i] = name + "=" + strconv.FormatFloat(weight*float64(c.threads), 'f', -1, 64) + text[len(number):]
	}
	return strings.Join(items, ",")
}

// noteCores says how many numbers of CPUs became numbers of cores.
func (r *reader) noteCores() {
	if r.inCores == 0 {
		return
	}
	lua := ""
	if r.jobSubmit != "" {
		lua = "; job_submit.lua is as it was, and reads numbers of cores"
	}
	r.note("limits, weights and usage that count a thread as a CPU count cores here (%d)%s", r.inCores, lua)
}

// billed says that partitions weigh resources, so that the usage of a job does not depend on what a CPU is.
func (r *reader) billed() bool {
	return slices.ContainsFunc(r.partitions, func(p *sitePartition) bool {
		text, _ := p.value("TRESBillingWeights")
		return text != "" && text != "(null)"
	})
}
