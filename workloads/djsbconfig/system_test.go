package djsbconfig

import (
	"slices"
	"strings"
	"testing"
)

// interactiveDJSB is a file for processes of one machine.
const interactiveDJSB = `on: interactive
machine: {nodes: 1, cores: 2, memory: 1GiB}
simulation: {total_tasks: 1, tasks_per_node: 1, cpus_per_task: 2, total_memory: 64MiB, command: ./simulation}
analysis: {total_tasks: 1, tasks_per_node: 1, cpus_per_task: 1, total_memory: 64MiB, command: ./analysis}
`

// Scenarios that nobody named are those that the system can have.
func TestSystemHasItsScenarios(t *testing.T) {
	for on, want := range map[System][]Scenario{
		SystemInteractive: {ScenarioOversubscription, ScenarioStopContinue, ScenarioCooperative},
		SystemAllocation:  {ScenarioOversubscription, ScenarioStopContinue, ScenarioCooperative},
		SystemSlurm:       SystemSlurm.Scenarios(),
	} {
		c, err := ParseDJSB("d.yaml", []byte(strings.Replace(interactiveDJSB, "on: interactive", "on: "+string(on), 1)))
		if err != nil || !slices.Equal(c.Scenarios, want) {
			t.Errorf("%s: got %v, %v, want %v", on, c.Scenarios, err, want)
		}
	}
}

func TestBadSystem(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		set           []DJSBSetting
		want          string
	}{
		{"none of ours", "num_of_samples: 1\non: lsf\n", nil,
			`d.yaml:2: on: got "lsf", allowed cluster, slurm, allocation, interactive or commands`},
		{"a cluster of slurmlab", "reservation: a b\ncommands:\n  poll: \"true\"\nsimulation:\n  command: ./x\n  partition: fast\n", nil,
			`d.yaml:1: reservation: got "a b", allowed the name of one reservation
d.yaml:3: commands.poll: got "true", allowed none with on: cluster
d.yaml:5: simulation.command: got "./x", allowed none with on: cluster
d.yaml:6: simulation.partition: got "fast", allowed none with on: cluster`},
		{"slurm without programs", "on: slurm\n", nil,
			`d.yaml:1: simulation.command: missing, allowed a program with on: slurm
d.yaml:1: analysis.command: missing, allowed a program with on: slurm`},
		{"interactive", interactiveDJSB + "scenarios: [queue, stop-continue]\nreservation: r\n",
			[]DJSBSetting{setting(t, "machine.nodes", "2"), setting(t, "analysis.node_host_names", "n1")},
			`d.yaml: --analysis-node-host-names: got "n1", allowed none with on: interactive
d.yaml: --machine-nodes: got 2, allowed 1 with on: interactive
d.yaml:5: scenarios[0]: got "queue", allowed oversubscription, stop-continue or cooperative-dynamic with on: interactive
d.yaml:6: reservation: got "r", allowed none with on: interactive`},
		{"commands", strings.Replace(interactiveDJSB, "interactive", "commands", 1) + "scenarios: [stop-continue, preempt-suspend]\ncommands:\n  submit: bsub\n  resume: bresume\n  kill: bkill\n", nil,
			`d.yaml:5: scenarios[1]: got "preempt-suspend", allowed queue, oversubscription, stop-continue or cooperative-dynamic with on: commands
d.yaml:6: commands.poll: missing, allowed a shell command with on: commands
d.yaml:6: commands.suspend: missing, allowed a shell command with on: commands
d.yaml:6: commands.cancel: missing, allowed a shell command with on: commands
d.yaml:9: commands.kill: unknown key, allowed submit, poll, suspend, resume, cancel`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ParseDJSB("d.yaml", []byte(tc.content), tc.set...)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got\n%v\nwant\n%s", err, tc.want)
			}
		})
	}
	// Nothing is suspended in the queue; a command may have several lines.
	c, err := ParseDJSB("d.yaml", []byte(strings.Replace(interactiveDJSB, "interactive", "commands", 1)+"scenarios: [queue]\ncommands:\n  submit: |\n    a\n    b\n  poll: c\n  cancel: d\n"))
	if err != nil || c.Commands != (DJSBCommands{Submit: "a\nb\n", Poll: "c", Cancel: "d"}) {
		t.Errorf("got %+v, %v", c.Commands, err)
	}
	// A program of the file has its line, and the one of a flag has none.
	c, err = ParseDJSB("d.yaml", []byte(interactiveDJSB), setting(t, "analysis.command", "mine"))
	if len(c.Programs) != 1 || c.Programs[0].File != "d.yaml" || c.Programs[0].Line != 3 || c.Programs[0].Field != "simulation.command" {
		t.Errorf("got programs %+v, %v", c.Programs, err)
	}
}
