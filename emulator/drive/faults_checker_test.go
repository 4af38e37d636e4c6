package drive_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// checker follows what truly happens in a cluster and what the agent records. It knows
// nothing of the nemesis.
type checker struct {
	machine workloads.Machine
	// holder is the job on each core of each node, by name, "" for none.
	holder [][]string
	gpus   []int // in use on each node
	jobs   map[string]*life
	// promised are the jobs that the agent has released and that have not started, by
	// Slurm's job id.
	promised map[int]trace.Release
	// seen are the jobs that have started or ended, by Slurm's job id.
	seen   map[int]bool
	faults []string
}

// life is how often a job started and ended.
type life struct {
	started, ended int
	placed         []slurmtest.Placed
}

func newChecker(m workloads.Machine) *checker {
	c := &checker{machine: m, jobs: map[string]*life{}, promised: map[int]trace.Release{}, seen: map[int]bool{}, gpus: make([]int, m.Nodes)}
	for range m.Nodes {
		c.holder = append(c.holder, make([]string, m.Cores))
	}
	return c
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// observe takes a start or an end.
func (c *checker) observe(e slurmtest.Event) {
	l := c.jobs[e.Name]
	if l == nil {
		l = &life{}
		c.jobs[e.Name] = l
	}
	c.seen[e.Job] = true
	delete(c.promised, e.Job)
	if e.State == slurmctl.JobRunning {
		c.start(e, l)
		return
	}
	l.ended++
	if l.ended > 1 {
		c.fault("job %s ended %d times", e.Name, l.ended)
	}
	for _, p := range l.placed {
		c.gpus[p.Node] -= p.GPUs
		for _, core := range p.Cores {
			c.holder[p.Node][core] = ""
		}
	}
	l.placed = nil
}

func (c *checker) start(e slurmtest.Event, l *life) {
	l.started++
	if l.started > 1 {
		c.fault("job %s started %d times", e.Name, l.started)
	}
	if l.ended > 0 {
		c.fault("job %s started after its end", e.Name)
	}
	l.placed = e.Placed
	for _, p := range e.Placed {
		c.gpus[p.Node] += p.GPUs
		if c.gpus[p.Node] > c.machine.GPUs {
			c.fault("node %d has %d GPUs, and %d are in use with job %s", p.Node, c.machine.GPUs, c.gpus[p.Node], e.Name)
		}
		for _, core := range p.Cores {
			if other := c.holder[p.Node][core]; other != "" {
				c.fault("core %d of node %d is held by the jobs %s and %s", core, p.Node, other, e.Name)
			}
			c.holder[p.Node][core] = e.Name
		}
	}
}

// over wants every job to have started and ended, but for those that have an obstacle.
func (c *checker) over(jobs []workloads.Job, hindered []string) {
	for _, job := range jobs {
		l := c.jobs[name(job)]
		switch {
		case slices.Contains(hindered, name(job)):
		case l == nil:
			c.fault("job %s never started and has no obstacle", name(job))
		case l.ended == 0:
			c.fault("job %s did not end", name(job))
		}
	}
}

// blames wants the reason of a failed run to have one of some words, if there are any.
func (c *checker) blames(reason string, words []string) {
	if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(reason, w) }) {
		c.fault("the run failed for another reason than %q: %s", words, reason)
	}
}

// recorded wants each refused release in its cycle's record, and the error of a cycle
// in its record.
func (c *checker) recorded(cycle trace.Cycle, err error, refusals int) {
	if err != nil && cycle.Error == "" {
		c.fault("cycle %d failed, and its record does not say so: %v", cycle.Cycle, err)
	}
	if got := len(cycle.Refused); got < refusals {
		c.fault("cycle %d: %d releases were refused, and its record has %d", cycle.Cycle, refusals, got)
	}
}

// promise takes the releases of a cycle and wants no node to be promised to more jobs
// than it has cores for. A job that is recorded as held again or refused has no promise
// any more.
func (c *checker) promise(cycle trace.Cycle) {
	for _, back := range append(slices.Clone(cycle.Reheld), cycle.Refused...) {
		maps.DeleteFunc(c.promised, func(_ int, r trace.Release) bool { return r.Job == back.Job })
	}
	for _, r := range cycle.Released {
		if !c.seen[r.Slurm] {
			c.promised[r.Slurm] = r
		}
	}
	cores := map[string]int{}
	for id, r := range c.promised {
		nodes, counts, err := promisedOn(r)
		if err != nil {
			c.fault("cycle %d: release of job %d: %v", cycle.Cycle, id, err)
			continue
		}
		for i, n := range nodes {
			cores[n] += counts[i]
		}
	}
	for n, sum := range cores {
		if sum > c.machine.Cores {
			c.fault("cycle %d: node %s has %d cores, and %d are promised to jobs %v", cycle.Cycle, n, c.machine.Cores, sum,
				slices.Sorted(maps.Keys(c.promised)))
		}
	}
}

// promisedOn reads nodes and the cores on each, such as "n[1-3]" and "4(x2),1".
func promisedOn(r trace.Release) (nodes []string, cores []int, err error) {
	if nodes, err = values.ExpandHosts(r.Nodes); err != nil {
		return nil, nil, err
	}
	for group := range strings.SplitSeq(r.Cores, ",") {
		count, times := 0, 1
		if _, err = fmt.Sscanf(group, "%d(x%d)", &count, &times); err != nil {
			if count, err = strconv.Atoi(group); err != nil {
				return nil, nil, err
			}
		}
		cores = append(cores, slices.Repeat([]int{count}, times)...)
	}
	if len(nodes) != len(cores) {
		return nil, nil, fmt.Errorf("%d nodes and %d numbers of cores", len(nodes), len(cores))
	}
	return nodes, cores, nil
}

// calm wants what the agent released since a cycle without any fault to have started
// where planned and in time. Slurm lets the late jobs wait: these are held again, and
// what is released after them may get the cores that they were planned on.
func (c *checker) calm(cycles []trace.Cycle, late map[int]bool) {
	sure, waiting := map[int]bool{}, map[int]bool{}
	for _, cycle := range cycles {
		for _, r := range append(slices.Clone(cycle.Refused), cycle.Reheld...) {
			if !late[r.Job] {
				c.fault("cycle %d without a fault: job %d: %s", cycle.Cycle, r.Job, r.Reason)
			}
			delete(waiting, r.Job)
		}
		for _, p := range cycle.Checked {
			if sure[p.Job] && !p.Exact {
				c.fault("cycle %d without a fault: job %d was planned on %s and got %s", cycle.Cycle, p.Job, p.Planned, p.Actual)
			}
			delete(waiting, p.Job)
		}
		for _, r := range cycle.Released {
			if late[r.Job] {
				waiting[r.Job] = true
			}
			sure[r.Job] = len(waiting) == 0
		}
	}
}
