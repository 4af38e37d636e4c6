package djsbconfig

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Applications returns the two applications as a scenario has them. In ScenarioKeptFree an analytics is on no more
// nodes than are kept free, with more tasks on each if it must. The simulation is on no more than the others, with
// fewer tasks in all. ExecTime remains the time on the nodes of the configuration.
func (c DJSB) Applications(s Scenario) (simulation, analysis Application) {
	simulation, analysis = c.Simulation, c.Analysis.Application
	if s != ScenarioKeptFree {
		return simulation, analysis
	}
	kept := c.KeptFree
	if kept == 0 {
		kept = c.leastKeptFree()
	}
	simulation.TotalTasks = min(simulation.TotalTasks, (c.Machine.Nodes-kept)*simulation.TasksPerNode)
	for analysis.Nodes() > kept || analysis.TotalTasks%analysis.TasksPerNode != 0 {
		analysis.TasksPerNode++
	}
	return simulation, analysis
}

// leastKeptFree is the least number of nodes that one analytics fits on, with as many tasks on
// each as on any other.
func (c DJSB) leastKeptFree() int {
	a := c.Analysis
	for tasks := min(a.TotalTasks, c.Machine.Cores/a.CPUsPerTask); tasks > a.TasksPerNode; tasks-- {
		if a.TotalTasks%tasks == 0 {
			return a.TotalTasks / tasks
		}
	}
	return a.Nodes()
}

// keptFreeFaults are those of ScenarioKeptFree in a configuration that has no other.
func (c DJSB) keptFreeFaults() []faults.Fault {
	if !slices.Contains(c.Scenarios, ScenarioKeptFree) {
		if c.KeptFree != 0 {
			return []faults.Fault{faults.At("kept_free", faults.Got(c.KeptFree), fmt.Sprintf("none without %s among the scenarios", ScenarioKeptFree))}
		}
		return nil
	}
	least, most := c.leastKeptFree(), c.Machine.Nodes-1
	if least > most {
		return []faults.Fault{faults.At("machine.nodes", faults.Got(c.Machine.Nodes), fmt.Sprintf("more than the %d that %s keeps free", least, ScenarioKeptFree))}
	}
	if c.KeptFree != 0 && (c.KeptFree < least || c.KeptFree > most) {
		return []faults.Fault{faults.At("kept_free", faults.Got(c.KeptFree), fmt.Sprintf("%d..%d, which hold an analytics and leave the simulation a node, or 0 for %[1]d", least, most))}
	}
	var out []faults.Fault
	simulation, analysis := c.Applications(ScenarioKeptFree)
	for _, a := range []struct {
		field string
		Application
	}{{"simulation", simulation}, {"analysis", analysis}} {
		if memory := a.MemoryPerNode(); memory > c.Machine.Memory {
			out = append(out, faults.At(a.field+".total_memory", fmt.Sprintf("got %s, in %s %s per node", a.TotalMemory, ScenarioKeptFree, memory),
				fmt.Sprintf("no more than the machine's %s per node", c.Machine.Memory)))
		}
		if len(a.NodeHostNames) > 0 {
			out = append(out, faults.At(a.field+".node_host_names", fmt.Sprintf("got %d", len(a.NodeHostNames)), fmt.Sprintf("none with %s, in which the scheduler chooses", ScenarioKeptFree)))
		}
	}
	return out
}
