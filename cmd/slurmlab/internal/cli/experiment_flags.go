package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// flags are those that "run" and "compare" share.
func (e *experiment) flags(cmd *cobra.Command, s *State) {
	e.parameters = policy.DefaultParameters()
	under(cmd, headJobs, func(f *pflag.FlagSet) {
		f.StringVar(&e.machine, "machine", "S", machineHelp())
		f.StringVar(&e.workload, "workload", "V.2", `name ("slurmlab workload list") or a .yaml, .csv or .txt file`)
	})
	completeFlag(cmd, "machine", ofMachines())
	completeFlag(cmd, "workload", ofWorkloads())
	e.changes.arrivalsFlag(cmd)
	e.eventsFile.flag(cmd)
	e.policyFile.flag(cmd)
	e.executionFlags(cmd, s)
	under(cmd, headResults, e.uiFlag)
	under(cmd, headJobs, func(f *pflag.FlagSet) {
		f.StringVar(&e.full, "full-configuration", "",
			"class of jobs of the whole machine (ESP's Z) that start before any job that waits with them")
	})
	completeFlag(cmd, "full-configuration", e.ofClasses)
	priorityFlag(cmd, &e.priority)
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&e.Out, "out", "", "directory to create for the results (default: one below runs/)")
	})
	completeFlag(cmd, "out", ofDirectories)
	under(cmd, headAgent, e.parameters.Flags)
	for name := range e.parameters.Values() {
		completeFlag(cmd, name, ofAgentValues(name))
	}
}

// executionFlags are the flags of how a run goes, whatever runs, but for the kind of
// cluster.
func (e *experiment) executionFlags(cmd *cobra.Command, s *State) {
	e.given = cmd.Flags()
	e.changes.runtimeFlag(cmd)
	under(cmd, headJobs, func(f *pflag.FlagSet) {
		f.Uint64Var(&e.seed, "seed", 1, "seed of the workload generator")
	})
	e.clock.flags(cmd, clock.KindJump)
	coreFlag(cmd, s, &e.Core, campaign.CoreAuto)
	e.runtimeFlag(cmd)
	memoryFlag(cmd, &e.memory)
	under(cmd, headResults, func(f *pflag.FlagSet) { allowFailedFlag(f, &e.allowFailed) })
	cmd.Flags().BoolVarP(&e.quiet, "quiet", "q", false, "do not say how far the runs are")
}

// coreFlag sets core to the flag --core.
func coreFlag(cmd *cobra.Command, s *State, core *string, standard string) {
	under(cmd, headCluster, func(f *pflag.FlagSet) {
		f.StringVar(core, "core", standard, "processor core of the cluster: auto (a free one), none, or a number")
	})
	completeFlag(cmd, "core", ofCores(s))
}

// machineHelp is the help of each flag --machine.
func machineHelp() string { return strings.Join(workloads.MachineNames(), ", ") + ", or a YAML file" }

// priorityFlag sets p to the flag, empty without it.
func priorityFlag(cmd *cobra.Command, p *priority.Type) {
	under(cmd, headPolicy, func(f *pflag.FlagSet) {
		f.StringVar((*string)(p), "priority", "",
			"order of the queue, Slurm's PriorityType: "+alternatives(priority.Types())+" (default: the policy's)")
	})
	completeFlag(cmd, "priority", ofChoices(priority.Types()...))
}

// policyFlag sets name to the flag --policy.
func policyFlag(cmd *cobra.Command, name *string, standard string) {
	under(cmd, headPolicy, func(f *pflag.FlagSet) {
		f.StringVar(name, "policy", standard, `who schedules, and how ("slurmlab policy list"), or exec:FILE or host:FILE, a program (docs/plugins.md)`)
	})
	completeFlag(cmd, "policy", ofPolicies)
}

// policyFile is the value of the flag --policy-file.
type policyFile struct{ policy.File }

// flag adds the file to a command that names policies.
func (f *policyFile) flag(cmd *cobra.Command) {
	under(cmd, headPolicy, func(set *pflag.FlagSet) {
		set.StringVar((*string)(&f.File), "policy-file", "", "YAML file with policies of your own, by name beside those of slurmlab (docs/schedulers.md)")
	})
	completeFlag(cmd, "policy-file", ofFiles(".yaml", ".yml"))
}
