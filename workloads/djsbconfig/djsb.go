package djsbconfig

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/workloads"
)

// DJSB is a configuration of the Dynamic Job Scheduling Benchmark: a long simulation that
// has the machine, and short analytics that come while it runs. The options have the names
// of the benchmark's paper (DJSB sections 2.1 and 2.3); its JSON form is itself a valid
// configuration file.
type DJSB struct {
	Name string `json:"name" about:""`
	// NumOfSamples is the number of repetitions of each execution.
	NumOfSamples int `json:"num_of_samples" about:"repetitions of each execution"`
	// NumOfRefAnalysis is the number of analytics that each sample of the reference
	// stage runs alone.
	NumOfRefAnalysis int `json:"num_of_ref_analysis" about:"analytics alone in a sample of the reference stage"`
	// NumOfDynAnalysis are the numbers of analytics in a sample of the execution stage,
	// one experiment for each.
	NumOfDynAnalysis []int `json:"num_of_dyn_analysis" about:"analytics in a sample of the execution stage, an experiment for each number"`
	// SleepMinTime and SleepMaxTime bound the sleep before each analytics.
	SleepMinTime workloads.Duration `json:"sleep_min_time" about:"least sleep before an analytics"`
	SleepMaxTime workloads.Duration `json:"sleep_max_time" about:"longest sleep before an analytics"`
	// Scenarios of the execution stage, in their order.
	Scenarios []Scenario `json:"scenarios" about:"scenarios of the execution stage"`
	// KeptFree is the number of nodes that ScenarioKeptFree keeps free; 0 for as few as one
	// analytics needs.
	KeptFree int `json:"kept_free,omitempty" about:"nodes that share-kept-free keeps free (0: as few as one analytics needs)"`
	// On is what runs the jobs.
	On System `json:"on" about:"what runs the jobs: cluster, slurm, allocation, interactive or commands"`
	// Reservation is the one that all jobs run in; empty for none. On the cluster it is made
	// of all nodes.
	Reservation string       `json:"reservation,omitempty" about:"Slurm's reservation that all jobs run in"`
	Commands    DJSBCommands `json:"commands,omitzero" about:""`
	Machine     DJSBMachine  `json:"machine" about:""`
	Simulation  Application  `json:"simulation" about:"simulation: "`
	Analysis    Analysis     `json:"analysis" about:"analysis: "`
	// Programs are the values of a file that would run with the rights of its reader, each as a fault with its place. Values of
	// flags are none of them.
	Programs []faults.Fault `json:"-"`
}

// DJSBMachine is a machine of equal nodes, each with so many cores and so much memory.
type DJSBMachine struct {
	Nodes  int              `json:"nodes" about:"nodes of the machine"`
	Cores  int              `json:"cores" about:"cores of a node"`
	Memory workloads.Memory `json:"memory" about:"memory of a node"`
}

// Application is one of the benchmark's two programs.
type Application struct {
	// TotalTasks counts the processes (MPI ranks), TasksPerNode those on each node.
	TotalTasks   int `json:"total_tasks" about:"tasks"`
	TasksPerNode int `json:"tasks_per_node" about:"tasks on a node"`
	// CPUsPerTask is the number of threads of a task, each on a core of its own.
	CPUsPerTask int `json:"cpus_per_task" about:"cores of a task"`
	// TotalMemory is the memory of all tasks together.
	TotalMemory workloads.Memory `json:"total_memory" about:"memory of all tasks together"`
	// ExecTime is what one execution takes alone.
	ExecTime workloads.Duration `json:"exec_time" about:"time alone"`
	// NodeHostNames are the nodes where the application may run; empty leaves them to
	// the scheduler.
	NodeHostNames []string `json:"node_host_names,omitempty" about:"nodes where it may run"`
	// Partition is the partition of the job, or its queue under other schedulers; empty for the default one.
	Partition string `json:"partition,omitempty" about:"partition or queue"`
	// Command is the program, as a line of a shell; empty for one of slurmlab's own.
	Command string `json:"command,omitempty" about:"program, as a line of a shell"`
}

// Nodes is the number of nodes that the tasks fill.
func (a Application) Nodes() int { return (a.TotalTasks + a.TasksPerNode - 1) / a.TasksPerNode }

// CPUs is the number of cores on all nodes.
func (a Application) CPUs() int { return a.TotalTasks * a.CPUsPerTask }

// CPUsPerNode is the number of cores on each node.
func (a Application) CPUsPerNode() int { return a.TasksPerNode * a.CPUsPerTask }

// MemoryPerNode is what the tasks of a node have together.
func (a Application) MemoryPerNode() workloads.Memory {
	return a.TotalMemory / workloads.Memory(a.Nodes())
}

// Analysis is the application that comes while the simulation runs.
type Analysis struct {
	Application
	// SameNodesAsSim asks for nodes of the simulation.
	SameNodesAsSim bool `json:"same_nodes_as_sim" about:"on nodes of the simulation"`
}

// BuiltinDJSB returns the configurations of DJSB Tables 1 and 2, by the figure that shows
// their results.
//
// The tables have simulations of 1, 4 and 5 GiB a task, figures 4 and 5 of 16 GiB a node,
// which are 4 GiB for each of 4 tasks. The text says of figure 4 that the memory was "more
// than 50% of total node memory", which 5 GiB a task are and 4 GiB are not quite; hence
// figure4.5GiB. The sleeps are not in the paper; with 10 s to 30 s all six analytics come
// before the simulation of 5 minutes ends.
func BuiltinDJSB() []DJSB {
	return []DJSB{
		djsbTables("figure3", 64, 1*workloads.GiB),
		djsbTables("figure4", 64, 4*workloads.GiB),
		djsbTables("figure4.5GiB", 64, 5*workloads.GiB),
		djsbTables("figure5", 32, 4*workloads.GiB),
		djsbReal(),
		djsbPolicy(),
	}
}

// djsbPolicy is figure3 in the scenarios that every policy can run: a core has one job.
func djsbPolicy() DJSB {
	c := djsbTables("policy", 64, 1*workloads.GiB)
	c.Scenarios = []Scenario{ScenarioQueue, ScenarioKeptFree, ScenarioWaiting}
	return c
}

// djsbReal has the proportions of the paper's tables for applications that really compute, on a node of two cores in
// a few minutes. The analytics has half of the simulation's size and takes a fifteenth of its time. Both have more
// memory than a processor's last cache.
func djsbReal() DJSB {
	return DJSB{
		Name: "real", NumOfSamples: 3, NumOfRefAnalysis: 2, NumOfDynAnalysis: []int{1, 3},
		SleepMinTime: workloads.Duration{Duration: 2 * time.Second}, SleepMaxTime: workloads.Duration{Duration: 4 * time.Second},
		Scenarios: []Scenario{ScenarioOversubscription, ScenarioStopContinue, ScenarioCooperative}, On: SystemCluster,
		Machine:    DJSBMachine{Nodes: 1, Cores: 2, Memory: 4 * workloads.GiB},
		Simulation: Application{TotalTasks: 1, TasksPerNode: 1, CPUsPerTask: 2, TotalMemory: 512 * workloads.MiB, ExecTime: workloads.Duration{Duration: 45 * time.Second}},
		Analysis: Analysis{SameNodesAsSim: true, Application: Application{
			TotalTasks: 1, TasksPerNode: 1, CPUsPerTask: 1, TotalMemory: 256 * workloads.MiB, ExecTime: workloads.Duration{Duration: 3 * time.Second},
		}},
	}
}

// djsbTables has the values of DJSB Tables 1 and 2 on so many nodes, with so much memory for each task of the
// simulation. The nodes are from section 4.4: "16 processing cores per node [...] 32GB of main memory per node".
func djsbTables(name string, nodes int, memory workloads.Memory) DJSB {
	return DJSB{
		Name: name, NumOfSamples: 3, NumOfRefAnalysis: 2, NumOfDynAnalysis: []int{1, 2, 4, 6},
		SleepMinTime: workloads.Duration{Duration: 10 * time.Second}, SleepMaxTime: workloads.Duration{Duration: 30 * time.Second},
		Scenarios: tableScenarios(), On: SystemCluster,
		Machine: DJSBMachine{Nodes: nodes, Cores: 16, Memory: 32 * workloads.GiB},
		Simulation: Application{
			TotalTasks: 4 * nodes, TasksPerNode: 4, CPUsPerTask: 4, TotalMemory: workloads.Memory(4*nodes) * memory, ExecTime: workloads.Duration{Duration: 5 * time.Minute},
		},
		Analysis: Analysis{SameNodesAsSim: true, Application: Application{
			TotalTasks: 2 * nodes, TasksPerNode: 2, CPUsPerTask: 4, TotalMemory: workloads.Memory(2*nodes) * 50 * workloads.MiB, ExecTime: workloads.Duration{Duration: 10 * time.Second},
		}},
	}
}

// LoadDJSB returns a configuration with the options that are set on top of it. An argument that contains a slash or
// ends in .yaml or .yml is a YAML file, any other the name of a built-in configuration. What a file leaves out is as
// in figure3, except scenarios that its system cannot have. The error lists all faults, with the lines of the file's
// faults.
func LoadDJSB(nameOrFile string, set ...DJSBSetting) (DJSB, error) {
	var names []string
	for _, c := range BuiltinDJSB() {
		if c.Name == nameOrFile {
			return readDJSB(c, input.Open(nameOrFile, nil, input.Allowed), set)
		}
		names = append(names, c.Name)
	}
	if !input.IsFile(nameOrFile, workloads.MachineEndings()...) {
		return DJSB{}, fmt.Errorf("find configuration: %s is not known, allowed are %s or a .yaml file%s",
			faults.Quote(nameOrFile), strings.Join(names, ", "), faults.DidYouMean(nameOrFile, names))
	}
	data, err := input.ReadFile(filepath.Clean(nameOrFile))
	if err != nil {
		return DJSB{}, fmt.Errorf("read configuration: %w", err)
	}
	return ParseDJSB(nameOrFile, data, set...)
}

// ParseDJSB reads a configuration from YAML; file is for messages, and its base name is the
// default of the name. See LoadDJSB.
func ParseDJSB(file string, data []byte, set ...DJSBSetting) (DJSB, error) {
	c := BuiltinDJSB()[0]
	c.Name = input.BaseName(file)
	return readDJSB(c, input.Open(file, data, input.Allowed), set)
}

// readDJSB puts what the document has, and then the settings, in the place of what c has.
func readDJSB(c DJSB, doc *input.Document, set []DJSBSetting) (DJSB, error) {
	doc.Complete = true
	doc.Root().ReadAll(&c)
	for _, s := range set {
		s.read(&c, doc)
	}
	if !doc.IsSet("scenarios") && slices.Contains(Systems(), c.On) {
		c.Scenarios = slices.DeleteFunc(c.Scenarios, func(s Scenario) bool { return !slices.Contains(c.On.Scenarios(), s) })
	}
	if err := doc.Err(c.faults()); err != nil {
		return DJSB{}, err
	}
	c.notePrograms(doc)
	return c, nil
}

// About is a line about a configuration.
func (c DJSB) About() string {
	return fmt.Sprintf("%d nodes of %d cores and %s, a simulation of %s per node", c.Machine.Nodes, c.Machine.Cores, c.Machine.Memory, c.Simulation.MemoryPerNode())
}
