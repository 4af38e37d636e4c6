package layout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Bounds of a layout, which keep typing errors out.
const (
	MaxNodes    = 10000
	MaxCores    = 1024
	MaxGPUs     = 128
	MaxShared   = 100_000
	MaxGroups   = 256
	MaxThreads  = 8
	maxSockets  = MaxCores
	MaxMemory   = 64 << 20
	maxMinutes  = 365 * 24 * 60
	maxWeight   = 1<<32 - 3
	maxPriority = 65533
)

// Phrases are what tags cannot say, by the names that stand in their place: bounds, and lists of words.
func Phrases() []string {
	return []string{
		"{MaxNodes}", strconv.Itoa(MaxNodes), "{MaxCores}", strconv.Itoa(MaxCores), "{MaxGPUs}", strconv.Itoa(MaxGPUs), "{MaxShared}", strconv.Itoa(MaxShared),
		"{MaxGroups}", strconv.Itoa(MaxGroups), "{MaxThreads}", strconv.Itoa(MaxThreads), "{MaxSockets}", strconv.Itoa(maxSockets),
		"{MaxWeight}", strconv.Itoa(maxWeight), "{MaxTier}", strconv.Itoa(maxPriority), "{MaxPriority}", strconv.Itoa(MaxPriority),
		"{MaxFactor}", strconv.Itoa(maxFactor), "{MaxCount}", strconv.Itoa(MaxCount), "{MaxUsage}", strconv.Itoa(MaxUsage),
		"{MaxLicenses}", strconv.Itoa(maxLicenses), "{MaxScript}", strconv.Itoa(maxJobSubmit),
		"{PartitionKeys}", strings.Join(PartitionKeys(), ", "), "{QOSFlags}", strings.Join(QOSFlags(), ", "),
		"{ReservationFlags}", strings.Join(ReservationFlags(), ", "),
	}
}

// checker collects faults below a path.
type checker struct {
	faults []faults.Fault
	// nodes names the nodes of the group that is being checked, as their site calls them.
	nodes string
}

func (c *checker) fail(field, problem, allowed string) {
	c.faults = append(c.faults, faults.Fault{Of: c.nodes, Field: field, Problem: problem, Allowed: allowed})
}

func (c *checker) within(field string, value, low, high int) {
	if value < low || value > high {
		c.fail(field, fmt.Sprintf("got %d", value), fmt.Sprintf("%d..%d", low, high))
	}
}

// word checks a name that stands in slurm.conf.
func (c *checker) word(field, name string, seen []string) {
	if !IsWord(name) {
		c.fail(field, fmt.Sprintf("got %.40q", name), WordRule)
	}
	if slices.Contains(seen, name) {
		c.fail(field, fmt.Sprintf("got %.40q twice", name), "each name once")
	}
}

// IsWord says whether text can name a group, a partition, a feature or a type of GPUs.
func IsWord(text string) bool {
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		further := r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
		if !letter && !further || i == 0 && strings.ContainsRune("-_.", r) {
			return false
		}
	}
	return text != "" && len(text) <= MaxWord
}

// MaxWord is the longest word. Slurm has no limit, but the database of slurmdbd holds names in columns of tinytext, 255 bytes, and there the type of
// a GPU has "gpu:" before it (accounting_storage_mysql.c).
const MaxWord = 250

// WordRule is what IsWord takes.
const WordRule = "1..250 of letters, digits, -, _ and ., the first a letter or digit"

// maxUser is the longest name of a user or an account, of which runs make accounts of Linux (useradd(8)).
const maxUser = 32

// Faults lists what is wrong, in the order of a machine file. The field is the path of the value there, such as
// "groups[1].count"; the fault of a group is of its Hosts.
func (l Layout) Faults() []faults.Fault {
	var c checker
	if n := len(l.Groups); n == 0 || n > MaxGroups {
		c.fail("groups", fmt.Sprintf("got %d groups", n), fmt.Sprintf("1..%d", MaxGroups))
	}
	if n := len(l.Partitions); n > MaxGroups {
		c.fail("partitions", fmt.Sprintf("got %d partitions", n), fmt.Sprintf("1..%d", MaxGroups))
	}
	if max(len(l.Groups), len(l.Partitions)) > MaxGroups {
		// What follows compares each with each.
		return c.faults
	}
	var names []string
	hosts := map[string]bool{}
	for i, g := range l.Groups {
		path := fmt.Sprintf("groups[%d]", i)
		c.nodes = g.Hosts
		c.group(path, g, names)
		c.hosts(path+".hosts", g, hosts)
		c.nodes = ""
		names = append(names, g.Name)
	}
	if n := l.Nodes(); n > MaxNodes && len(c.faults) == 0 {
		c.fail("groups", fmt.Sprintf("got %d nodes", n), fmt.Sprintf("up to %d", MaxNodes))
	}
	c.memory(l.Groups)
	c.partitions(l, names)
	if len(c.faults) == 0 {
		c.down(l)
	}
	c.rules(l)
	return c.faults
}

// hosts checks the site's names of nodes, of which seen has those of other groups.
func (c *checker) hosts(field string, g Group, seen map[string]bool) {
	if g.Hosts == "" {
		return
	}
	names, err := values.ExpandHosts(g.Hosts)
	if err != nil {
		c.fail(field, err.Error(), "a hostlist, such as cn[001-040]")
		return
	}
	if len(names) != g.Count {
		c.fail(field, fmt.Sprintf("got %d names", len(names)), fmt.Sprintf("%d, one for each node", g.Count))
	}
	for _, name := range names {
		if seen[name] {
			c.fail(field, fmt.Sprintf("got %.60q twice", name), "each name once")
			return
		}
		seen[name] = true
	}
}

func (c *checker) group(path string, g Group, others []string) {
	c.word(path+".name", g.Name, others)
	c.within(path+".count", g.Count, 1, MaxNodes)
	c.within(path+".cores", g.Cores, 1, MaxCores)
	if g.Sockets < 1 || g.Sockets > maxSockets || g.Cores%g.Sockets != 0 {
		c.fail(path+".sockets", fmt.Sprintf("got %d", g.Sockets), fmt.Sprintf("1..%d, a divisor of cores=%d", maxSockets, g.Cores))
	}
	c.within(path+".threads", g.Threads, 1, MaxThreads)
	c.within(path+".weight", g.Weight, 0, maxWeight)
	var types []string
	for _, gpu := range g.GPUs {
		field := path + ".gpus"
		if gpu.Type != "" || len(g.GPUs) > 1 {
			field += "." + gpu.Type
			c.word(field, gpu.Type, types)
		}
		c.within(field, gpu.Count, 1, MaxGPUs)
		types = append(types, gpu.Type)
	}
	if all := g.AllGPUs(); all > MaxGPUs && len(g.GPUs) > 1 {
		c.fail(path+".gpus", fmt.Sprintf("got %d in sum", all), fmt.Sprintf("1..%d", MaxGPUs))
	}
	c.shared(path, g)
	for i, f := range g.Features {
		c.word(fmt.Sprintf("%s.features[%d]", path, i), f, g.Features[:i])
	}
}

// shared checks what jobs have of a GPU. Slurm ties to the GPUs of a node what it finds last, shards or MPS, and counts the other one apart
// (_set_alt_gres in src/interfaces/gres.c).
func (c *checker) shared(path string, g Group) {
	for _, each := range []struct {
		key   string
		count int
	}{{".shards", g.Shards}, {".mps", g.MPS}} {
		c.within(path+each.key, each.count, 0, MaxShared)
		if each.count > 0 && len(g.GPUs) == 0 {
			c.fail(path+each.key, fmt.Sprintf("got %d", each.count), "0 on nodes without gpus, which divide them")
		}
	}
	if g.Shards > 0 && g.MPS > 0 {
		c.fail(path+".mps", fmt.Sprintf("got %d", g.MPS), fmt.Sprintf("0 beside shards=%d: the GPUs of a node have one of them", g.Shards))
	}
}

// memory is scheduled on all nodes or on none.
func (c *checker) memory(groups []Group) {
	known := slices.ContainsFunc(groups, func(g Group) bool { return g.Memory != 0 })
	defer func() { c.nodes = "" }()
	for i, g := range groups {
		c.nodes = g.Hosts
		if known && (g.Memory < g.Cores || g.Memory > MaxMemory) {
			c.fail(fmt.Sprintf("groups[%d].memory", i), fmt.Sprintf("got %d MiB", g.Memory),
				"1 MiB for each core to 64 TiB in each group, or memory in none")
		}
	}
}

func (c *checker) partitions(l Layout, groups []string) {
	if len(l.Partitions) == 0 {
		c.fail("partitions", "got 0 partitions", fmt.Sprintf("1..%d", MaxGroups))
		return
	}
	var names, defaults, used []string
	for i, p := range l.Partitions {
		path := fmt.Sprintf("partitions[%d]", i)
		c.word(path+".name", p.Name, names)
		names = append(names, p.Name)
		if len(p.Groups) == 0 {
			c.fail(path+".groups", "got no group", "at least one group: a partition without nodes takes no job")
		}
		for j, g := range p.Groups {
			field := fmt.Sprintf("%s.groups[%d]", path, j)
			if !slices.Contains(groups, g) {
				c.fail(field, fmt.Sprintf("got unknown group %.40q", g), strings.Join(groups, ", "))
			} else if slices.Contains(p.Groups[:j], g) {
				c.fail(field, fmt.Sprintf("got %.40q twice", g), "each group once")
			}
		}
		used = append(used, p.Groups...)
		c.within(path+".max_time", p.MaxTime, 0, maxMinutes)
		c.within(path+".max_nodes", p.MaxNodes, 0, MaxNodes)
		c.within(path+".priority_tier", p.PriorityTier, 0, maxPriority)
		c.within(path+".priority_job_factor", p.PriorityJobFactor, 0, maxPriority)
		c.settings(path, p, l)
		if p.Default {
			defaults = append(defaults, p.Name)
			if len(defaults) > 1 {
				c.fail(path+".default", "got a second default partition", "one, and "+defaults[0]+" is it")
			}
		}
	}
	if len(defaults) == 0 {
		c.fail("partitions", "got no default partition", "default: true in one of them, which takes the jobs that name none")
	}
	defer func() { c.nodes = "" }()
	for i, g := range groups {
		if c.nodes = l.Groups[i].Hosts; !slices.Contains(used, g) {
			c.fail(fmt.Sprintf("groups[%d]", i), fmt.Sprintf("got group %.40q in no partition", g), "each group in a partition: no job could get its nodes")
		}
	}
}

func (c *checker) down(l Layout) {
	all := l.Nodes()
	taken := make([]bool, all+1)
	for i, d := range l.Down {
		path := fmt.Sprintf("down_nodes[%d]", i)
		numbers, err := values.HostNumbers(d.Nodes, NodePrefix)
		if err != nil || len(numbers) == 0 || numbers[len(numbers)-1] > all {
			c.fail(path+".nodes", fmt.Sprintf("got %.40q", d.Nodes), fmt.Sprintf("the name of a group, or nodes of n[1-%d]", all))
			numbers = nil
		}
		for _, n := range numbers {
			if taken[n] {
				c.fail(path+".nodes", fmt.Sprintf("got n%d twice", n), "each node once")
				break
			}
			taken[n] = true
		}
		if d.State != StateDrain && d.State != StateDown {
			c.fail(path+".state", fmt.Sprintf("got %.40q", d.State), StateDrain+" or "+StateDown)
		}
		if !isReason(d.Reason) {
			c.fail(path+".reason", fmt.Sprintf("got %.40q", d.Reason), "1..64 printable ASCII characters without quotes, # and \\")
		}
	}
	if len(c.faults) == 0 && !slices.Contains(taken[1:], false) {
		c.fail("down_nodes", "got all nodes", "at least one node that takes jobs")
	}
}

// isReason says whether text can stand between quotes in slurm.conf.
func isReason(text string) bool {
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"'#\`, r) })
}
