package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// askLimit is the real time in which Slurm must have answered all questions about the
// standing of the cluster; it does so in a tenth of a second on a large machine.
const askLimit = 5 * time.Second

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Print as JSON how the cluster and its agent stand",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			if err = json.NewEncoder(os.Stdout).Encode(stands(cmd.Context(), state)); err != nil {
				return fmt.Errorf("print status: %w", err)
			}
			return nil
		},
	}
}

func stands(ctx context.Context, state boot.State) watch.Cluster {
	spec := state.Spec
	c := watch.Cluster{
		Now:   watch.Moment{Real: time.Now(), Virtual: state.Clock.Now()},
		Clock: string(state.Clock.Kind), Nodes: spec.Nodes, Cores: spec.Cores, GPUs: spec.GPUs,
		Policy: spec.Scheduler.Type, Priority: spec.Priority.Plugin(),
	}
	for _, g := range spec.Layout.Groups {
		c.Groups = append(c.Groups, watch.NodeGroup{Name: g.Name, Nodes: g.Count, Cores: g.Cores, GPUs: g.AllGPUs()})
	}
	for _, d := range state.Daemons {
		known := watch.Daemon{Name: d.Name, Alive: d.Alive()}
		if end := d.End(); end != nil {
			known.Ended, known.How = &watch.Moment{Real: end.Real, Virtual: end.Virtual}, end.How
		}
		if !known.Alive {
			known.LastWords = d.LastWords()
		}
		c.Daemons = append(c.Daemons, known)
	}
	for _, r := range state.Restarts {
		c.Restarts = append(c.Restarts, watch.Restart{Daemon: r.Daemon, How: r.How, Died: r.Died, Outage: r.Outage})
	}
	if spec.Agent != "" {
		c.Policy = spec.Agent
		var err error
		c.Agent, err = loadAgent(boot.AgentPath)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// The agent has just been started.
			c.Agent = &watch.Agent{Began: c.Now}
		case err != nil:
			c.AgentError = err.Error()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	reader := channel.NewReader(commands(state), askLimit)
	defer func() { _ = reader.Close() }()
	if err := askSlurm(ctx, reader, &c); err != nil {
		c.SlurmError = err.Error()
	}
	return c
}

// turn are the reasons of jobs that wait for their turn.
var turn = []string{"None", "Priority", "Resources", "Dependency", "BeginTime", "Licenses", slurmctl.ReasonHeldUser, slurmctl.ReasonHeldAdmin}

// askSlurm counts nodes and jobs, and lists the jobs that do not just wait for their
// turn. What an agent cannot schedule it says itself.
func askSlurm(ctx context.Context, client *channel.Reader, c *watch.Cluster) error {
	nodes, err := client.Nodes(ctx)
	if err != nil {
		return err
	}
	jobs, err := client.Queue(ctx)
	if err != nil {
		return err
	}
	c.NodeStates, c.JobStates = map[string]int{}, map[string]int{}
	for _, n := range nodes {
		state := string(n.State)
		for _, flag := range n.Flags {
			state += "+" + flag
		}
		c.NodeStates[state]++
	}
	for _, j := range jobs {
		state := string(j.State)
		if j.State == slurmctl.JobPending && j.Held() && c.Agent == nil {
			state = "HELD"
		}
		c.JobStates[state]++
		if c.Agent == nil && j.State == slurmctl.JobPending && !slices.Contains(turn, j.Reason) {
			c.Stuck = append(c.Stuck, trace.Refusal{Job: j.ID, Reason: j.Reason})
		}
	}
	return nil
}
