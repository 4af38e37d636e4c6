package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

const defaultName = "default"

func upCommand(s *State) *cobra.Command {
	var e experiment
	var policyName, name string
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster and leave it running",
		Long: `Starts a cluster and leaves it running. Under a policy of ours an agent
schedules the jobs that are submitted in it; what it cannot schedule says why in
"scontrol show job", as Extra.

A site's own files become its cluster with "slurmlab machine import --all-users
--policy-out FILE". "slurmlab shell --user NAME" submits as one of its users.`,
		Example: "  slurmlab up --machine tsubame\n  slurmlab shell\n  slurmlab status\n  slurmlab down\n  slurmlab up --policy auction\n  slurmlab up --machine mine.yaml --policy-file mine-policy.yaml --policy site",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			spec, err := e.kept(policyName)
			if err = errors.Join(err, checkName(name)); err != nil {
				return usage(err)
			}
			e.sayBackends(s)
			return e.up(cmd.Context(), s, spec, policyName, name)
		},
	}
	e.given = cmd.Flags()
	declare(cmd, headJobs, flag("machine", &e.machine, "S", machineHelp()).completes(ofMachines()).usual())
	policyFlag(cmd, &policyName, policy.Backfill, policy.ExecPrefix+"FILE")
	e.policyFile.flag(cmd)
	e.settings.flag(cmd)
	e.clock.flags(cmd, clock.KindReal)
	coreFlag(cmd, s, &e.Core, campaign.CoreNone)
	e.backendFlags(cmd)
	memoryFlag(cmd, &e.config.Memory)
	declare(cmd, headCluster, flag("name", &name, defaultName, "name of the cluster, for more than one").usual())
	return cmd
}

// kept is what a cluster is asked for that people use. The error lists all faults.
func (e *experiment) kept(policyName string) (drive.Spec, error) {
	var s drive.Spec
	machineErr := e.loadMachine(&s)
	var err error
	s.Policy, err = e.findUsed(policyName)
	err = errors.Join(err, policy.Stays(s.Policy))
	if machineErr == nil {
		err = errors.Join(err, s.Policy.CheckMachine(s.Machine.Name, s.Machine.Layout, !s.Machine.Blocks.None()))
	}
	err = errors.Join(machineErr, err, e.loadCluster(&s))
	s.Backend = e.backends[0].Backend
	return s, err
}

// up starts the cluster of a name, and says how to use it.
func (e *experiment) up(ctx context.Context, s *State, spec drive.Spec, policyName, name string) error {
	on := &e.backends[0]
	if err := campaign.CoreThere(ctx, run.Docker{}, e.Core); err != nil {
		return err
	}
	if _, err := on.find(ctx, s, run.Docker{}); err != nil {
		return err
	}
	existing, err := run.Containers(ctx, slurm.RoleUp, name)
	if err != nil {
		return err
	}
	if len(existing) > 0 {
		return usage(fmt.Errorf("name: a cluster %q is up already; choose another --name or run: slurmlab down --name %s", name, name))
	}
	started := time.Now()
	board := newBoard(ctx, s, false, "stopping: removing the container", progress.Run{Name: name})
	defer board.close()
	report := board.follow(0)
	options := append(run.Options(spec, report), slurm.WithRole(slurm.RoleUp), slurm.WithName(name), slurm.WithMemory(e.config.Memory))
	schedules := spec.Policy.Scheduler.Type
	if spec.Policy.HasAgent() {
		agent, encodeErr := json.Marshal(spec.Policy)
		if encodeErr != nil {
			return fmt.Errorf("encode policy: %w", encodeErr)
		}
		options = append(options, slurm.WithAgent(policyName+e.settings.suffix(), agent))
		schedules = spec.Policy.Name
	}
	core, release, err := campaign.TakeCore(ctx, run.Docker{}, e.Core, board.waiting)
	if err != nil {
		return err
	}
	defer release()
	if core != nil {
		options = append(options, slurm.WithCore(*core))
	}
	report(progress.Update{Stage: progress.Creating})
	cluster, err := run.Docker{}.Start(ctx, on.imageName(), options...)
	if err != nil {
		return err
	}
	board.close()
	notes, err := run.SettingNotes(ctx, cluster)
	if err != nil {
		return err
	}
	for _, note := range notes {
		s.warnf("%s", note)
	}
	_, err = fmt.Fprintf(s.Stdout, "cluster %s is up after %.1f s: %s, %s, %s\n"+
		"use it with: slurmlab shell%s\n", name, time.Since(started).Seconds(),
		spec.Machine.Size(), schedules, spec.Policy.Priority.Plugin(), nameFlag(name))
	if err == nil && spec.Clock.Kind == clock.KindJump {
		_, err = fmt.Fprintln(s.Stdout, "its clock is held at the speed of real time; in the shell: slurmlabd clock go, hold or status")
	}
	return err
}

func checkName(name string) error {
	if regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,39}$`).MatchString(name) {
		return nil
	}
	return fmt.Errorf("name: %q is not allowed, want 1 to 40 letters, digits, - and _, the first not -", name)
}

func nameFlag(name string) string {
	if name == defaultName {
		return ""
	}
	return " --name " + name
}
