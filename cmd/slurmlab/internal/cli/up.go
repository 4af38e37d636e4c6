package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

const defaultName = "default"

func upCommand(s *State) *cobra.Command {
	var machineName, policyName, name string
	var kind kindFlags
	var flags clockFlags
	var given priority.Type
	var core string
	var memory memoryLimit
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster and leave it running",
		Long: `Starts a cluster and leaves it running. Under a policy of ours an agent
schedules the jobs that are submitted in it; what it cannot schedule says why in
"scontrol show job", as Extra.`,
		Example: "  slurmlab up --machine tsubame\n  slurmlab shell\n  slurmlab status\n  slurmlab down\n  slurmlab up --policy auction",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			machine, err := workloads.LoadMachine(machineName)
			if err == nil {
				err = kind.fit(machine)
			}
			settings, clockErr := flags.settings()
			chosen, policyErr := keptPolicy(policyName, given)
			if err == nil && policyErr == nil {
				err = chosen.CheckLayout(machine.Name, machine.Layout)
			}
			if err = errors.Join(err, policyErr, clockErr, kind.check(), campaign.CheckCore(core), checkName(name)); err != nil {
				return usage(err)
			}
			if coreErr := campaign.CoreThere(ctx, run.Docker{}, core); coreErr != nil {
				return coreErr
			}
			if _, imageErr := kind.find(ctx, s, run.Docker{}); imageErr != nil {
				return imageErr
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
			options := append(run.Options(machine, chosen, settings, report), slurm.WithSlurm(kind.slurm), slurm.WithRole(slurm.RoleUp), slurm.WithName(name),
				slurm.WithMemory(int64(memory)))
			schedules := chosen.Scheduler.Type
			if chosen.HasAgent() {
				options = append(options, slurm.WithAgent(agentOf(policyName, chosen)))
				schedules = chosen.Name
			}
			given, release, err := campaign.TakeCore(ctx, run.Docker{}, core, board.waiting)
			if err != nil {
				return err
			}
			defer release()
			if given != nil {
				options = append(options, slurm.WithCore(*given))
			}
			report(progress.Update{Stage: progress.Creating})
			cluster, err := run.Docker{}.Start(ctx, kind.image(), options...)
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
				machine.Size(), schedules, chosen.Priority.Plugin(), nameFlag(name))
			if err == nil && settings.Kind == clock.KindJump {
				_, err = fmt.Fprintln(s.Stdout, "its clock is held at the speed of real time; in the shell: slurmlabd clock go, hold or status")
			}
			return err
		},
	}
	under(cmd, headJobs, func(f *pflag.FlagSet) { f.StringVar(&machineName, "machine", "S", machineHelp()) })
	completeFlag(cmd, "machine", ofMachines())
	policyFlag(cmd, &policyName, policy.Backfill)
	priorityFlag(cmd, &given)
	flags.flags(cmd, clock.KindReal)
	coreFlag(cmd, s, &core, campaign.CoreNone)
	kind.flags(cmd)
	memoryFlag(cmd, &memory)
	under(cmd, headCluster, func(f *pflag.FlagSet) {
		f.StringVar(&name, "name", defaultName, "name of the cluster, for more than one")
	})
	return cmd
}

// agentOf is the name by which the cluster's agent finds the policy of a name.
func agentOf(name string, p policy.Policy) string {
	if program := p.Parameters.Program; program != "" {
		return policy.ExecPrefix + program
	}
	return name
}

// keptPolicy returns a policy with the given priority, or its own.
func keptPolicy(name string, given priority.Type) (policy.Policy, error) {
	p, err := policy.File("").Find(name)
	if err == nil {
		err = policy.Stays(p)
	}
	if err != nil {
		return p, err
	}
	p.Priority = cmp.Or(given, p.Priority)
	return p, p.Validate()
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
