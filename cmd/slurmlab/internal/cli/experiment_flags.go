package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// flags are those that "run" and "compare" share. machine and events are the flags of that name, of which "compare" takes two
// values.
func (e *experiment) flags(cmd *cobra.Command, s *State, machine, events flagSpec) {
	declare(cmd, headJobs,
		machine,
		flag("workload", &e.workload, "V.2", `name ("slurmlab workload list") or a .yaml, .csv or .txt file`).completes(ofWorkloads()).usual(),
	)
	e.changes.arrivalsFlag(cmd)
	declare(cmd, headJobs, events)
	e.policyFile.flag(cmd)
	e.executionFlags(cmd, s)
	e.uiFlag(cmd)
	declare(cmd, headJobs, flag("full-configuration", &e.config.FullConfiguration, "", "class of jobs of the whole machine (ESP's Z) that start before any job that waits with them").completes(e.ofClasses))
	e.settings.flag(cmd)
	declare(cmd, headResults, flag("out", &e.Out, "", "directory to create for the results (default: one below runs/)").completes(ofDirectories).usual())
}

// executionFlags are the flags of how a run goes, whatever runs, without the backend.
func (e *experiment) executionFlags(cmd *cobra.Command, s *State) {
	e.given = cmd.Flags()
	e.config.Version, e.config.Revision = s.Version, s.Revision
	e.changes.theoreticalFlag(cmd)
	declare(cmd, headJobs, flag("seed", &e.config.Seed, 1, "seed of the workload generator").usual())
	e.clock.flags(cmd, clock.KindJump)
	coreFlag(cmd, s, &e.Core, campaign.CoreAuto)
	e.engineFlag(cmd)
	memoryFlag(cmd, &e.config.Memory)
	declare(cmd, headResults, flag("allow-failed", &e.config.AllowFailed, false, "keep runs with jobs that did not end as planned, marked in every table"))
	e.quietFlag(cmd)
}

// backendFlags adds the flags of one backend.
func (e *experiment) backendFlags(cmd *cobra.Command) {
	e.backends = make([]backendFlags, 1)
	e.backends[0].flags(cmd)
}

// coreFlag sets core to the flag --core.
func coreFlag(cmd *cobra.Command, s *State, core *string, standard string) {
	declare(cmd, headCluster, flag("core", core, standard, "processor core of the cluster: auto (a free one), none, or a number").completes(ofCores(s)))
}

// machineHelp is the help of each flag --machine.
func machineHelp() string { return strings.Join(workloads.MachineNames(), ", ") + ", or a YAML file" }

// policyFlag sets name to the flag --policy. programs says which forms of a program the command takes.
func policyFlag(cmd *cobra.Command, name *string, standard, programs string) {
	declare(cmd, headPolicy, flag("policy", name, standard, `who schedules, and how ("slurmlab policy list"), or `+programs+`, a program (docs/plugins.md)`).completes(ofPolicies).usual())
}

// policyFile is the value of the flag --policy-file.
type policyFile struct{ policy.File }

// flag adds the file to a command that names policies.
func (f *policyFile) flag(cmd *cobra.Command) {
	declare(cmd, headPolicy, flag("policy-file", (*string)(&f.File), "", "YAML file with policies of your own, which stand beside the policies of slurmlab (docs/schedulers.md)").completes(ofFiles(".yaml", ".yml")))
}
