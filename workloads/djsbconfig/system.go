package djsbconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// System is what runs the jobs of DJSB. Section 2.2: "jobs executed in an interactive session, or submitted in a
// previously created reservation, together with the interaction with job schedulers such as SLURM or LSF".
type System string

// The systems. On all but the first the applications are programs of the user's.
const (
	SystemCluster     System = "cluster"
	SystemSlurm       System = "slurm"
	SystemAllocation  System = "allocation"
	SystemInteractive System = "interactive"
	SystemCommands    System = "commands"
)

// Systems returns all, slurmlab's own cluster first.
func Systems() []System {
	return []System{SystemCluster, SystemSlurm, SystemAllocation, SystemInteractive, SystemCommands}
}

// About says in a line what it is.
func (s System) About() string {
	switch s {
	case SystemCluster:
		return "a cluster of slurmlab, with its applications"
	case SystemSlurm:
		return "the Slurm whose commands are in the PATH"
	case SystemAllocation:
		return "steps of the allocation of Slurm that slurmlab runs in"
	case SystemInteractive:
		return "processes of this machine, without a scheduler"
	case SystemCommands:
		return "a scheduler that is driven by the configuration's commands"
	default:
		return ""
	}
}

// Scenarios are those that the system can have. Without a queue nothing waits; that a
// scheduler suspends or requeues jobs itself only Slurm tells.
func (s System) Scenarios() []Scenario {
	together := []Scenario{ScenarioOversubscription, ScenarioStopContinue, ScenarioCooperative}
	switch s {
	case SystemInteractive, SystemAllocation:
		return together
	case SystemCommands:
		return append([]Scenario{ScenarioQueue}, together...)
	case SystemSlurm:
		return slices.Concat([]Scenario{ScenarioQueue}, together, []Scenario{ScenarioPreemptSuspend, ScenarioPreemptRequeue, ScenarioTimeSlices})
	default:
		return Scenarios()
	}
}

// DJSBCommands are shell commands that do with a job what their names say. Package emulator/djsb/jobs
// has the variables that they are given.
type DJSBCommands struct {
	Submit  string `json:"submit,omitempty" about:"command that submits a job"`
	Poll    string `json:"poll,omitempty" about:"command that ends with 0 when a job has ended, and with 1 before"`
	Suspend string `json:"suspend,omitempty" about:"command that suspends a job"`
	Resume  string `json:"resume,omitempty" about:"command that resumes a job"`
	Cancel  string `json:"cancel,omitempty" about:"command that ends a job"`
}

// notePrograms notes the programs that the file names. On the cluster there are none: the applications are slurmlab's.
func (c *DJSB) notePrograms(doc *input.Document) {
	for _, program := range []struct{ field, text string }{
		{"simulation.command", c.Simulation.Command}, {"analysis.command", c.Analysis.Command},
		{"commands.submit", c.Commands.Submit}, {"commands.poll", c.Commands.Poll}, {"commands.suspend", c.Commands.Suspend},
		{"commands.resume", c.Commands.Resume}, {"commands.cancel", c.Commands.Cancel},
	} {
		if line := doc.LineOf(program.field); line > 0 && program.text != "" {
			c.Programs = append(c.Programs, faults.Fault{
				File: doc.Faults.Name, Line: line, Field: program.field,
				Problem: faults.Got(program.text) + ", which would run with your rights", Allowed: "--trust once you have read it",
			})
		}
	}
}

// systemFaults are those of what the configuration says of its system.
func (c DJSB) systemFaults() []faults.Fault {
	if !slices.Contains(Systems(), c.On) {
		return []faults.Fault{faults.At("on", faults.Got(string(c.On)), faults.Or(Systems()))}
	}
	with := fmt.Sprintf(" with on: %s", c.On)
	var out []faults.Fault
	want := func(field, value, allowed string) {
		if value == "" {
			out = append(out, faults.At(field, "missing", allowed+with))
		}
	}
	refuse := func(field, value string) {
		if value != "" {
			out = append(out, faults.At(field, faults.Got(value), "none"+with))
		}
	}
	for i, scenario := range c.Scenarios {
		if slices.Contains(Scenarios(), scenario) && !slices.Contains(c.On.Scenarios(), scenario) {
			out = append(out, faults.At("scenarios["+strconv.Itoa(i)+"]", faults.Got(string(scenario)), faults.Or(c.On.Scenarios())+with))
		}
	}
	for _, of := range []struct {
		name string
		Application
	}{{"simulation", c.Simulation}, {"analysis", c.Analysis.Application}} {
		switch c.On {
		case SystemCluster:
			// The applications are slurmlab's there, and so are the partitions.
			refuse(of.name+".command", of.Command)
			refuse(of.name+".partition", of.Partition)
		case SystemAllocation:
			refuse(of.name+".partition", of.Partition)
		case SystemInteractive:
			refuse(of.name+".partition", of.Partition)
			refuse(of.name+".node_host_names", strings.Join(of.NodeHostNames, ","))
		}
		if c.On != SystemCluster {
			want(of.name+".command", of.Command, "a program")
		}
	}
	if c.On == SystemInteractive && c.Machine.Nodes > 1 {
		out = append(out, faults.At("machine.nodes", faults.Got(c.Machine.Nodes), "1"+with))
	}
	switch {
	case c.On != SystemCluster && c.On != SystemSlurm:
		refuse("reservation", c.Reservation)
	case strings.ContainsAny(c.Reservation, " ,=\t\n"):
		out = append(out, faults.At("reservation", faults.Got(c.Reservation), "the name of one reservation"))
	}
	stops := slices.Contains(c.Scenarios, ScenarioStopContinue)
	for _, command := range []struct {
		name, text string
		needed     bool
	}{
		{"submit", c.Commands.Submit, true},
		{"poll", c.Commands.Poll, true},
		{"suspend", c.Commands.Suspend, stops},
		{"resume", c.Commands.Resume, stops},
		{"cancel", c.Commands.Cancel, true},
	} {
		switch {
		case c.On != SystemCommands:
			refuse("commands."+command.name, command.text)
		case command.needed:
			want("commands."+command.name, command.text, "a shell command")
		}
	}
	return out
}
