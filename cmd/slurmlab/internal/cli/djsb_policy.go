package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// djsbPolicy says who schedules the benchmark's jobs.
type djsbPolicy struct {
	policyName string
	// settings has the flags that replace settings of the policy.
	settings experiment
	chosen   policy.Policy
}

// djsbSettings are those of an agent that decide who passes whom.
func djsbSettings() []string { return []string{"interval", "objective", "max-bypass"} }

func (p *djsbPolicy) policyFlags(cmd *cobra.Command) {
	policyFlag(cmd, &p.policyName, policy.WholeQueue)
	p.settings.policyFile.flag(cmd)
	p.settings.given, p.settings.parameters = cmd.Flags(), policy.DefaultParameters()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.settings.parameters.Flags(all)
	under(cmd, headAgent, func(set *pflag.FlagSet) {
		for _, name := range djsbSettings() {
			set.AddFlag(all.Lookup(name))
		}
	})
	completeFlag(cmd, "objective", ofAgentValues("objective"))
}

// choose finds the policy.
func (p *djsbPolicy) choose() error {
	var err error
	if p.chosen, err = p.settings.policy(p.policyName); err != nil {
		return err
	}
	if err = policy.Stays(p.chosen); err != nil {
		return err
	}
	return p.settings.effects(p.chosen)
}

// fit refuses what the policy or real applications cannot run: an agent plans a core for one job and
// was not tried in the benchmark's reservation, real applications compute on one node each and are scheduled by backfill.
func (p *djsbPolicy) fit(c workloads.DJSB, realTime bool) error {
	switch {
	case realTime && p.settings.given.Changed("policy"):
		return fmt.Errorf("policy: %s with --real is not allowed, want neither or one of them", p.policyName)
	case realTime && slices.Contains(c.Scenarios, workloads.ScenarioKeptFree):
		return fmt.Errorf("scenarios: %s with --real is not allowed: a real application computes on one node", workloads.ScenarioKeptFree)
	case !p.chosen.HasAgent():
		return nil
	case c.Reservation != "":
		return fmt.Errorf("reservation: %s with policy %s is not allowed: only Slurm's own policies are benchmarked in a reservation", c.Reservation, p.policyName)
	}
	shares := func(s workloads.Scenario) bool { return djsbSharing(s).Shares() }
	var shared []string
	for _, s := range c.Scenarios {
		if shares(s) {
			shared = append(shared, string(s))
		}
	}
	if len(shared) == 0 {
		return nil
	}
	return fmt.Errorf("policy: %s gives a core to one job, and cannot run %s; allowed are the scenarios %s",
		p.policyName, strings.Join(shared, ", "), faults.Or(slices.DeleteFunc(workloads.Scenarios(), shares)))
}

// label is the policy as a command line has it.
func (p *djsbPolicy) label() string {
	words := []string{p.policyName}
	p.settings.given.Visit(func(f *pflag.Flag) {
		if slices.Contains(djsbSettings(), f.Name) {
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return strings.Join(words, " ")
}
