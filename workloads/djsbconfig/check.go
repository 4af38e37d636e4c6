package djsbconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// Bounds of a configuration, which keep typing errors out.
const (
	maxSamples  = 100
	maxAnalyses = 100
	maxSleep    = time.Hour
	maxExecTime = 24 * time.Hour
	maxMemory   = 1024 * 1024 * workloads.GiB
)

// Check returns the configuration's faults as one error. One that LoadDJSB read has none.
func (c DJSB) Check() error {
	rep := faults.List{Name: "configuration " + faults.Quote(c.Name)}
	for _, f := range c.faults() {
		rep.Add(0, f)
	}
	return rep.Err()
}

func (c DJSB) faults() []faults.Fault {
	var out []faults.Fault
	if !input.IsName(c.Name) {
		out = append(out, faults.At("name", faults.Got(c.Name), input.NameRule))
	}
	out = append(out, faults.Outside("num_of_samples", c.NumOfSamples, 1, maxSamples)...)
	out = append(out, faults.Outside("num_of_ref_analysis", c.NumOfRefAnalysis, 1, maxAnalyses)...)
	out = append(out, eachOnce("num_of_dyn_analysis", c.NumOfDynAnalysis, func(path string, n int) []faults.Fault {
		return faults.Outside(path, n, 0, maxAnalyses)
	})...)
	out = append(out, c.SleepMinTime.Outside("sleep_min_time", 0, maxSleep, time.Second)...)
	out = append(out, c.SleepMaxTime.Outside("sleep_max_time", min(max(0, c.SleepMinTime.Duration), maxSleep), maxSleep, time.Second)...)
	out = append(out, eachOnce("scenarios", c.Scenarios, func(path string, s Scenario) []faults.Fault {
		if slices.Contains(Scenarios(), s) {
			return nil
		}
		return []faults.Fault{faults.At(path, faults.Got(string(s)), faults.Or(Scenarios()))}
	})...)
	out = append(out, c.systemFaults()...)
	out = append(out, faults.Outside("machine.nodes", c.Machine.Nodes, 1, layout.MaxNodes)...)
	out = append(out, faults.Outside("machine.cores", c.Machine.Cores, 1, layout.MaxCores)...)
	out = append(out, outsideMemory(c.Machine.Memory, "machine.memory", workloads.MiB, maxMemory)...)
	out = append(out, c.Simulation.faults("simulation", c.Machine)...)
	out = append(out, c.Analysis.faults("analysis", c.Machine)...)
	if len(out) > 0 {
		return out
	}
	simulation, analysis := c.Simulation, c.Analysis
	if analysis.CPUs() > simulation.CPUs() {
		out = append(out, faults.At("analysis.total_tasks", fmt.Sprintf("got %d, which are %d cores", analysis.TotalTasks, analysis.CPUs()),
			fmt.Sprintf("no more cores than the simulation's %d", simulation.CPUs())))
	}
	if analysis.SameNodesAsSim && analysis.Nodes() > simulation.Nodes() {
		out = append(out, faults.At("analysis.same_nodes_as_sim", fmt.Sprintf("got true with %d nodes of the analysis", analysis.Nodes()),
			fmt.Sprintf("with no more nodes than the simulation's %d", simulation.Nodes())))
	}
	return append(out, c.keptFreeFaults()...)
}

// eachOnce has the faults of a list that must not be empty, nor name anything twice.
func eachOnce[T comparable](field string, list []T, check func(path string, value T) []faults.Fault) []faults.Fault {
	if len(list) == 0 {
		return []faults.Fault{faults.At(field, "got an empty list", "one or more")}
	}
	var out []faults.Fault
	for i, value := range list {
		path := field + "[" + strconv.Itoa(i) + "]"
		if slices.Contains(list[:i], value) {
			out = append(out, faults.At(path, fmt.Sprintf("%v is there already", value), "each once"))
			continue
		}
		out = append(out, check(path, value)...)
	}
	return out
}

// outsideMemory returns a fault when m is not in low..high.
func outsideMemory(m workloads.Memory, field string, low, high workloads.Memory) []faults.Fault {
	if m >= low && m <= high {
		return nil
	}
	return []faults.Fault{faults.At(field, faults.Got(m), fmt.Sprintf("%s..%s", low, high))}
}

// faults checks an application on a machine whose own values may be wrong.
func (a Application) faults(field string, m DJSBMachine) []faults.Fault {
	out := slices.Concat(
		faults.Outside(field+".total_tasks", a.TotalTasks, 1, layout.MaxNodes*layout.MaxCores),
		faults.Outside(field+".tasks_per_node", a.TasksPerNode, 1, layout.MaxCores),
		faults.Outside(field+".cpus_per_task", a.CPUsPerTask, 1, layout.MaxCores),
		outsideMemory(a.TotalMemory, field+".total_memory", workloads.MiB, maxMemory),
		a.ExecTime.Outside(field+".exec_time", time.Second, maxExecTime, time.Second),
	)
	for i, name := range a.NodeHostNames {
		if name == "" || strings.ContainsAny(name, " ,[]\t\n") {
			out = append(out, faults.At(field+".node_host_names["+strconv.Itoa(i)+"]", faults.Got(name), "the name of one node"))
		}
	}
	if len(out) > 0 {
		return out
	}
	if a.TotalTasks%a.TasksPerNode != 0 {
		out = append(out, faults.At(field+".total_tasks", faults.Got(a.TotalTasks), fmt.Sprintf("a multiple of the %d tasks per node", a.TasksPerNode)))
	}
	if cores := a.CPUsPerNode(); cores > m.Cores {
		out = append(out, faults.At(field+".tasks_per_node", fmt.Sprintf("got %d of %d cores each", a.TasksPerNode, a.CPUsPerTask),
			fmt.Sprintf("no more than the machine's %d cores per node", m.Cores)))
	}
	nodes := a.Nodes()
	if nodes > m.Nodes {
		out = append(out, faults.At(field+".total_tasks", fmt.Sprintf("got %d, which fill %d nodes", a.TotalTasks, nodes),
			fmt.Sprintf("no more than the machine's %d nodes", m.Nodes)))
	}
	if memory := a.MemoryPerNode(); memory > m.Memory {
		out = append(out, faults.At(field+".total_memory", fmt.Sprintf("got %s, which are %s per node", a.TotalMemory, memory),
			fmt.Sprintf("no more than the machine's %s per node", m.Memory)))
	}
	if names := len(a.NodeHostNames); names > 0 && names < nodes {
		out = append(out, faults.At(field+".node_host_names", fmt.Sprintf("got %d", names), fmt.Sprintf("at least the %d nodes of the tasks, or none", nodes)))
	}
	return out
}
