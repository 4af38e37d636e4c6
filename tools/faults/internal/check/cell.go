package check

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Action is what is done to a victim.
type Action string

// The actions.
const (
	Kill Action = "KILL"
	Term Action = "TERM"
	// Pause stops the victim for five seconds of real time.
	Pause Action = "STOP-5s"
	// Stop stops the victim for good.
	Stop Action = "STOP"
	// Exhaust leaves nothing of a resource.
	Exhaust Action = "EXHAUST"
)

// Victim is what is broken.
type Victim string

// The victims.
const (
	MariaDB   Victim = "mariadbd"
	Slurmdbd  Victim = "slurmdbd"
	Slurmctld Victim = "slurmctld"
	Slurmd    Victim = "slurmd"
	Slurmstep Victim = "slurmstepd"
	Runner    Victim = "runner"
	// Slurmchannel speaks Slurm's API: for the driver, the agent and the runner, each of
	// which has its own.
	Slurmchannel Victim = "slurmchannel"
	Vclockd      Victim = "vclockd"
	Agent        Victim = "agent"
	Worker       Victim = "solver worker"
	// Driver is "slurmlabd run", with the agent of a run in it.
	Driver    Victim = "slurmlabd run"
	Boot      Victim = "boot"
	Container Victim = "container"
	CLI       Victim = "CLI"
	// Engine is the connection to the Docker engine.
	Engine Victim = "Docker engine"
	// Resources.
	Processes Victim = "process ids"
	Memory    Victim = "memory"
	Tmpfs     Victim = "tmpfs"
	Disk      Victim = "disk of the host"
	// Clock is the real-time clock of the machine.
	Clock Victim = "clock of the host"
)

// Cell is one fault of one run.
type Cell struct {
	Action Action `json:"action"`
	Victim Victim `json:"victim"`
	// Point is a name of package faultpoint.
	Point  string `json:"point"`
	Policy string `json:"policy"`
	// Slurm is the backend by the word that the cells of docs/records/016-faults have, trace.Backend.Former.
	Slurm string `json:"slurm"`
}

// Name identifies the cell: "KILL slurmctld end/first auction 26.05".
func (c Cell) Name() string { return strings.Join(c.values(), " ") }

// FileName is the name in the form of a file name.
func (c Cell) FileName() string {
	return strings.NewReplacer(" ", "-", "/", "-").Replace(c.Name())
}

func (c Cell) values() []string {
	return []string{string(c.Action), string(c.Victim), c.Point, c.Policy, c.Slurm}
}

// Backend is the backend of the cell's cluster.
func (c Cell) Backend() backend.Backend { return BackendOf(c.Slurm) }

// BackendOf is the backend of the word in a cell.
func BackendOf(word string) backend.Backend {
	recorded, _ := trace.FormerBackend(word)
	b, _ := run.BackendOf(recorded)
	return b
}

func (c Cell) form() backend.Form { return c.Backend().Form }

// Of is the word of the backend that the campaign has of a form.
func Of(f backend.Form) string { return run.Recorded(backend.All().Of(f)).Former() }

// Actions are the values of the first column.
func Actions() []Action { return []Action{Kill, Term, Pause, Stop, Exhaust} }

// Victims returns the victims on all backends.
func Victims() []Victim {
	return []Victim{
		MariaDB, Slurmdbd, Slurmctld, Slurmd, Slurmstep, Runner, Slurmchannel, Vclockd, Agent, Worker, Driver, Boot,
		Container, CLI, Engine, Processes, Memory, Tmpfs, Disk, Clock,
	}
}

// Points are in the order in which a run reaches them.
func Points() []string {
	return []string{
		faultpoint.Boot, faultpoint.Submission, faultpoint.Release, faultpoint.End, faultpoint.Drain,
		faultpoint.Accounting, faultpoint.Copy, faultpoint.Finish,
	}
}

// Policies are one of Slurm's own and one with an agent.
func Policies() []string { return []string{policy.Backfill, policy.Auction} }

// Backends are the words of all backends, the quick one first.
func Backends() []string {
	return []string{Of(backend.External), Of(backend.FrontEnd), Of(backend.OnNodes)}
}

// Cells lists every cell that can be produced.
func Cells() []Cell {
	var all []Cell
	each(func(c Cell) {
		if Impossible(c) == "" {
			all = append(all, c)
		}
	})
	return all
}

func each(visit func(Cell)) {
	backends := Backends()
	for _, a := range Actions() {
		for _, v := range Victims() {
			for _, at := range Points() {
				for _, p := range Policies() {
					for _, b := range backends {
						visit(Cell{a, v, at, p, b})
					}
				}
			}
		}
	}
}

// Find returns the cell of a name.
func Find(name string) (Cell, error) {
	var found *Cell
	look := func(c Cell) {
		if c.Name() == name || c.FileName() == name {
			found = &c
		}
	}
	each(look)
	for _, c := range PluginCells() {
		look(c)
	}
	if found == nil {
		return Cell{}, fmt.Errorf("cell %q is not known; one is %q", name, Cells()[0].Name())
	}
	if why := Impossible(*found); why != "" {
		return Cell{}, fmt.Errorf("cell %q cannot be produced: %s", name, why)
	}
	return *found, nil
}
