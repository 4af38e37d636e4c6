package boot

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// Nodes is how a backend has its nodes: their configuration, and the daemons that stand for them.
type Nodes struct {
	Conf conf.Nodes
	// Programs become daemons in this order; there is at least one.
	Programs []Program
	// Register are the nodes without a slurmd of which Slurm needs to be told the GPUs, as it shares them.
	Register []string
	// Fatal are the parts without which the cluster breaks for good, each with the
	// reason. All others are started again when they die.
	Fatal map[string]string
	// Ready says why the nodes cannot take jobs yet, although all are idle.
	Ready func(ask Ask) error
	// Starts are the programs that the nodes start for a job, beside the programs of its script.
	Starts []string
	// PerNode and PerJob are what each node and each running job may take of the
	// container, with a wide margin.
	PerNode, PerJob Footprint
}

// Footprint is memory in bytes, and a number of processes and threads.
type Footprint struct{ Memory, Processes int64 }

// Program is what a daemon that stands for nodes runs.
type Program struct {
	// Part is the name of the program, of which there may be several daemons.
	Part string
	// Name tells the daemon from the others; empty means Part.
	Name string
	// Log is the name of its log in LogDir.
	Log string
	// Argv is its command. With Own set, Argv are arguments of this program, which
	// reads the cluster's clock from the State.
	Argv []string
	Own  bool
	// PIDFile is a file that it writes when it serves, in a directory that is empty at
	// boot. The next program is started then; without one, at once.
	PIDFile string
}

// Ask runs a command of Slurm and returns what it printed.
type Ask func(argv ...string) (string, error)

// startNodes starts the programs, waits until the nodes are idle, and takes those out of
// service that are to be; self is this program. The nodes of a checkpoint are as they were.
func (c *Daemons) startNodes(ctx context.Context, self string, nodes Nodes) error {
	for _, p := range nodes.Programs {
		s := step{name: cmp.Or(p.Name, p.Part), part: p.Part, log: p.Log, argv: p.Argv, env: c.State.Env, needs: Controller, pidFile: p.PIDFile}
		if p.Own {
			s.argv, s.env = append([]string{self}, p.Argv...), nil
		}
		if p.PIDFile != "" {
			s.ready = written(p.PIDFile)
		}
		if err := c.run(ctx, s); err != nil {
			return err
		}
	}
	if c.restored() {
		return nil
	}
	if err := c.until(ctx, nodes.Programs[0].Part, c.skip, c.allIdle, c.fault); err != nil {
		return err
	}
	if err := c.register(ctx, nodes.Register); err != nil {
		return err
	}
	return c.takeOut(ctx)
}

// takeOut sets the nodes down that are out of service from the start on.
func (c *Daemons) takeOut(ctx context.Context) error {
	for _, d := range c.State.Spec.Layout.Down {
		out, err := c.command(ctx, "scontrol", "update", "NodeName="+d.Nodes, "State="+d.State, "Reason="+d.Reason).CombinedOutput()
		if err != nil {
			return fmt.Errorf("set %s to %s: %w: %s", d.Nodes, d.State, err, out)
		}
	}
	return nil
}

// written holds when a file is there.
func written(path string) func(context.Context) error {
	return func(context.Context) error {
		_, err := os.Stat(path)
		return err
	}
}
