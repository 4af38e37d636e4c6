package djsbconfig

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/slurmlab/slurmlab/workloads"
)

func builtinDJSB(t *testing.T, name string, set ...DJSBSetting) DJSB {
	t.Helper()
	c, err := LoadDJSB(name, set...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func setting(t *testing.T, path, value string) DJSBSetting {
	t.Helper()
	all := DJSBOptions()
	at := slices.IndexFunc(all, func(o DJSBOption) bool { return o.Path == path })
	if at < 0 {
		t.Fatalf("no option %s", path)
	}
	return DJSBSetting{all[at], value}
}

// DJSB Tables 1 and 2 and the captions of figures 3, 4 and 5.
func TestBuiltinDJSB(t *testing.T) {
	for _, tc := range []struct {
		name         string
		nodes, cpus  int
		perTask, own workloads.Memory
	}{
		{"figure3", 64, 1024, 1 * workloads.GiB, 4 * workloads.GiB},
		{"figure4", 64, 1024, 4 * workloads.GiB, 16 * workloads.GiB},
		{"figure4.5GiB", 64, 1024, 5 * workloads.GiB, 20 * workloads.GiB},
		{"figure5", 32, 512, 4 * workloads.GiB, 16 * workloads.GiB},
	} {
		c := builtinDJSB(t, tc.name)
		s, a := c.Simulation, c.Analysis
		if s.Nodes() != tc.nodes || s.CPUs() != tc.cpus || s.TotalMemory/workloads.Memory(s.TotalTasks) != tc.perTask || s.MemoryPerNode() != tc.own {
			t.Errorf("%s: got a simulation of %d nodes, %d cores, %s a node", tc.name, s.Nodes(), s.CPUs(), s.MemoryPerNode())
		}
		// "Analytics job requests 50% of simulation size", "Total memory per node
		// requested by analytics is 100MiB".
		if a.CPUs()*2 != s.CPUs() || a.Nodes() != s.Nodes() || a.MemoryPerNode() != 100*workloads.MiB {
			t.Errorf("%s: got an analytics of %d nodes, %d cores, %s a node", tc.name, a.Nodes(), a.CPUs(), a.MemoryPerNode())
		}
		if c.NumOfSamples != 3 || c.NumOfRefAnalysis != 2 || !slices.Equal(c.NumOfDynAnalysis, []int{1, 2, 4, 6}) {
			t.Errorf("%s: Table 1: got %+v", tc.name, c)
		}
		if s.ExecTime.Duration != 5*time.Minute || a.ExecTime.Duration != 10*time.Second {
			t.Errorf("%s: Table 2: got durations %v and %v", tc.name, s.ExecTime, a.ExecTime)
		}
	}
}

// Figure 3 by hand: an analytics of 128 tasks of 4 cores fits on 32 nodes of 16 cores, with 4 tasks on each in place
// of 2. That leaves 32 nodes to the simulation, 4 tasks and 8 GiB on each. Of 40 nodes it takes 32 as well, as 3
// tasks on each do not go into 128.
func TestApplicationsWhereNodesAreKeptFree(t *testing.T) {
	for _, tc := range []struct {
		kept               string
		simulation, memory int
	}{{"0", 32, 8}, {"32", 32, 8}, {"40", 24, 0}, {"56", 8, 32}} {
		c := builtinDJSB(t, "figure3", setting(t, "scenarios", "queue,share-kept-free"), setting(t, "kept_free", tc.kept))
		s, a := c.Applications(ScenarioKeptFree)
		if s.Nodes() != tc.simulation || s.TotalTasks != 4*tc.simulation || tc.memory > 0 && s.MemoryPerNode() != workloads.Memory(tc.memory)*workloads.GiB {
			t.Errorf("%s kept free: got a simulation of %d tasks on %d nodes, %s each", tc.kept, s.TotalTasks, s.Nodes(), s.MemoryPerNode())
		}
		if a.Nodes() != 32 || a.CPUs() != c.Analysis.CPUs() || a.TasksPerNode != 4 {
			t.Errorf("%s kept free: got an analytics of %d tasks on %d nodes", tc.kept, a.TotalTasks, a.Nodes())
		}
		if s, a = c.Applications(ScenarioQueue); !reflect.DeepEqual(s, c.Simulation) || !reflect.DeepEqual(a, c.Analysis.Application) {
			t.Errorf("queue: got %+v and %+v", s, a)
		}
	}
	// Where the analytics fits as it is, it stays so.
	c := builtinDJSB(t, "figure3", setting(t, "scenarios", "share-kept-free"), setting(t, "machine.nodes", "128"), setting(t, "kept_free", "64"))
	if s, a := c.Applications(ScenarioKeptFree); !reflect.DeepEqual(s, c.Simulation) || !reflect.DeepEqual(a, c.Analysis.Application) {
		t.Errorf("on twice the nodes: got %+v and %+v", s, a)
	}
}

// What describe prints is a file that means the same.
func TestDJSBIsItsOwnFile(t *testing.T) {
	for _, c := range BuiltinDJSB() {
		c.Simulation.NodeHostNames = make([]string, c.Simulation.Nodes())
		for i := range c.Simulation.NodeHostNames {
			c.Simulation.NodeHostNames[i] = "n" + string(rune('a'+i%26)) + "1"
		}
		c.On, c.Reservation = SystemSlurm, "djsb"
		c.Simulation.Command, c.Analysis.Command, c.Analysis.Partition = "srun ./stream", "./stream --threads 4", "urgent"
		c.Scenarios = slices.DeleteFunc(c.Scenarios, func(s Scenario) bool { return !slices.Contains(c.On.Scenarios(), s) })
		form, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.JSONToYAML(form)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseDJSB("x.yaml", text)
		// Their lines are the file's.
		got.Programs = nil
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("got %+v, %v of\n%swant %+v", got, err, text, c)
		}
	}
}

func TestDJSBDefaults(t *testing.T) {
	got, err := ParseDJSB("dir/mine.yaml", []byte("num_of_dyn_analysis: [3]\nanalysis: {total_tasks: 64}\n"))
	want := BuiltinDJSB()[0]
	want.Name, want.NumOfDynAnalysis, want.Analysis.TotalTasks = "mine", []int{3}, 64
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestDJSBSettings(t *testing.T) {
	c := builtinDJSB(t, "figure3", setting(t, "num_of_dyn_analysis", "0,3"), setting(t, "scenarios", "queue,stop-continue"),
		setting(t, "analysis.exec_time", "20s"), setting(t, "analysis.same_nodes_as_sim", "false"),
		setting(t, "on", "slurm"), setting(t, "simulation.command", "a: {b}"), setting(t, "analysis.command", "c"))
	if !slices.Equal(c.NumOfDynAnalysis, []int{0, 3}) || !slices.Equal(c.Scenarios, []Scenario{ScenarioQueue, ScenarioStopContinue}) ||
		c.Analysis.ExecTime.Duration != 20*time.Second || c.Analysis.SameNodesAsSim || c.Simulation.Command != "a: {b}" {
		t.Errorf("got %+v", c)
	}
	for _, o := range DJSBOptions() {
		// An empty value is allowed nowhere but as a text, which is then none.
		if _, err := LoadDJSB("figure3", DJSBSetting{o, ""}); (err == nil) != (o.Kind == KindText) {
			t.Errorf("--%s=: got %v", o.Flag(), err)
		} else if err != nil && !strings.Contains(err.Error(), "--"+o.Flag()+": ") {
			t.Errorf("--%s=: the flag is not named in %v", o.Flag(), err)
		}
	}
}

func TestBadDJSB(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		set           []DJSBSetting
		want          string
	}{
		{"values", `num_of_samples: 0
num_of_ref_analysis: many
num_of_dyn_analysis: []
sleep_min_time: 90s
sleep_max_time: 1m
scenarios: [queue, oversubscribe, queue]
machine: {nodes: 0, cores: 16, memory: 32}
simulation:
  total_tasks: 10
  exec_time: 1500ms
  same_nodes_as_sim: true
analysis:
  node_host_names: ["n[1-3]"]
  total_memory: lots
`, nil, `d.yaml:1: num_of_samples: got 0, allowed 1..100
d.yaml:2: num_of_ref_analysis: got "many", allowed a whole number
d.yaml:3: num_of_dyn_analysis: got an empty list, allowed one or more
d.yaml:5: sleep_max_time: got 1m0s, allowed 1m30s..1h0m0s in steps of 1s
d.yaml:6: scenarios[1]: got "oversubscribe", allowed queue, oversubscription, stop-continue, cooperative-dynamic, preempt-suspend, preempt-requeue, time-slices, share-kept-free or waiting-simulation
d.yaml:6: scenarios[2]: queue is there already, allowed each once
d.yaml:7: machine.memory: got 32, allowed a size with its unit, like 50MiB or 4GiB
d.yaml:7: machine.nodes: got 0, allowed 1..10000
d.yaml:10: simulation.exec_time: got 1.5s, allowed 1s..24h0m0s in steps of 1s
d.yaml:11: simulation.same_nodes_as_sim: unknown key, allowed total_tasks, tasks_per_node, cpus_per_task, total_memory, exec_time, node_host_names, partition, command
d.yaml:13: analysis.node_host_names[0]: got "n[1-3]", allowed the name of one node
d.yaml:14: analysis.total_memory: got "lots", allowed a size with its unit, like 50MiB or 4GiB`},
		{"sizes", `machine:
  nodes: 32
simulation:
  total_tasks: 255
  cpus_per_task: 8
  total_memory: 2048GiB
analysis:
  node_host_names: [n1]
`, nil, `d.yaml:3: simulation.tasks_per_node: got 4 of 8 cores each, allowed no more than the machine's 16 cores per node
d.yaml:4: simulation.total_tasks: got 255, allowed a multiple of the 4 tasks per node
d.yaml:4: simulation.total_tasks: got 255, which fill 64 nodes, allowed no more than the machine's 32 nodes
d.yaml:7: analysis.total_tasks: got 128, which fill 64 nodes, allowed no more than the machine's 32 nodes
d.yaml:8: analysis.node_host_names: got 1, allowed at least the 64 nodes of the tasks, or none`},
		{"memory of a node", "simulation: {total_memory: 3TiB}\n", nil,
			`d.yaml:1: simulation.total_memory: got 3072GiB, which are 48GiB per node, allowed no more than the machine's 32GiB per node`},
		{"an analytics larger than the simulation", "simulation:\n  total_tasks: 64\n", nil,
			`d.yaml:1: analysis.total_tasks: got 128, which are 512 cores, allowed no more cores than the simulation's 256
d.yaml:1: analysis.same_nodes_as_sim: got true with 64 nodes of the analysis, allowed with no more nodes than the simulation's 16`},
		{"flags", "simulation:\n  total_tasks: 64\n", []DJSBSetting{setting(t, "simulation.total_tasks", "0"), setting(t, "num_of_dyn_analysis", "1,x"), setting(t, "sleep_min_time", "10")},
			`d.yaml: --num-of-dyn-analysis: got "x", allowed a whole number
d.yaml: --sleep-min-time: got "10", allowed a duration with its unit, like 90s, 10m or 4h
d.yaml: --simulation-total-tasks: got 0, allowed 1..10240000`},
		{"too few nodes kept free", "scenarios: [share-kept-free]\nkept_free: 31\n", nil,
			`d.yaml:2: kept_free: got 31, allowed 32..63, which hold an analytics and leave the simulation a node, or 0 for 32`},
		{"no node left", "scenarios: [share-kept-free]\n", []DJSBSetting{setting(t, "kept_free", "64")},
			`d.yaml: --kept-free: got 64, allowed 32..63, which hold an analytics and leave the simulation a node, or 0 for 32`},
		{"nodes kept free for nothing", "kept_free: 32\n", nil, `d.yaml:1: kept_free: got 32, allowed none without share-kept-free among the scenarios`},
		{"a machine of which nothing can be kept free", `scenarios: [share-kept-free]
machine: {nodes: 1}
simulation: {total_tasks: 4, total_memory: 4GiB}
analysis: {total_tasks: 2, total_memory: 100MiB}
`, nil, `d.yaml:2: machine.nodes: got 1, allowed more than the 1 that share-kept-free keeps free`},
		{"memory and names where nodes are kept free", `scenarios: [share-kept-free]
machine: {nodes: 2}
simulation: {total_tasks: 8, total_memory: 40GiB, node_host_names: [n1, n2]}
analysis: {total_tasks: 4, total_memory: 200MiB}
`, nil, `d.yaml:3: simulation.total_memory: got 40GiB, in share-kept-free 40GiB per node, allowed no more than the machine's 32GiB per node
d.yaml:3: simulation.node_host_names: got 2, allowed none with share-kept-free, in which the scheduler chooses`},
		{"no mapping", "- 1\n", nil, `d.yaml:1: document: got a list, allowed a mapping of keys to values`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseDJSB("d.yaml", []byte(tc.content), tc.set...)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got\n%v\nwant\n%s", err, tc.want)
			}
		})
	}
	if _, err := LoadDJSB("figur3"); err == nil || !strings.Contains(err.Error(), `did you mean "figure3"?`) {
		t.Errorf("got %v", err)
	}
}

// Whatever a file has: faults, or a configuration without any.
func FuzzParseDJSB(f *testing.F) {
	f.Add("num_of_samples: 3\nsimulation: {total_tasks: 8, total_memory: 1GiB}\n")
	f.Add("scenarios: [queue]\nanalysis: {node_host_names: [a, b], same_nodes_as_sim: yes}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseDJSB("d.yaml", []byte(text)); err == nil && c.Check() != nil {
			t.Errorf("read with faults: %v", c.Check())
		}
	})
}
